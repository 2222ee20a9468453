import { readFileSync } from 'node:fs';
import { privateNamespaceTag } from '@memrelay/envelope/namespace-tag';
import { nodePrimitives as p } from '@memrelay/envelope/node-primitives';
import { portablePrimitives } from '@memrelay/envelope/portable-primitives';
import type { Primitives } from '@memrelay/envelope/primitives';
import { fromHex, toHex } from '@memrelay/protocol/bytes';
import { expect, test } from 'vitest';
import { indexDataOf, questionTokens } from '../../src/private/private-index.ts';
import { deriveSearchKey, searchKeys } from '../../src/private/search-keys.ts';
import { chooseSecret } from '../../src/private/search-secrets.ts';
import { opened, sealedSecret, writer } from './secret-fixtures.ts';

/**
 * `vectors/private-v1.json` is what every client of private namespaces must reproduce, from the tag of a namespace to the
 * tokens of a question. `npx vitest run packages/sdk/test/private/vectors.test.ts -u` writes it; the sealed secret in it is
 * made once, because sealing is random.
 */

const file = '../../vectors/private-v1.json';
const origin = `${'0b'.repeat(31)}ff`;
const namespaces = ['default', 'diary', 'café ☕', 'a/b'];
const secret = '5e'.repeat(32);
const scopes = [
  { keyEpoch: 0, searchId: '00112233445546778899aabbccddeeff' },
  { keyEpoch: 258, searchId: '0f1e2d3c4b5a40708f9eadbccbdae9f8' },
];
const texts = [
  { text: 'Ana drinks green tea, and more tea, and tea again.', context: {} },
  {
    text: 'Die Bücher von Jürgen sind seit dem 7.5.2023 auf dem Tisch.',
    context: {
      session: 'session 1',
      speaker: ' Ana  Maria ',
      happenedAt: '2023-05-07T23:30:00-05:00',
      tags: ['work', 'café', 'work'],
      expiresAt: '2030-01-01T00:00:00Z',
    },
  },
  { text: '東京で寿司を食べました', context: { tags: ['食べ物'] } },
  { text: 'the of and', context: {} },
];
const questions = [
  { query: 'What does Ana Maria drink?', tags: undefined },
  { query: 'Wo sind die Bücher vom 7. Mai 2023?', tags: { any: ['work'], not: ['old'] } },
  { query: '寿司', tags: undefined },
];
const nowMs = Date.parse('2026-05-01T00:00:00Z');

function cases(primitives: Primitives) {
  const bytes = fromHex(secret);
  return {
    origin,
    namespaces: namespaces.map((namespace) => ({
      namespace,
      tag: toHex(privateNamespaceTag(primitives, fromHex(origin), namespace)),
    })),
    secrets: scopes.map(({ keyEpoch, searchId }) => {
      const tag = privateNamespaceTag(primitives, fromHex(origin), 'diary');
      const scope = { tag, keyEpoch: BigInt(keyEpoch), searchId: fromHex(searchId) };
      const keys = searchKeys(primitives, bytes, scope);
      const key = (purpose: 'words' | 'vectors' | 'context') =>
        toHex(deriveSearchKey(primitives, bytes, scope, purpose));
      const mapped = keys.vectorMap(64).apply(Float32Array.from({ length: 64 }, (_, i) => (i % 7) - 3));
      return {
        secret,
        tag: toHex(tag),
        keyEpoch,
        searchId,
        keys: { words: key('words'), vectors: key('vectors'), context: key('context') },
        words: ['tea', 'garten', '寿司', '☎1234567'].map((term) => [term, toHex(keys.wordToken(term))]),
        context: [
          ['session', 's1'],
          ['speaker', 'ana maria'],
          ['day', '2023-05-07'],
          ['month', '2023-05'],
          ['tag', 'work'],
        ].map(([label, value]) => [label, value, toHex(keys.contextToken(label as 'tag', value!))]),
        /** Of 64 numbers, i mod 7 minus 3 */
        mapped: [...mapped],
        texts: texts.map(({ text, context }) => ({ text, context, index: indexDataOf(keys, text, context) })),
        questions: questions.flatMap(({ query, tags }) =>
          [false, true].map((withRelated) => ({
            query,
            tags,
            withRelated,
            now: new Date(nowMs).toISOString(),
            tokens: questionTokens(keys, query, { withRelated, tags, nowMs }),
          })),
        ),
      };
    }),
  };
}

const { sealed } = JSON.parse(readFileSync(new URL(file, import.meta.url), 'utf8')) as {
  sealed: { envelope: string; privateKey: string; signer: string; searchId: string; wordToken: string };
};

test('the shared vectors are what this client computes', async () => {
  const all = { ...cases(p), sealed };
  await expect(`${JSON.stringify(all, null, 1)}\n`).toMatchFileSnapshot(file);
});

test('JavaScript and OpenSSL compute the same', () => {
  expect(cases(portablePrimitives)).toEqual(cases(p));
});

test('the sealed secret of the vectors opens to its keys', () => {
  const open = opened(fromHex(sealed.envelope));
  expect(toHex(open.signer)).toBe(sealed.signer);
  const keys = chooseSecret(p, [open], open.header.keyEpoch, new Set([sealed.signer]))!;
  expect([keys.searchId, toHex(keys.wordToken('tea'))]).toEqual([sealed.searchId, sealed.wordToken]);
  expect(sealedSecret(writer(1)).envelope.length).toBe(open.header.bodyLength + open.header.headerLength);
});
