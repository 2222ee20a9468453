import { request } from 'node:http';
import { expectAnswer } from '../expectations.ts';
import { formOf } from '../form.ts';
import { refused } from '../refused.ts';
import { section } from '../row.ts';
import type { Session } from '../session.ts';

const { rows, ours } = section('§1.4, 1.9 limits', ['tight limits']);

function put(session: Session, bytes: number) {
  return session.at(session.targets.tight!, '/v1/blobs', { method: 'PUT', body: Buffer.alloc(bytes) });
}

ours('stores a body of exactly the limit; one byte more is 413', async (session) => {
  expectAnswer(await put(session, 1024), { status: 200 });
  refused(await put(session, 1025), 413, 'PAYLOAD_TOO_LARGE');
});

ours('a quilt above its limit is 413', async (session) => {
  const { contentType, body } = formOf([{ name: 'a', content: Buffer.alloc(70_000) }]);
  const headers = { 'content-type': contentType };
  const answer = await session.at(session.targets.tight!, '/v1/quilts', { method: 'PUT', headers, body });
  refused(answer, 413, 'PAYLOAD_TOO_LARGE');
});

/** Waits until the store is held up by `held`. */
async function busy(session: Session): Promise<void> {
  for (let tries = 0; tries < 500; tries += 1) {
    if ((await put(session, 1)).status === 429) return;
  }
  throw new Error('the store never became busy');
}

ours('a busy publisher is 429 with Retry-After, /status and reads are not', async (session) => {
  const base = session.targets.tight!;
  const openRequest = request(`${base}/v1/blobs`, { method: 'PUT', headers: { 'content-length': 100 } });
  openRequest.on('error', () => undefined);
  openRequest.write('only a part');
  try {
    await busy(session);
    const answer = await put(session, 1);
    refused(answer, 429, 'TOO_MANY_REQUESTS');
    expectAnswer(answer, { status: 429, headers: { 'retry-after': /^\d+$/ } });
    expectAnswer(await session.at(base, '/status'), { status: 200 });
    refused(await session.at(base, `/v1/blobs/${'A'.repeat(43)}`), 404, 'BLOB_NOT_FOUND');
  } finally {
    openRequest.destroy();
  }
});

export const limitRows = rows;
