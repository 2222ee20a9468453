import { writeSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { hostParts } from '../../src/host-parts.ts';
import { type PartSurroundings, type StartedPart, StartProblem } from '../../src/part.ts';

/** A process with two parts, for shared-process.test.ts. Each replies with its variable `GREETING`. */
async function startPart({ environment, logFd }: PartSurroundings): Promise<StartedPart> {
  const log = (line: string): void => void writeSync(logFd, `${line}\n`);
  if (environment.PROBLEM) throw new StartProblem(environment.PROBLEM);
  const server = createServer((request, response) => {
    if (request.url === '/fail') setImmediate(() => Promise.reject(new Error('a defect')));
    response.end(environment.GREETING);
  });
  await new Promise<void>((resolve) => server.listen(Number(environment.PORT ?? 0), '127.0.0.1', resolve));
  log(`started ${environment.GREETING}`);
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    log: { info: (_, message) => log(message), error: (_, message) => log(message) },
    close: async () => {
      log(`closed ${environment.GREETING} at ${process.hrtime.bigint()}`);
      server.close();
      server.closeAllConnections();
    },
  };
}

hostParts({ first: async () => startPart, second: async () => startPart });
