import { storageConfirmationBcs } from '@memrelay/chain/walrus-bcs';
import { createBlsVerifier, type SignedMessage } from '@memrelay/chain/walrus-bls';
import { bls12_381 } from '@noble/curves/bls12-381.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import { MoveAbort } from '../move/native.ts';

/** The network's only storage node, by its secret key of 32 bytes. */
export interface StorageNodeKeys {
  secretKey: Uint8Array;
  /** Compressed G1, 48 bytes */
  publicKey: Uint8Array;
  /** The same point uncompressed, 96 bytes */
  publicKeyUncompressed: Uint8Array;
}

/** Keys from 32 secret bytes, which are reduced to the curve's order. */
export function storageNodeKeys(seedKey: Uint8Array): StorageNodeKeys {
  const scalar = bls12_381.fields.Fr.create(BigInt(`0x${bytesToHex(seedKey)}`));
  const secretKey = bls12_381.fields.Fr.toBytes(scalar);
  const point = bls12_381.longSignatures.getPublicKey(secretKey);
  return { secretKey, publicKey: point.toBytes(true), publicKeyUncompressed: point.toBytes(false) };
}

/** What a certificate says once its signature holds. */
export interface CertifiedBlob {
  epoch: number;
  blobId: bigint;
  /** The blob object that the storage nodes promised to keep; undefined for a permanent blob */
  objectId: string | undefined;
}

/** Abort codes of `bls_aggregate` and `messages`. */
const invalidBitmap = 0;
const badSignature = 1;
const notEnoughStake = 2;
const wrongMessage = { appId: 0, epoch: 1, type: 2, version: 3 } as const;

/**
 * How many good certificates are remembered: one is simulated, then executed, and those of a whole transaction
 * (1024 commands) are checked before its first command.
 */
const remembered = 1024;

/** Checks certificates of a committee with one member. */
export class CertificateVerifier {
  readonly #verify: (signed: readonly SignedMessage[]) => boolean;
  readonly #good = new Set<string>();

  constructor(publicKey: Uint8Array) {
    this.#verify = createBlsVerifier(publicKey);
  }

  /** Throws `MoveAbort` as the contract does: wrong signers, a bad signature, a message of another kind. */
  verify(
    signature: Uint8Array,
    signersBitmap: Uint8Array,
    message: Uint8Array,
    epoch: number,
  ): CertifiedBlob {
    const fail = (code: number) => new MoveAbort(code, 'bls_aggregate', 'verify_certificate');
    if (signersBitmap.some((byte, index) => (index === 0 ? byte > 1 : byte > 0))) throw fail(invalidBitmap);
    if (signersBitmap[0] !== 1) throw fail(notEnoughStake);
    if (!this.#holds({ signature, message })) throw fail(badSignature);
    return readMessage(message, epoch);
  }

  /**
   * Checks certificates together that are about to be verified one by one, which costs half. When one of them is
   * bad, nothing is known about the others, and `verify` finds out.
   */
  prepare(certificates: readonly SignedMessage[]): void {
    const unknown = certificates.filter((certificate) => !this.#good.has(keyOf(certificate)));
    if (unknown.length > 1 && this.#verify(unknown)) unknown.forEach(this.#remember, this);
  }

  #holds(certificate: SignedMessage): boolean {
    if (this.#good.has(keyOf(certificate))) return true;
    if (!this.#verify([certificate])) return false;
    this.#remember(certificate);
    return true;
  }

  #remember(certificate: SignedMessage): void {
    if (this.#good.size >= remembered) this.#good.delete(this.#good.values().next().value!);
    this.#good.add(keyOf(certificate));
  }
}

function keyOf({ signature, message }: SignedMessage): string {
  return `${bytesToHex(signature)} ${bytesToHex(message)}`;
}

function readMessage(message: Uint8Array, epoch: number): CertifiedBlob {
  const fail = (code: number) => new MoveAbort(code, 'messages', 'new_certified_message');
  const [type, version, appId] = message;
  if (appId !== 3) throw fail(wrongMessage.appId);
  if (version !== 0) throw fail(wrongMessage.version);
  if (type !== 1) throw new MoveAbort(wrongMessage.type, 'messages', 'certify_blob_message');
  let decoded: typeof storageConfirmationBcs.$inferType;
  try {
    decoded = storageConfirmationBcs.parse(message);
  } catch {
    throw new MoveAbort(wrongMessage.type, 'messages', 'certify_blob_message');
  }
  if (decoded.epoch !== epoch)
    throw new MoveAbort(wrongMessage.epoch, 'bls_aggregate', 'verify_quorum_in_epoch');
  const objectId = decoded.persistence.Deletable?.object_id;
  return { epoch: decoded.epoch, blobId: BigInt(decoded.blob_id), objectId };
}
