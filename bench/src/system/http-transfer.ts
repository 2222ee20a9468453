import { Agent, request } from 'node:http';
import { pipeline } from 'node:stream/promises';

/** Keep-alive connections, with as little overhead as possible between the bench and the socket. */
const agent = new Agent({ keepAlive: true, maxSockets: 64 });

export interface Transferred {
  status: number;
  /** Bytes of the response */
  bytes: number;
  /** The body, of a PUT only */
  text: string;
}

type Body = Buffer | { size: number; chunks: AsyncIterable<Buffer> };

/** One request whose response is read completely. Throws for any status of 400 and above. */
export function transfer(method: 'GET' | 'PUT', url: string, body?: Body): Promise<Transferred> {
  return new Promise((resolve, reject) => {
    const length = body === undefined ? undefined : 'size' in body ? body.size : body.byteLength;
    const headers = length === undefined ? {} : { 'content-length': length };
    const sent = request(url, { method, agent, headers }, (response) => {
      let bytes = 0;
      const parts: Buffer[] = [];
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.byteLength;
        if (method === 'PUT') parts.push(chunk);
      });
      response.on('error', reject);
      response.on('end', () => {
        const status = response.statusCode ?? 0;
        const text = Buffer.concat(parts).toString();
        if (status >= 400) reject(new Error(`${method} ${url}: ${status} ${text.slice(0, 200)}`));
        else resolve({ status, bytes, text });
      });
    });
    sent.on('error', reject);
    if (body !== undefined && 'chunks' in body) pipeline(body.chunks, sent).catch(reject);
    else sent.end(body);
  });
}

export function closeConnections(): void {
  agent.destroy();
}
