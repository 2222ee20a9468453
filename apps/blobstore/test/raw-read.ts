import { type IncomingHttpHeaders, type RequestOptions, request } from 'node:http';
import { finished } from 'node:stream/promises';

export interface RawRead {
  status: number;
  headers: IncomingHttpHeaders;
  /** Everything received, even if the response was cut off */
  bytes: Buffer;
  /** Whether the response was complete */
  complete: boolean;
}

/** Reads a response without `fetch`, which hides the bytes received before a connection was closed. */
export function rawRead(url: string, options: RequestOptions & { body?: string } = {}): Promise<RawRead> {
  const { body, ...rest } = options;
  return new Promise((resolve, reject) => {
    const sent = request(url, rest, async (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      const complete = await finished(response).then(
        () => true,
        () => false,
      );
      const { statusCode: status = 0, headers } = response;
      resolve({ status, headers, bytes: Buffer.concat(chunks), complete });
    });
    sent.on('error', reject);
    sent.end(body);
  });
}
