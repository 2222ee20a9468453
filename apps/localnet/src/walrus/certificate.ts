import { storageConfirmationBcs } from '@memrelay/chain/walrus-bcs';
import { bls12_381 } from '@noble/curves/bls12-381.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import { blake2b256 } from '../chain/hash.ts';
import { MoveAbort } from '../move/native.ts';

/** Public keys in G1, signatures in G2, as Walrus' `bls12381_min_pk_verify`. */
const scheme = bls12_381.longSignatures;

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
  const point = scheme.getPublicKey(secretKey);
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

/** A pairing costs 25 ms: a certificate is simulated, then executed, so the last good ones are remembered. */
const remembered = 512;

/** Checks certificates of a committee with one member. */
export class CertificateVerifier {
  readonly #publicKey: Uint8Array;
  readonly #good = new Set<string>();

  constructor(publicKey: Uint8Array) {
    this.#publicKey = publicKey;
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
    if (!this.#holds(signature, message)) throw fail(badSignature);
    return readMessage(message, epoch);
  }

  #holds(signature: Uint8Array, message: Uint8Array): boolean {
    const key = bytesToHex(blake2b256(signature, message));
    if (this.#good.has(key)) return true;
    try {
      if (!scheme.verify(signature, scheme.hash(message), this.#publicKey)) return false;
    } catch {
      // Not a point of the curve.
      return false;
    }
    if (this.#good.size >= remembered) this.#good.delete(this.#good.values().next().value!);
    this.#good.add(key);
    return true;
  }
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

/** Signs a storage confirmation, as the storage node does. */
export function signConfirmation(secretKey: Uint8Array, message: Uint8Array): Uint8Array {
  return scheme.sign(scheme.hash(message), secretKey).toBytes(true);
}
