import { createHash, randomUUID, sign } from 'node:crypto';
import { request } from 'node:http';
import { signedMessage } from '@memrelay/protocol/signing';
import type { TestKey } from './localnet-process.ts';

export interface RequestParts {
  method?: string;
  /** Path and query */
  path?: string;
  /** Sent unchanged */
  body?: string | Buffer;
  /** Unix seconds */
  timestamp?: number | string;
  nonce?: string;
  accountId?: string;
}

/** Headers of a request signed as the spec says. */
export function signedHeaders(key: TestKey, parts: RequestParts = {}): Record<string, string> {
  const { method = 'POST', path = '/echo', body = '', accountId } = parts;
  const timestamp = String(parts.timestamp ?? Math.floor(Date.now() / 1000));
  const nonce = parts.nonce ?? randomUUID();
  const bodySha256 = createHash('sha256').update(body).digest('hex');
  const message = signedMessage({
    timestamp,
    method,
    pathAndQuery: path,
    bodySha256,
    nonce,
    accountId: accountId ?? '',
  });
  return {
    'x-public-key': key.publicKey,
    'x-signature': sign(null, Buffer.from(message), key.privateKey).toString('hex'),
    'x-timestamp': timestamp,
    'x-nonce': nonce,
    ...(accountId === undefined ? {} : { 'x-account-id': accountId }),
  };
}

export interface Answer {
  status: number;
  headers: NodeJS.Dict<string | string[]>;
  body: { error?: string; [key: string]: unknown };
}

/** Sends exactly these headers; one with several values is sent several times. */
export function send(
  baseUrl: string,
  headers: Record<string, string | string[]>,
  parts: RequestParts = {},
): Promise<Answer> {
  const { method = 'POST', path = '/echo', body = '' } = parts;
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  const outgoing = request(
    new URL(path, baseUrl),
    { method, headers: flat(headers, method, body) },
    (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString();
        resolve({
          status: response.statusCode!,
          headers: response.headers,
          body: text === '' ? {} : JSON.parse(text),
        });
      });
    },
  );
  outgoing.on('error', reject);
  outgoing.end(body);
  return promise;
}

/** Signs and sends; `headers` are added, or replace signed ones. */
export function call(
  baseUrl: string,
  key: TestKey,
  parts: RequestParts = {},
  headers: Record<string, string | string[]> = {},
): Promise<Answer> {
  return send(baseUrl, { ...signedHeaders(key, parts), ...headers }, parts);
}

/** Node's list form, in which a header may occur several times. */
function flat(headers: Record<string, string | string[]>, method: string, body: string | Buffer): string[] {
  const list = Object.entries(headers).flatMap(([name, value]) =>
    [value].flat().flatMap((single) => [name, single]),
  );
  list.push('host', 'localhost');
  if (method === 'GET') return list;
  const isSet = (name: string) => Object.keys(headers).some((header) => header.toLowerCase() === name);
  if (!isSet('content-type')) list.push('content-type', 'application/json');
  if (!isSet('content-length') && !isSet('transfer-encoding'))
    list.push('content-length', String(Buffer.byteLength(body)));
  return list;
}
