import { createBlsVerifier, type SignedMessage } from '@memrelay/chain/walrus-bls';
import { isQuorum, type StorageCommittee } from '@memrelay/chain/walrus-committee';
import { toHex } from '@memrelay/protocol/bytes';
import { BcsReader } from '@mysten/bcs';
import { bls12_381 } from '@noble/curves/bls12-381.js';
import { LRUCache } from 'lru-cache';
import { MoveAbort } from '../execution/native.ts';

/** The content of a certificate, once its signature is verified. */
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
/** Length of type, version and application (one byte each) and the epoch */
const headerBytes = 7;
const blobIdBytes = 32;
const addressBytes = 32;

/**
 * Number of valid certificates that are remembered. A certificate is checked in the simulation and in the
 * execution, and those of a transaction (up to 1024 commands) are checked before its first command.
 */
const remembered = 1024;

type Verify = (signed: readonly SignedMessage[]) => boolean;

/** A certificate as a transaction passes it. */
export interface SignedCertificate extends SignedMessage {
  /** One bit per member of the committee */
  signers: Uint8Array;
}

/** Number of signer sets whose aggregated key is cached. Most certificates have all members as signers. */
const rememberedSigners = 64;

/** Checks certificates of a committee. */
export class CertificateVerifier {
  readonly #committee: StorageCommittee;
  /** By the signers' bitmap in hex */
  readonly #verifiers = new LRUCache<string, Verify>({ max: rememberedSigners });
  readonly #good = new Set<string>();

  constructor(committee: StorageCommittee) {
    this.#committee = committee;
  }

  /** Throws `MoveAbort` as the contract does: wrong signers, a bad signature, a message of another kind. */
  verify(certificate: SignedCertificate, epoch: number): CertifiedBlob {
    const fail = (code: number) => new MoveAbort(code, 'bls_aggregate', 'verify_certificate_and_weight');
    const { members, nShards } = this.#committee;
    const { signers } = certificate;
    if (signers.length !== Math.ceil(members.length / 8)) throw fail(invalidBitmap);
    const isMember = (bit: number) => bit < members.length;
    if (!bitsOf(signers).every(isMember)) throw fail(invalidBitmap);
    const weight = bitsOf(signers).reduce((sum, index) => sum + members[index]!.shards.length, 0);
    if (!isQuorum(weight, nShards)) throw fail(notEnoughStake);
    if (!this.#holds(certificate)) throw fail(badSignature);
    return readMessage(certificate.message, epoch);
  }

  /**
   * Checks several certificates of all members together, before each is passed to `verify`; this halves the cost.
   * If one is invalid, none is remembered, and `verify` checks each of them.
   */
  prepare(certificates: readonly SignedCertificate[]): void {
    const { bitmap } = this.#committee;
    const unknown = certificates.filter(
      (certificate) => Buffer.from(bitmap).equals(certificate.signers) && !this.#good.has(keyOf(certificate)),
    );
    if (unknown.length > 1 && this.#verifierOf(bitmap)(unknown)) unknown.forEach(this.#remember, this);
  }

  #holds(certificate: SignedCertificate): boolean {
    if (this.#good.has(keyOf(certificate))) return true;
    if (!this.#verifierOf(certificate.signers)([certificate])) return false;
    this.#remember(certificate);
    return true;
  }

  /** The check for signatures by the members with these bits. At least one bit must be set. */
  #verifierOf(signers: Uint8Array): Verify {
    const name = toHex(signers);
    const known = this.#verifiers.get(name);
    if (known !== undefined) return known;
    const points = bitsOf(signers).map((index) =>
      bls12_381.G1.Point.fromBytes(this.#committee.members[index]!.publicKey),
    );
    const verify = createBlsVerifier(points.reduce((sum, point) => sum.add(point)).toBytes(true));
    this.#verifiers.set(name, verify);
    return verify;
  }

  #remember(certificate: SignedCertificate): void {
    if (this.#good.size >= remembered) this.#good.delete(this.#good.values().next().value!);
    this.#good.add(keyOf(certificate));
  }
}

/** Positions of the set bits, ascending. */
function bitsOf(bitmap: Uint8Array): number[] {
  return Array.from({ length: 8 * bitmap.length }, (_, bit) => bit).filter(
    (bit) => (bitmap[bit >> 3]! >> (bit & 7)) & 1,
  );
}

function keyOf({ signature, signers, message }: SignedCertificate): string {
  return [signature, signers, message].map((bytes) => toHex(bytes)).join(' ');
}

/** Parses a message like `messages`. Bytes after the known fields are allowed, for later versions. */
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
  // 2 means a blob of a blob manager, which this network does not support.
  if (persistence !== 1) throw fail(wrongMessage.persistence, 'peel_blob_persistence_type');
  peelable(message, headerBytes + blobIdBytes + 1 + addressBytes);
  return { blobId, objectId: `0x${toHex(reader.readBytes(addressBytes))}` };
}

/** Aborts as `sui::bcs` does when fewer bytes are left than requested. */
function peelable(message: Uint8Array, length: number): Uint8Array {
  if (message.length < length) throw new MoveAbort(outOfRange, '0x2::bcs', 'peel_u8');
  return message;
}
