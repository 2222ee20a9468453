import { newEnvelopeId } from '@memrelay/envelope/envelope-id';
import { type EnvelopeHeader, envelopeKind } from '@memrelay/envelope/header';
import { nodePrimitives } from '@memrelay/envelope/node-primitives';
import { sealEnvelope } from '@memrelay/envelope/seal-envelope';

/**
 * A memory sealed to the key of the envelope with this header and signed with `signer` (32 bytes). The header
 * contains everything needed to seal one. `namespace` must be the one that the header's tag belongs to.
 */
export function sealedLike(
  header: EnvelopeHeader,
  {
    namespace,
    text,
    signer,
    supersedes,
  }: { namespace: string; text: string; signer: Uint8Array; supersedes?: string[] },
): Buffer {
  return Buffer.from(
    sealEnvelope(nodePrimitives, {
      kind: envelopeKind.memory,
      origin: header.origin,
      namespace,
      keyEpoch: header.keyEpoch,
      envelopeId: newEnvelopeId(nodePrimitives),
      recipientPk: header.recipientPk,
      wraps: header.wraps,
      meta: { created_at: new Date().toISOString(), ...(supersedes ? { supersedes } : {}) },
      text,
      signer,
    }),
  );
}
