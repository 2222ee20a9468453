import { encodeContent, padBody, plaintextLength, signedMessage } from './body.ts';
import { concatBytes, utf8 } from './bytes.ts';
import { buildHeader, type EnvelopeKind, envelopeKind, gcmTagLength } from './header.ts';
import { hpkeSender } from './hpke.ts';
import type { EnvelopeMeta } from './meta.ts';
import { namespaceTag, privateNamespaceTag } from './namespace-tag.ts';
import type { Primitives } from './primitives.ts';
import type { Wrap } from './wraps.ts';

export const envelopeInfo = utf8('memrelay-envelope-v1');

export interface SealInput {
  kind: EnvelopeKind;
  /** The account's creating address, 32 bytes */
  origin: Uint8Array;
  namespace: string;
  keyEpoch: bigint;
  /** 16 bytes, see `newEnvelopeId` */
  envelopeId: Uint8Array;
  /** Public half of the (account, tag, epoch, server set) pair */
  recipientPk: Uint8Array;
  /** 1 to 4 wraps of the private half */
  wraps: readonly Wrap[];
  /** `ns` is filled in from `namespace` */
  meta: Omit<EnvelopeMeta, 'ns'>;
  text: string;
  /** The writer's Ed25519 private key, 32 bytes */
  signer: Uint8Array;
}

/**
 * Creates an envelope with a fresh HPKE encapsulation. The writer's key is the only secret it needs. Throws `RangeError` if
 * an argument violates its rule or the envelope would exceed 1.5 MiB; a text of 1 MiB always fits.
 */
export function sealEnvelope(p: Primitives, input: SealInput): Uint8Array {
  if (input.kind === envelopeKind.searchSecret && !input.meta.private)
    throw new RangeError('a search secret belongs to a private namespace');
  const tagOf = input.meta.private ? privateNamespaceTag : namespaceTag;
  const tag = tagOf(p, input.origin, input.namespace);
  const meta: EnvelopeMeta = { ...input.meta, ns: input.namespace };
  const content = encodeContent(meta, input.text, p.ed25519PublicKey(input.signer));
  const sender = hpkeSender(p, input.recipientPk, envelopeInfo);
  const header = buildHeader({
    kind: input.kind,
    origin: input.origin,
    tag,
    keyEpoch: input.keyEpoch,
    envelopeId: input.envelopeId,
    recipientPk: input.recipientPk,
    enc: sender.enc,
    wraps: input.wraps,
    bodyLength: plaintextLength(content.length) + gcmTagLength,
  });
  const signature = p.ed25519Sign(input.signer, signedMessage(p, header, content));
  return concatBytes(header, sender.seal(header, padBody(content, signature)));
}
