import { randomUUID } from 'node:crypto';
import { newEnvelopeId } from '@memrelay/envelope/envelope-id';
import { parseHeader } from '@memrelay/envelope/header';
import { nodePrimitives as p } from '@memrelay/envelope/node-primitives';
import { openWithSecret } from '@memrelay/envelope/open-envelope';
import { sealRecoveryWrap } from '@memrelay/envelope/recovery-wrap';
import { sealEnvelope } from '@memrelay/envelope/seal-envelope';
import type { ExportResponse, ImportRequest, ImportResponse } from '@memrelay/protocol/bundles';
import type { ExportClient } from '../src/bundle/export-bundle.ts';
import type { ImportClient } from '../src/bundle/import-bundle.ts';

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

/**
 * A relayer's responses to an export, with real envelopes under two keys, and the decrypted requests of an import.
 */
export function bundleSource(options: {
  memories: number;
  perPage: number;
  /** Positions of an envelope that does not open, and of one whose signer is not trusted */
  damaged?: number;
  unsigned?: number;
}) {
  const namespace = 'journey-notes';
  const origin = p.randomBytes(32);
  const signer = p.randomBytes(32);
  const privateKeys = [p.randomBytes(32), p.randomBytes(32)];
  const memories = Array.from({ length: options.memories }, (_, i) => {
    const privateKey = privateKeys[i % 2]!;
    const text = `memory number ${i}`;
    const bytes = sealEnvelope(p, {
      kind: 1,
      origin,
      namespace,
      keyEpoch: BigInt(i % 2),
      envelopeId: newEnvelopeId(p),
      recipientPk: p.x25519PublicKey(privateKey),
      wraps: [{ type: 9, bytes: Uint8Array.of(1) }],
      meta: { created_at: '2026-02-01T12:00:00Z' },
      text,
      signer: i === options.unsigned ? p.randomBytes(32) : signer,
    });
    if (i === options.damaged) bytes[bytes.length - 1]! ^= 1;
    const vector = Buffer.from(Float32Array.of(i, 0.5, -i).buffer).toString('base64');
    return { id: randomUUID(), text, bytes, vector, privateKey };
  });

  const client: ExportClient = {
    accountId: `0x${'ab'.repeat(32)}`,
    async exportPage({ cursor, recipient_pk }): Promise<ExportResponse> {
      const from = Number(cursor ?? 0);
      const page = memories.slice(from, from + options.perPage);
      const sealed = page.map(({ bytes, privateKey }) => {
        const { identity, recipientPk } = parseHeader(bytes, bytes.length);
        const wrap = sealRecoveryWrap(
          p,
          Buffer.from(recipient_pk, 'hex'),
          { identity, recipientPk },
          privateKey,
        );
        return { recipient_pk: hex(recipientPk), sealed: Buffer.from(wrap.bytes).toString('base64') };
      });
      const next = from + page.length;
      return {
        memories: page.map(({ id, bytes, vector }) => ({
          id,
          namespace,
          created_at: '2026-02-01T12:00:00.000Z',
          importance: 0.5,
          envelope: Buffer.from(bytes).toString('base64'),
          vectors: { model: 'some-model', values: [vector] },
        })),
        keys: sealed,
        failed: [],
        trusted_writers: [hex(p.ed25519PublicKey(signer))],
        ...(next < memories.length ? { next_cursor: String(next) } : {}),
      };
    },
  };

  return {
    namespace,
    privateKeys,
    writer: hex(p.ed25519PublicKey(signer)),
    ids: memories.map(({ id }) => id),
    texts: memories.map(({ text }) => text),
    vectors: memories.map(({ vector }) => vector),
    client,
    /** A relayer that accepts everything and records its requests. */
    importing() {
      const requests: ImportRequest[] = [];
      const items = () => requests.flatMap((request) => request.memories);
      const importing: ImportClient = {
        async importPage(request): Promise<ImportResponse> {
          requests.push(request);
          const results = request.memories.map(() => ({ status: 'running' as const, job_id: randomUUID() }));
          return { results, job_ids: results.map(({ job_id }) => job_id), owner: '0x1' };
        },
      };
      return {
        client: importing,
        requests,
        texts: () =>
          items().map(({ envelope, secret }) => {
            const bytes = new Uint8Array(Buffer.from(envelope, 'base64'));
            const header = parseHeader(bytes, bytes.length);
            return openWithSecret(p, { header, bytes }, Buffer.from(secret, 'hex'), () => true).text;
          }),
        vectors: () => items().map(({ vectors }) => vectors!.values[0]),
      };
    },
  };
}
