import { createBlsVerifier, type SignedMessage } from '@memrelay/chain/walrus-bls';
import { BcsReader } from '@mysten/bcs';
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
  blobId: bigint;
  /** The blob object that the storage nodes promised to keep; undefined for a permanent blob */
  objectId: string | undefined;
}

/** Abort codes of `bls_aggregate` and `messages`. */
const invalidBitmap = 0;
const badSignature = 1;
const notEnoughStake = 2;
const wrongMessage = { appId: 0, epoch: 1, type: 2, version: 3, persistence: 4 } as const;
/** Abort code of `sui::bcs`. */
const outOfRange = 0;
/** Type, version and application, one byte each, and the epoch */
const headerBytes = 7;
const blobIdBytes = 32;
const addressBytes = 32;

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
    const fail = (code: number) => new MoveAbort(code, 'bls_aggregate', 'verify_certificate_and_weight');
    // One byte holds a committee of one.
    const [signers, ...excess] = signersBitmap;
    if (signers === undefined || signers > 1 || excess.length > 0) throw fail(invalidBitmap);
    if (signers !== 1) throw fail(notEnoughStake);
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

/** Reads a message as `messages` does: what follows a certificate's fields is left for later versions. */
function readMessage(message: Uint8Array, epoch: number): CertifiedBlob {
  const fail = (code: number, functionName = 'new_certified_message') =>
    new MoveAbort(code, 'messages', functionName);
  const reader = new BcsReader(peelable(message, headerBytes));
  const type = reader.read8();
  if (reader.read8() !== 0) throw fail(wrongMessage.version);
  if (reader.read8() !== 3) throw fail(wrongMessage.appId);
  const certifiedEpoch = reader.read32();
  if (certifiedEpoch !== epoch) throw fail(wrongMessage.epoch);
  if (type !== 1) throw fail(wrongMessage.type, 'certify_blob_message');
  peelable(message, headerBytes + blobIdBytes + 1);
  const blobId = BigInt(reader.read256());
  const persistence = reader.read8();
  if (persistence === 0) return { blobId, objectId: undefined };
  // 2 stands for a blob of a blob manager, which this network does not have.
  if (persistence !== 1) throw fail(wrongMessage.persistence, 'peel_blob_persistence_type');
  peelable(message, headerBytes + blobIdBytes + 1 + addressBytes);
  return { blobId, objectId: `0x${bytesToHex(reader.readBytes(addressBytes))}` };
}

/** Aborts as `sui::bcs` does when fewer bytes are left than are asked for. */
function peelable(message: Uint8Array, length: number): Uint8Array {
  if (message.length < length) throw new MoveAbort(outOfRange, '0x2::bcs', 'peel_u8');
  return message;
}
