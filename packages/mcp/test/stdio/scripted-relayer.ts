import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface SeenCall {
  path: string;
  headers: IncomingHttpHeaders;
  body: Record<string, unknown>;
}

/**
 * An HTTP server that replaces a relayer, to record which requests arrive and to send responses that a relayer does not send
 * on demand. How a relayer handles a call is tested against the real one.
 */
export interface ScriptedRelayer {
  port: number;
  url: string;
  seen: SeenCall[];
  /** Responses to the next writes, in order: a status, or a dropped connection. Later writes succeed */
  faults: (number | 'drop')[];
  close(): Promise<void>;
}

const jobId = '9b2f3b57-7f0e-4d0b-9a54-0a4f1c4a8b11';

export async function startScriptedRelayer(port = 0): Promise<ScriptedRelayer> {
  const seen: SeenCall[] = [];
  const faults: (number | 'drop')[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const text = Buffer.concat(chunks).toString();
    seen.push({ path: request.url!, headers: request.headers, body: text === '' ? {} : JSON.parse(text) });
    const fault = request.method === 'POST' ? faults.shift() : undefined;
    if (fault === 'drop') return void response.destroy();
    response.setHeader('content-type', 'application/json');
    if (fault !== undefined) {
      response.statusCode = fault;
      return void response.end(
        JSON.stringify({ error: 'unknown_delegate_key', message: 'The key is not known.', request_id: 'r1' }),
      );
    }
    const namespace = seen.at(-1)!.body.namespace ?? 'default';
    const job = { job_id: jobId, owner: `0x${'3'.repeat(64)}`, namespace };
    if (request.method === 'POST') response.statusCode = 202;
    response.end(
      JSON.stringify(
        request.method === 'POST'
          ? { job_id: jobId, status: 'running' }
          : { ...job, status: 'done', blob_id: 'A'.repeat(43) },
      ),
    );
  });
  // On all addresses of this machine, so that a test can use one that does not count as loopback.
  server.listen(port, '0.0.0.0');
  await once(server, 'listening');
  const own = (server.address() as AddressInfo).port;
  return {
    port: own,
    url: `http://127.0.0.1:${own}`,
    seen,
    faults,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
