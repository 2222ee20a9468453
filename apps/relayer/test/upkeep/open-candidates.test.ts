import { randomBytes } from 'node:crypto';
import { envelopeKind, parseHeader } from '@memrelay/envelope/header';
import { wrapType } from '@memrelay/envelope/wraps';
import type { OpenRequestHead } from '@memrelay/protocol/sidecar-api';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { AccountNamespace } from '../../src/jobs/rows/forgotten-objects.ts';
import { wrapsColumn } from '../../src/keys/namespace-keys.ts';
import { openCandidates } from '../../src/upkeep/restore/open-candidates.ts';
import { currentScan, saveEnvelopes, savePage } from '../../src/upkeep/rows/chain-scan-rows.ts';
import { databases, type TestDb } from '../support/databases.ts';
import { sampleEnvelope } from '../support/sample-envelope.ts';

/** Opening envelopes found on chain, whose key may have wraps from anyone. */

let opened: TestDb;
beforeAll(async () => {
  opened = await databases[0]!.create();
});
afterAll(() => opened?.drop());

const header = () => parseHeader(envelope, envelope.length);
const { envelope, envelopeId } = sampleEnvelope();
const keyServers = 'today';
const candidate = { storedAs: 'e'.repeat(43), envelopeId, objectId: '0x1', endEpoch: 50 };
let namespace: AccountNamespace;
let kept: Buffer[];
let asked: number;

beforeEach(() => {
  namespace = { accountId: randomBytes(32), namespace: 'n', tag: Buffer.from(header().tag) };
  kept = [];
  asked = 0;
});

/** A wrap for this identity, with a number as its content. */
function wrapNo(no: number, identity = header().identity): Uint8Array {
  const object = Uint8Array.from(header().wraps.find(({ type }) => type === wrapType.seal)!.bytes);
  // After version and package comes the length of the identity; the last two bytes mark the end
  object.set(identity, 34);
  object[object.length - 3] = no;
  return object;
}
const right = 255;

/** The owner is sent wraps for the key of the envelope. */
async function sendWraps(...wraps: readonly Uint8Array[]): Promise<void> {
  await currentScan(opened.db, namespace.accountId, '0x1');
  for (const [i, bytes] of wraps.entries()) {
    const blobId = String(i).padStart(43, '0');
    const blob = { object_id: `0x${i}`, blob_id: blobId, size: 1_500, end_epoch: 50, certified_epoch: i };
    await savePage(opened.db, namespace.accountId, { epoch: 5, blobs: [blob] });
    const rewrapHeader = {
      kind: envelopeKind.rewrap,
      recipientPk: Buffer.from(header().recipientPk),
      wraps: wrapsColumn([{ type: wrapType.seal, bytes }]),
    };
    const each = { storedAs: blobId, tag: namespace.tag, envelopeId: randomBytes(16), header: rewrapHeader };
    await saveEnvelopes(opened.db, namespace.accountId, blobId, [each]);
  }
}

/** A sidecar with key servers other than the envelope's: only the right wrap opens it. */
async function open(options: { kind?: number; deadline?: number; denied?: boolean } = {}) {
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
      serverSet: keyServers,
      of: async () => new Map(),
      save: async (_: unknown, __: unknown, ___: unknown, bytes: Buffer) => void kept.push(bytes),
      refresh: () => undefined,
    },
    sidecar: {
      open: async ({ rewraps = [], each }: OpenRequestHead) => {
        asked += 1;
        const numbers = rewraps.map(({ wrap }) => Buffer.from(wrap, 'base64').at(-3));
        if (options.denied && each)
          return {
            items: [{ ok: false, failure: 'denied', reason: 'not this one' }],
            payload: Buffer.alloc(0),
          };
        const item =
          numbers.length === 0
            ? { ...failure, reason: 'foreign_wrap' }
            : numbers.includes(right)
              ? { ok: true, text_length: 4, created_at: '2026-02-01T12:00:00Z', signer: 'aa' }
              : { ...failure, reason: 'wrong_recipient' };
        return { items: [item], payload: Buffer.from('text') };
      },
      rewrapKeys: async () => ({
        server_set: keyServers,
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
  const { kind = envelopeKind.memory, deadline = Number.POSITIVE_INFINITY } = options;
  return openCandidates(context as never, caller as never, namespace, [], kind, [candidate], deadline);
}

test('finds the right wrap after any number of forged ones', async () => {
  await sendWraps(...Array.from({ length: 60 }, (_, i) => wrapNo(i)), wrapNo(right));
  expect(await open()).toMatchObject([{ text: 'text' }]);
  expect(kept.map(String)).toEqual(['anew']);
});

test('a call that runs out of time leaves the remaining wraps to the next call, which tries none twice', async () => {
  await sendWraps(...Array.from({ length: 30 }, (_, i) => wrapNo(i)));
  expect(await open({ deadline: 0 })).toEqual([]);
  expect(await open()).toEqual([{ candidate, reason: 'foreign_wrap' }]);
  asked = 0;
  expect(await open()).toEqual([{ candidate, reason: 'foreign_wrap' }]);
  expect(asked).toBe(1);
});

test('does not try or discard wraps of another identity', async () => {
  const other = Uint8Array.from(header().identity);
  other[55]! ^= 1;
  await sendWraps(wrapNo(right, other));
  expect(await open()).toEqual([{ candidate, reason: 'foreign_wrap' }]);
  expect(asked).toBe(1);
});

test('reports each envelope that the key servers deny, and opens the others', async () => {
  expect(await open({ denied: true })).toEqual([{ candidate, reason: 'denied' }]);
});

test('does not open an envelope of an unexpected kind', async () => {
  await expect(open({ kind: envelopeKind.tombstone })).rejects.toThrow('not what was asked for');
  expect(asked).toBe(0);
});
