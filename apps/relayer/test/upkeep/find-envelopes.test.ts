import { randomBytes } from 'node:crypto';
import { newEnvelopeId } from '@memrelay/envelope/envelope-id';
import { nodePrimitives as p } from '@memrelay/envelope/node-primitives';
import { sealEnvelope } from '@memrelay/envelope/seal-envelope';
import { pino } from 'pino';
import { afterEach, expect, test } from 'vitest';
import { type AggregatorReader, createAggregatorReader } from '../../src/blobs/aggregator-reads.ts';
import { findEnvelopes, readPatchHeader } from '../../src/upkeep/restore/find-envelopes.ts';
import { startServer, type TestServer } from '../support/http-server.ts';

/** What a blob contains, judged by its first bytes and the aggregator's response. */

const origin = randomBytes(32);
const blobId = 'b'.repeat(43);
const patchId = 'p'.repeat(50);
const envelopeOf = (from: Buffer, kind: 1 | 2 | 3 = 1): Buffer =>
  Buffer.from(
    sealEnvelope(p, {
      kind,
      origin: from,
      namespace: 'n',
      keyEpoch: 0n,
      envelopeId: newEnvelopeId(p),
      recipientPk: p.x25519PublicKey(randomBytes(32)),
      wraps: [{ type: 9, bytes: randomBytes(40) }],
      meta: { created_at: '2026-02-01T12:00:00Z' },
      text: 'x'.repeat(30_000),
      signer: randomBytes(32),
    }),
  );

let server: TestServer;
let reader: AggregatorReader;
afterEach(async () => {
  await reader.close();
  await server.close();
});

async function holding(
  bytes: Buffer,
  options: { ranges?: boolean; patches?: unknown; patchStatus?: number } = {},
): Promise<void> {
  const { ranges = true, patches, patchStatus = 200 } = options;
  server = await startServer((request, response) => {
    if (request.url!.endsWith('/patches')) {
      response.writeHead(patchStatus).end(JSON.stringify(patches));
      return;
    }
    const [, last] = /^bytes=0-(\d+)$/.exec(request.headers.range ?? '') ?? [];
    if (ranges && last) response.writeHead(206).end(bytes.subarray(0, Number(last) + 1));
    else response.writeHead(200).end(bytes);
  });
  reader = createAggregatorReader({
    urls: [server.url],
    raceAfterMs: 0,
    skipConsistencyCheck: true,
    maxBytes: 2_000_000,
    timeoutMs: 2_000,
    log: pino({ enabled: false }),
  });
}
const look = (size: number) => findEnvelopes(reader, origin, { blobId, size });

test.each([true, false])(
  'recognizes an envelope by its header (server supports ranges: %o)',
  async (ranges) => {
    const envelope = envelopeOf(origin, 2);
    await holding(envelope, { ranges });
    expect((await reader.readStart(blobId, 500)).equals(envelope.subarray(0, 500))).toBe(true);
    expect(await look(envelope.length)).toMatchObject([{ storedAs: blobId, header: { kind: 2 } }]);
    // One with a length other than the chain's is rejected
    expect(await look(envelope.length + 1)).toEqual([]);
  },
);

test("finds nothing in another account's envelope or in other bytes", async () => {
  await holding(envelopeOf(randomBytes(32)));
  expect(await look(40_000)).toEqual([]);
  for (const bytes of [Buffer.from('MRE1'), Buffer.from('hello'), Buffer.alloc(0)]) {
    await reader.close();
    await server.close();
    await holding(bytes);
    expect(await look(bytes.length || 1)).toEqual([]);
  }
});

test('finds the envelopes that a quilt names, and ignores identifiers in another format', async () => {
  const [tag, envelopeId] = [randomBytes(16), randomBytes(16)];
  const name = (identifier: string) => ({ identifier, patch_id: patchId, tags: {} });
  await holding(Buffer.from([1, 0, 0, 0, 0, 9]), {
    patches: [name(`${tag.toString('hex')}.${envelopeId.toString('hex')}`), name('photo.jpg'), name('a.b')],
  });
  expect(await look(6)).toEqual([{ storedAs: patchId, tag, envelopeId }]);
});

test('finds nothing in a blob that only looks like a quilt, and fails if the index cannot be read now', async () => {
  await holding(Buffer.from([1, 2, 3]), { patchStatus: 400 });
  expect(await look(3)).toEqual([]);
  await reader.close();
  await server.close();
  await holding(Buffer.from([1, 2, 3]), { patchStatus: 500 });
  await expect(look(3)).rejects.toMatchObject({ kind: 'unavailable' });
});

test('accepts a patch only if its header matches the index', async () => {
  const envelope = envelopeOf(origin);
  await holding(envelope);
  const [found] = await look(envelope.length);
  const envelopePatch = { ...found!, storedAs: patchId };
  expect(await readPatchHeader(reader, origin, envelopePatch)).toMatchObject({ kind: 1 });
  expect(
    await readPatchHeader(reader, origin, { ...envelopePatch, envelopeId: randomBytes(16) }),
  ).toBeUndefined();
  expect(await readPatchHeader(reader, origin, { ...envelopePatch, tag: randomBytes(16) })).toBeUndefined();
  expect(await readPatchHeader(reader, randomBytes(32), envelopePatch)).toBeUndefined();
});
