import { readFileSync } from 'node:fs';
import { parseSealObject } from '@memrelay/envelope/seal-object';
import { serverSetOf } from '@memrelay/envelope/server-set';
import type { OpenRequestHead } from '@memrelay/protocol/sidecar-api';
import { expect, test } from 'vitest';
import { openBatch } from '../src/open/open-batch.ts';
import type { UnwrapItem, UnwrapResult } from '../src/seal/seal-tasks.ts';

/** Tests which wraps of a key are tried, and what is reported if none opens. */

const vectors = JSON.parse(
  readFileSync(new URL('../../../packages/envelope/vectors/envelope-v1.json', import.meta.url), 'utf8'),
);
const [sample] = vectors.envelopes;
const envelope = Buffer.from(sample.envelope, 'hex');
const own = Buffer.from(sample.wraps[0].bytes, 'hex');
const object = parseSealObject(own);
const expectedWraps = { packageId: object.packageId, serverSets: [serverSetOf(object)] };

/** A wrap for the envelope's identity; `no` in its ciphertext distinguishes it from others. */
function rewrap(no: number, change: (bytes: Buffer) => void = () => undefined): Buffer {
  const bytes = Buffer.from(own);
  bytes[bytes.length - 3] = no;
  change(bytes);
  return bytes;
}
const right = 9;
const foreign = (bytes: Buffer): void => void bytes.fill(0xee, 1, 33);

const wrong: UnwrapResult = { ok: false, reason: 'malformed', message: 'the wrap cannot be decrypted' };
const denied: UnwrapResult = {
  ok: false,
  reason: 'denied',
  message: 'the key servers refused this identity',
};

async function open(rewraps: readonly Buffer[], otherwise = wrong, overrides: Partial<OpenRequestHead> = {}) {
  let asked: number[] = [];
  const context = {
    expectedWraps,
    unwrapper: {
      unwrapKeys: async (_: unknown, __: unknown, items: readonly UnwrapItem[]) => {
        asked = items.map(({ wrap }) => wrap[wrap.length - 3]!);
        return asked.map(
          (no): UnwrapResult => (no === right ? { ok: true, privateKey: new Uint8Array(32) } : otherwise),
        );
      },
    },
    openPool: {
      open: async () => [
        { ok: true, text: Buffer.from(sample.text), createdAt: 'then', importance: undefined, signer: 'aa' },
      ],
    },
  };
  const head: OpenRequestHead = {
    account: {
      id: '0x1',
      initial_shared_version: '1',
      origin: `0x${sample.origin}`,
      owner: '0x1',
      key_epoch: 3,
    },
    signer: { public_key: 'aa', address: '0x1', min_epoch: 0 },
    server_key_allowed: false,
    trusted_signers: [],
    items: [{ length: envelope.length, namespace: sample.namespace }],
    rewraps: rewraps.map((wrap) => ({ recipient_pk: sample.recipient_pk, wrap: wrap.toString('base64') })),
    ...overrides,
  };
  const { items } = await openBatch(context as never, {} as never, head, envelope);
  return { item: items[0]!, asked };
}

test('tries all matching rewraps of a key; one valid rewrap is enough', async () => {
  const { item, asked } = await open([rewrap(1), rewrap(2, foreign), rewrap(right), rewrap(3)]);
  expect(item).toMatchObject({ ok: true });
  expect(asked).toEqual([1, right, 3]);
});

test("uses the envelope's own wrap if no rewrap matches", async () => {
  const { item, asked } = await open([rewrap(2, foreign), Buffer.from('nothing')]);
  expect(asked).toEqual([own[own.length - 3]]);
  expect(item).toEqual({ ok: false, failure: 'integrity', reason: 'wrong_recipient' });
});

test('rejects a session that is denied everything, unless a result per item is requested', async () => {
  await expect(open([], denied)).rejects.toMatchObject({ code: 'decrypt_denied' });
  const { item } = await open([], denied, { each: true });
  expect(item).toMatchObject({ ok: false, failure: 'denied' });
});

test('fails the call when key servers do not respond, even if a result per item is requested', async () => {
  const away: UnwrapResult = { ok: false, reason: 'unavailable', message: 'no answer' };
  await expect(open([], away, { each: true })).rejects.toMatchObject({ code: 'decrypt_unavailable' });
});
