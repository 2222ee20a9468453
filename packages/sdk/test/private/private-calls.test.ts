import { newEnvelopeId } from '@memrelay/envelope/envelope-id';
import { envelopeKind, parseHeader } from '@memrelay/envelope/header';
import type { EnvelopeMeta } from '@memrelay/envelope/meta';
import { nodePrimitives as p } from '@memrelay/envelope/node-primitives';
import { sealEnvelope } from '@memrelay/envelope/seal-envelope';
import { fromBase64, toBase64, toHex } from '@memrelay/protocol/bytes';
import { recallManualRequest, rememberManualRequest } from '@memrelay/protocol/memories';
import { expect, test } from 'vitest';
import { createManualBase } from '../../src/manual/manual-base.ts';
import type { ManualParts } from '../../src/manual/manual-parts.ts';
import { rememberSealed } from '../../src/manual/remember.ts';
import { sealedContextOf } from '../../src/private/private-context.ts';
import { indexDataOf } from '../../src/private/private-index.ts';
import { recallPrivate } from '../../src/private/private-recall.ts';
import { searchKeys } from '../../src/private/search-keys.ts';
import type { PrivatePlace } from '../../src/private/secret-source.ts';
import { accountId, packageId } from '../wire-double.ts';
import {
  accountOf,
  epoch,
  expectedWraps,
  keyOf,
  namespace,
  opened,
  origin,
  privateKeyOf,
  tag,
  type Writer,
  writer,
} from './secret-fixtures.ts';

/** What is sent to the relayer, and how its answers are read. Key servers, chain and blobs are replaced. */

const ana = writer(1);
const keys = searchKeys(p, new Uint8Array(32).fill(0x71), {
  tag,
  keyEpoch: epoch,
  searchId: new Uint8Array(16).fill(0x72),
});

function world(respond: (path: string) => unknown) {
  const calls: { path: string; headers: Headers; body: string }[] = [];
  const relay: typeof fetch = async (input, init) => {
    const path = new URL(String(input)).pathname;
    calls.push({
      path,
      headers: new Headers(init!.headers),
      body: new TextDecoder().decode(init!.body as Uint8Array<ArrayBuffer>),
    });
    return new Response(JSON.stringify(respond(path)), {
      headers: { 'content-type': 'application/json', 'x-account-id': accountId },
    });
  };
  const options = { key: ana.seed, accountId, packageId, serverUrl: 'http://127.0.0.1:1', fetch: relay };
  const base = createManualBase({ ...options, primitives: p });
  const account = { ...accountOf([[ana]]), active: true };
  const state = { account, origin } as unknown as PrivatePlace['state'];
  const parts = {
    account: { read: async () => state },
    keys: { keyFor: async () => keyOf() },
    unwrapper: {
      unwrap: async (_: unknown, wrapped: readonly unknown[]) =>
        wrapped.map(() => ({ ok: true, privateKey: privateKeyOf() })),
    },
    blobs: { read: async () => ({ ok: false, reason: 'blob_missing', message: 'no aggregator has it' }) },
    network: { readable: [{ servers: [], threshold: 1 }] },
    expected: expectedWraps,
  } as unknown as ManualParts;
  return { base, calls, place: { parts, state, namespace, tag } satisfies PrivatePlace };
}

/** Forms in which a text could be in a request (at-rest.test.ts). */
function expectNothingOf(texts: readonly string[], body: string): void {
  for (const text of texts)
    for (const form of [
      text,
      toBase64(new TextEncoder().encode(text)).slice(0, -4),
      toHex(new TextEncoder().encode(text)),
    ])
      expect(body.toLowerCase()).not.toContain(form.toLowerCase());
}

const text = 'zanzibar cinnamon ledger: Ana owes two drachmas';
const words = ['zanzibar', 'cinnamon', 'ledger', 'drachma', 'picnic', 'ana maria'];

test('a memory is sent sealed under the private tag, with tokens of its words and fields', async () => {
  const { base, calls, place } = world(() => ({ job_id: 'a', status: 'running' }));
  const context = sealedContextOf({ speaker: 'Ana Maria', tags: ['picnic', 'picnic'], session: undefined });
  const data = indexDataOf(keys, text, { speaker: context.speaker, tags: context.tags });
  const vector = Float32Array.from({ length: 64 }, (_, i) => Math.sin(i + 0.123) / 6);
  await rememberSealed(
    base.connection,
    place.parts,
    base,
    {
      text,
      namespace,
      vectors: [keys.vectorMap(64).apply(vector)],
      embeddingModel: 'model',
      idempotencyKey: 'one',
      private: { context, searchId: keys.searchId, body: { private: data } },
    },
    { waitForDone: false, importance: 0.7 },
  );
  const [{ body, headers }] = calls as [(typeof calls)[number]];
  const sent = rememberManualRequest.parse(JSON.parse(body));
  expect(sent.private).toEqual(data);
  expect(sent.importance).toBe(0.7);
  const envelope = fromBase64(sent.encrypted_data);
  expect(parseHeader(envelope)).toMatchObject({ kind: envelopeKind.memory, tag, keyEpoch: epoch });
  expect(opened(envelope)).toMatchObject({
    text,
    meta: { ns: namespace, private: true, search_id: keys.searchId, speaker: 'Ana Maria', tags: ['picnic'] },
  });
  for (const value of vector) expect(body).not.toContain(String(Number(value.toPrecision(9))));
  expectNothingOf(words, body);
  for (const name of ['x-enc-session', 'x-delegate-key', 'authorization'])
    expect(headers.has(name)).toBe(false);
});

test('a writer that may not read sends neither words nor vector, and says so', async () => {
  const { base, calls, place } = world(() => ({ job_id: 'a', status: 'running' }));
  const write = { text, namespace, vectors: [], embeddingModel: undefined, idempotencyKey: 'one' };
  const unindexed = { context: {}, searchId: undefined, body: { needs_index: true } };
  await rememberSealed(
    base.connection,
    place.parts,
    base,
    { ...write, private: unindexed },
    { waitForDone: false },
  );
  const sent = rememberManualRequest.parse(JSON.parse(calls[0]!.body));
  expect(sent).toMatchObject({ needs_index: true });
  expect(sent).not.toHaveProperty('private');
  expect(sent.vector).toBeUndefined();
  expect(opened(fromBase64(sent.encrypted_data)).meta).not.toHaveProperty('search_id');
});

function memory(of: string, changes: Partial<EnvelopeMeta> = {}, { seed }: Writer = ana): Uint8Array {
  return sealEnvelope(p, {
    kind: envelopeKind.memory,
    origin,
    namespace,
    ...keyOf(),
    envelopeId: newEnvelopeId(p),
    meta: { created_at: '2026-04-01T00:00:00Z', private: true, search_id: keys.searchId, ...changes },
    text: of,
    signer: seed,
  });
}

function hit(id: string, envelope: Uint8Array, changes: Record<string, unknown> = {}) {
  const sha256 = toHex(p.sha256(envelope));
  const encrypted_data = toBase64(envelope);
  return { id, blob_id: 'A'.repeat(43), distance: 1, created_at: '', sha256, encrypted_data, ...changes };
}

test('a question is sent as tokens, and hits are opened from the envelopes of the answer', async () => {
  const explain = { matched_by: 'words', vector: { score: 0 }, vector_share: 0 };
  const { base, calls, place } = world(() => ({
    results: [
      hit('a', memory(text, { session: 's1' }), { explain }),
      hit('expired', memory('old', { expires_at: '2020-01-01T00:00:00Z' })),
      hit('changed', memory('other'), { sha256: '00'.repeat(32) }),
      hit('forged', memory('forged', {}, writer(9))),
      hit('elsewhere', memory('not inline'), { encrypted_data: undefined }),
    ],
    total: 5,
    trusted_writers: [],
    partial: true,
    not_searchable: 3,
  }));
  const asked = { query: 'Who owes Ana Maria a drachma for the Zanzibar picnic?', embedded: undefined };
  const found = await recallPrivate(base, place, keys, asked, { explain: true, tags: { any: ['picnic'] } });
  expect(found.results).toMatchObject([{ id: 'a', text, session: 's1', explain: { matchedBy: 'words' } }]);
  expect(found.dropped.map(({ id, reason }) => [id, reason])).toEqual([
    ['changed', 'wrong_bytes'],
    ['forged', 'integrity'],
    ['elsewhere', 'blob_missing'],
  ]);
  expect([found.partial, found.notSearchable]).toEqual([true, 3]);

  const [{ body, headers }] = calls as [(typeof calls)[number]];
  const sent = recallManualRequest.parse(JSON.parse(body));
  expect(sent).toMatchObject({ include_envelopes: true, explain: true });
  expect(sent.vector).toBeUndefined();
  expect(sent.private!.terms).toContain(toBase64(keys.wordToken('zanzibar')));
  expect(sent.private!.tags!.any).toEqual([toBase64(keys.contextToken('tag', 'picnic'))]);
  expectNothingOf(
    [...words, 'who', 'owes'].filter((word) => word.length > 3),
    body,
  );
  for (const name of ['x-enc-session', 'x-delegate-key', 'authorization'])
    expect(headers.has(name)).toBe(false);
});
