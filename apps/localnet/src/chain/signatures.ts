import { createPublicKey, verify } from 'node:crypto';
import { messageWithIntent, type PublicKey, parseSerializedSignature } from '@mysten/sui/cryptography';
import { MultiSigPublicKey } from '@mysten/sui/multisig';
import { publicKeyFromRawBytes, verifyTransactionSignature } from '@mysten/sui/verify';
import { grpcStatus, RequestRefused } from '../execution/failure.ts';
import { blake2b256 } from '../execution/hash.ts';
import type { TransactionData } from '../execution/transaction-data.ts';

/** Schemes that can be verified without an external service. */
const localSchemes = new Set(['ED25519', 'Secp256k1', 'Secp256r1', 'Passkey']);

/**
 * Checks that exactly the sender and, if different, the gas owner signed these bytes. Supports Ed25519, secp256k1,
 * secp256r1, passkeys and multisig of them; rejects zkLogin. Throws `RequestRefused`.
 */
export async function verifySignatures(
  data: TransactionData,
  bytes: Uint8Array,
  signatures: readonly string[],
): Promise<void> {
  const signers = new Set([data.sender, data.gasData.owner]);
  if (signatures.length !== signers.size) {
    throw refused(`expected ${signers.size} signatures, got ${signatures.length}`);
  }
  for (const signature of signatures) {
    const address = signerOf(signature);
    if (!signers.delete(address)) {
      throw refused(`got a signature of ${address}, but expected ${[...signers].join(' and ')}`);
    }
    try {
      if (isGoodEd25519(bytes, signature)) continue;
      await verifyTransactionSignature(bytes, signature, { address });
    } catch {
      throw refused(`signature of ${address} is not valid for this transaction`);
    }
  }
}

/** The bytes before the 32 key bytes in the SubjectPublicKeyInfo of an Ed25519 key (RFC 8410). */
const spkiPrefix = Buffer.from('302a300506032b6570032100', 'hex');

/**
 * Whether OpenSSL accepts an Ed25519 signature of these bytes, which takes 0.1 ms instead of 2 ms in JavaScript.
 * OpenSSL is stricter (RFC 8032 without the cofactor), so `false` does not mean that the signature is invalid.
 * Always `false` for other schemes.
 */
function isGoodEd25519(bytes: Uint8Array, signature: string): boolean {
  const parsed = parseSerializedSignature(signature);
  if (parsed.signatureScheme !== 'ED25519') return false;
  const der = Buffer.concat([spkiPrefix, parsed.publicKey]);
  const key = createPublicKey({ key: der, format: 'der', type: 'spki' });
  const digest = blake2b256(messageWithIntent('TransactionData', bytes));
  return verify(null, digest, key, parsed.signature);
}

/** The address of the signer of a serialized signature. Throws `RequestRefused` if the signature is unreadable. */
export function signerOf(signature: string): string {
  const key = publicKeyOf(signature);
  if (!key) throw refused('unreadable signature, or a scheme that the localnet does not support');
  return key.toSuiAddress();
}

function publicKeyOf(signature: string): PublicKey | undefined {
  try {
    const parsed = parseSerializedSignature(signature);
    if (parsed.signatureScheme === 'MultiSig') return new MultiSigPublicKey(parsed.multisig.multisig_pk);
    if (!localSchemes.has(parsed.signatureScheme)) return undefined;
    return publicKeyFromRawBytes(parsed.signatureScheme, parsed.publicKey);
  } catch {
    return undefined;
  }
}

function refused(message: string): RequestRefused {
  return new RequestRefused(grpcStatus.invalidArgument, `Invalid user signature: ${message}`);
}
