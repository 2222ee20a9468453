import { type IncomingMessage, type OutgoingHttpHeaders, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';

/** A request exactly as it is sent, except that `Host` and `Content-Length` are added. */
export interface Sent {
  method: string;
  url: string;
  headers: OutgoingHttpHeaders;
  body: Buffer | undefined;
}

export interface Answer {
  status: number;
  /** Names in lower case */
  headers: Record<string, string>;
  body: Buffer;
  /** The connection ended before the body did */
  cutOff: boolean;
}

/** Receives every exchange, for example to compare it with an API description. */
export type Observer = (sent: Sent, answer: Answer) => void;

const timeoutMs = 120_000;

function collect(response: IncomingMessage): Promise<Answer> {
  const chunks: Buffer[] = [];
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(response.headers)) headers[name] = String(value);
  return new Promise((resolve) => {
    const end = (): void =>
      resolve({
        status: response.statusCode!,
        headers,
        body: Buffer.concat(chunks),
        cutOff: !response.complete,
      });
    response.on('data', (chunk: Buffer) => chunks.push(chunk));
    response.on('error', () => undefined);
    response.on('close', end);
  });
}

/**
 * Sends one request and reads the whole response, without following redirects. Throws if there is no response
 * within 120 s. Uses Node's own client instead of `fetch`, which adds headers and normalizes paths.
 */
export function exchange({ method, url, headers, body }: Sent): Promise<Answer> {
  const { protocol, host, hostname, port } = new URL(url);
  // Taken from the text, because `URL` would normalize paths that are malformed on purpose.
  const path = /^[^/]+\/\/[^/]+(.*)$/.exec(url)?.[1] || '/';
  const request = protocol === 'https:' ? requestHttps : requestHttp;
  const length = body === undefined ? {} : { 'content-length': body.byteLength };
  return new Promise((resolve, reject) => {
    const outgoing = request(
      { method, hostname: hostname.replace(/^\[|\]$/g, ''), port, path },
      (response) => void collect(response).then(resolve),
    );
    for (const [name, value] of Object.entries({ host, ...length, ...headers })) {
      if (value !== undefined) outgoing.setHeader(name, value);
    }
    outgoing.setTimeout(timeoutMs, () => outgoing.destroy(new Error(`no response within ${timeoutMs} ms`)));
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}
