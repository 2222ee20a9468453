import { randomBytes } from 'node:crypto';
import { envelopeKind, parseHeader } from '@memrelay/envelope/header';
import { wrapType } from '@memrelay/envelope/wraps';
import type { OpenRequestHead } from '@memrelay/protocol/sidecar-api';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { wrapsColumn } from '../src/keys/namespace-keys.ts';
import { currentLook, saveKnown, savePage } from '../src/restore/look-rows.ts';
import { openFound } from '../src/restore/open-found.ts';
import { databases, type TestDb } from './support/databases.ts';
import { sampleEnvelope } from './support/sample-envelope.ts';

/** Opening what was found on chain, with wraps of its key that anybody may have sent. */

let opened: TestDb;
beforeAll(async () => {
  opened = await databases[0]!.create();
});
afterAll(() => opened?.drop());

const accountId = randomBytes(32);
const { envelope, envelopeId } = sampleEnvelope();
const header = parseHeader(envelope, envelope.length);
const place = { accountId, tag: Buffer.from(header.tag) };
const candidate = { storedAs: 'e'.repeat(43), envelopeId, objectId: '0x1', endEpoch: 50 };
const wrap = (name: number) => ({ type: wrapType.seal, bytes: Buffer.alloc(404, name) });
const good = wrap(9);
let kept: Buffer[];
let asked: number;

beforeEach(() => {
  kept = [];
  asked = 0;
});

/** A sidecar whose key servers are others than those of the envelope: the good wrap alone opens it. */
async function open(kind: number) {
  const failure = { ok: false, failure: 'integrity' } as const;
  const context = {
    db: opened.db,
    aggregators: {
      read: async (_: string, isRight: (bytes: Buffer) => boolean) => {
        if (isRight(envelope)) return envelope;
        throw new Error('not what was asked for');
      },
    },
    keyRewraps: {
      serverSet: 'today',
      of: async () => new Map(),
      save: async (_: unknown, __: unknown, ___: unknown, bytes: Buffer) => void kept.push(bytes),
      refresh: () => undefined,
    },
    sidecar: {
      open: async ({ rewraps = [] }: OpenRequestHead) => {
        asked += 1;
        const given = rewraps[0] && Buffer.from(rewraps[0].wrap, 'base64');
        const item = !given
          ? { ...failure, reason: 'foreign_wrap' }
          : good.bytes.equals(given)
            ? { ok: true, text_length: 4, created_at: '2026-02-01T12:00:00Z', signer: 'aa' }
            : { ...failure, reason: 'wrong_recipient' };
        return { items: [item], payload: Buffer.from('text') };
      },
      rewrapKeys: async () => ({
        server_set: 'today',
        keys: [{ ok: true, wrap: Buffer.from('anew').toString('base64') }],
      }),
    },
  };
  const caller = {
    account: {
      accountId: '0x1',
      initialSharedVersion: '1',
      origin: '0x1',
      owner: '0x1',
      keyEpoch: 1,
      delegates: [],
    },
    delegate: { scope: { minEpoch: 0 } },
  };
  return openFound(context as never, caller as never, 'n', place, [], kind, [candidate]);
}

test('forged wraps before the right one do not keep it from being found', async () => {
  await currentLook(opened.db, accountId, '0x1');
  for (const [i, sent] of [wrap(1), wrap(2), wrap(3), wrap(4), good].entries()) {
    const blobId = String(i).repeat(43);
    const blob = { object_id: `0x${i}`, blob_id: blobId, size: 1_500, end_epoch: 50, certified_epoch: i };
    await savePage(opened.db, accountId, { epoch: 5, blobs: [blob] });
    const found = {
      kind: envelopeKind.rewrap,
      recipientPk: Buffer.from(header.recipientPk),
      wraps: wrapsColumn([sent]),
    };
    const each = { storedAs: blobId, tag: place.tag, envelopeId: randomBytes(16), header: found };
    await saveKnown(opened.db, accountId, blobId, [each]);
  }
  const results = await open(envelopeKind.memory);
  expect(results).toMatchObject([{ text: 'text' }]);
  expect(kept.map(String)).toEqual(['anew']);
});

test('an envelope of another kind than was looked for is not opened', async () => {
  await expect(open(envelopeKind.tombstone)).rejects.toThrow('not what was asked for');
  expect(asked).toBe(0);
});
