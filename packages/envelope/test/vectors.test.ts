import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fromHex, toHex } from '@memrelay/protocol/bytes';
import { describe, expect, it } from 'vitest';
import { checkWrap, type WrapExpectation } from '../src/check-wrap.ts';
import { namespaceTag } from '../src/namespace-tag.ts';
import { nodePrimitives } from '../src/node-primitives.ts';
import { checkHeader, checkIndexRow, openBody } from '../src/open-envelope.ts';
import { paddedLength } from '../src/padme.ts';
import { portablePrimitives } from '../src/portable-primitives.ts';
import type { Primitives } from '../src/primitives.ts';
import { openRecoveryWrap } from '../src/recovery-wrap.ts';
import { refusal } from './fixtures.ts';
import { buildVectors, type Vectors } from './vector-cases.ts';

const vectors = JSON.parse(
  readFileSync(join(import.meta.dirname, '../vectors/envelope-v1.json'), 'utf8'),
) as Vectors;
const wrapExpectation: WrapExpectation = {
  packageId: fromHex(vectors.package_id),
  serverSets: [
    {
      servers: vectors.server_set.servers.map((server) => ({
        ...server,
        objectId: fromHex(server.object_id),
      })),
      threshold: vectors.server_set.threshold,
    },
  ],
};

/** Opens `bytes` using only the published data of `vector`. */
function open(p: Primitives, vector: Vectors['envelopes'][number], bytes: Uint8Array) {
  const envelope = checkHeader(bytes, {
    origin: fromHex(vector.origin),
    tag: fromHex(vector.tag),
    maxEpoch: BigInt(vector.key_epoch),
  });
  checkWrap(envelope, wrapExpectation);
  const opened = openBody(p, envelope, fromHex(vector.recipient_sk), new Set([vector.signer_pk]));
  checkIndexRow(p, envelope, { envelopeId: fromHex(vector.envelope_id), sha256: p.sha256(bytes) });
  return opened;
}

describe.each([
  ['node', nodePrimitives],
  ['portable', portablePrimitives],
] as const)('published vectors on %s primitives', (_, p) => {
  it('are produced by this code', () => {
    expect(JSON.parse(JSON.stringify(buildVectors(p)))).toEqual(vectors);
  });

  it.each(vectors.envelopes)('open: $name', (vector) => {
    const bytes = fromHex(vector.envelope);
    const opened = open(p, vector, bytes);
    expect(opened.text).toBe(vector.text);
    expect(opened.meta).toEqual({ ...vector.meta, ns: vector.namespace });
    expect(opened.header).toMatchObject({
      kind: vector.kind,
      headerLength: vector.header_len,
      bodyLength: vector.body_len,
    });
    expect(toHex(p.sha256(bytes))).toBe(vector.sha256);
    expect(opened.header.wraps.map(({ type, bytes: wrap }) => ({ type, bytes: toHex(wrap) }))).toEqual(
      vector.wraps,
    );
  });

  it.each(vectors.refused)('reject: $name', ({ envelope, reason }) => {
    expect(refusal(() => open(p, vectors.envelopes[0]!, fromHex(envelope)))).toBe(reason);
  });

  it('give the namespace tags, padded lengths and the recovered key', () => {
    for (const { origin, namespace, tag } of vectors.namespace_tags)
      expect(toHex(namespaceTag(p, fromHex(origin), namespace))).toBe(tag);
    for (const [length, padded] of vectors.padded_lengths) expect(paddedLength(length!)).toBe(padded);

    const vector = vectors.envelopes[1]!;
    const { header } = open(p, vector, fromHex(vector.envelope));
    const recovered = openRecoveryWrap(p, header.wraps[1]!, fromHex(vectors.recovery.recovery_sk), header);
    expect(toHex(recovered)).toBe(vector.recipient_sk);
  });
});
