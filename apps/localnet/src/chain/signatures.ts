import { type PublicKey, parseSerializedSignature } from '@mysten/sui/cryptography';
import { MultiSigPublicKey } from '@mysten/sui/multisig';
import { publicKeyFromRawBytes, verifyTransactionSignature } from '@mysten/sui/verify';
import { grpcStatus, RequestRefused } from './failure.ts';
import type { TransactionData } from './transaction-data.ts';

/** Schemes that can be verified without asking anybody. */
const localSchemes = new Set(['ED25519', 'Secp256k1', 'Secp256r1', 'Passkey']);

/**
 * Checks that exactly the sender and (when another) the gas owner signed these bytes. Ed25519, secp256k1,
 * secp256r1, passkeys and multisig of them; zkLogin is refused. Throws `RequestRefused`.
 */
export async function verifySignatures(
  data: TransactionData,
  bytes: Uint8Array,
  signatures: readonly string[],
): Promise<void> {
  const signers = new Set([data.sender, data.gasData.owner]);
  if (signatures.length !== signers.size) {
    throw refused(`expected ${signers.size} signatures, ${signatures.length} given`);
  }
  for (const signature of signatures) {
    const address = signerOf(signature);
    if (!signers.delete(address)) {
      throw refused(`signature of ${address} given, but needed are those of ${[...signers].join(' and ')}`);
    }
    try {
      await verifyTransactionSignature(bytes, signature, { address });
    } catch {
      throw refused(`signature of ${address} is not valid for this transaction`);
    }
  }
}

/** The address a serialised signature speaks for. Throws `RequestRefused` for one it cannot read. */
export function signerOf(signature: string): string {
  const key = publicKeyOf(signature);
  if (!key) throw refused('signature cannot be read, or is of a scheme that the localnet does not support');
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
