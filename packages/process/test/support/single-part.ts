import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { StartProblem } from '../../src/part.ts';
import { runPart } from '../../src/run-part.ts';

/** A part alone in its process, for serve-part.test.ts. */
await runPart(async ({ environment }) => {
  if (environment.PROBLEM) throw new StartProblem(environment.PROBLEM);
  const server = createServer((_request, response) => response.end('here'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    log: { info: () => undefined, error: () => undefined },
    close: async () => {
      server.close();
      server.closeAllConnections();
    },
  };
});
