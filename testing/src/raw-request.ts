import { createHash, createPrivateKey, randomUUID, sign } from 'node:crypto';
import { headers } from '@memrelay/protocol/headers';
import { signedMessage } from '@memrelay/protocol/signing';
import type { TestKey } from './test-owner.ts';

export interface RawRequest {
  method?: string;
  path: string;
  body?: unknown;
  /** Sent unchanged instead of `body` as JSON */
  rawBody?: string;
  accountId?: string;
  /** Unix seconds */
  timestamp?: number | string;
  nonce?: string;
  /** Added last: may replace or (with undefined) remove a header */
  headers?: Record<string, string | undefined>;
}

export interface RawAnswer {
  status: number;
  headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests read responses of any shape
  body: any;
}

/** The Ed25519 key object of a seed: PKCS#8 with the fixed prefix of RFC 8410. */
function keyObject(seedHex: string) {
  const der = Buffer.from(`302e020100300506032b657004220420${seedHex}`, 'hex');
  return createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
}

/** A signed request built by hand, so that a test can alter any part of it. */
export async function rawRequest(serverUrl: string, key: TestKey, request: RawRequest): Promise<RawAnswer> {
  const method = request.method ?? 'POST';
  const body = request.rawBody ?? (request.body === undefined ? '' : JSON.stringify(request.body));
  const parts = {
    timestamp: String(request.timestamp ?? Math.floor(Date.now() / 1000)),
    method,
    pathAndQuery: request.path,
    bodySha256: createHash('sha256').update(body).digest('hex'),
    nonce: request.nonce ?? randomUUID(),
    accountId: request.accountId ?? '',
  };
  const signature = sign(null, Buffer.from(signedMessage(parts)), keyObject(key.privateKey)).toString('hex');
  const all: Record<string, string | undefined> = {
    [headers.publicKey]: key.publicKey,
    [headers.signature]: signature,
    [headers.timestamp]: parts.timestamp,
    [headers.nonce]: parts.nonce,
    ...(request.accountId ? { [headers.accountId]: request.accountId } : {}),
    ...(body === '' ? {} : { 'content-type': 'application/json' }),
    ...request.headers,
  };
  const definedHeaders = Object.fromEntries(
    Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
  const response = await fetch(new URL(request.path, serverUrl), {
    method,
    headers: definedHeaders,
    ...(body === '' ? {} : { body }),
  });
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    body: text === '' ? undefined : JSON.parse(text),
  };
}
