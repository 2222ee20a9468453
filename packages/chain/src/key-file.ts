import { anyCaseHex32Pattern, fromHex } from '@memrelay/protocol/bytes';
import { decodeSuiPrivateKey } from '@mysten/sui/cryptography';
import { Ed25519Keypair } from '@mysten/sui/keypairs/ed25519';

/** The text is not a private key. The message never repeats the text. */
export class KeyFormatError extends Error {
  override name = 'KeyFormatError';
}

/**
 * The Ed25519 key pair of a private key written as `suiprivkey1…` or as 64 hex digits of its seed (decisions.md,
 * "Authentication"); white space around it is ignored. Throws `KeyFormatError`.
 */
export function parsePrivateKey(text: string): Ed25519Keypair {
  return Ed25519Keypair.fromSecretKey(parseSeed(text.trim()));
}

/** The chain address of a private key. Throws `KeyFormatError`. */
export function addressOfPrivateKey(text: string): string {
  return parsePrivateKey(text).toSuiAddress();
}

function parseSeed(text: string): Uint8Array {
  if (anyCaseHex32Pattern.test(text)) return fromHex(text);
  let decoded: ReturnType<typeof decodeSuiPrivateKey>;
  try {
    decoded = decodeSuiPrivateKey(text);
  } catch {
    // Without the cause, which may quote the key
    throw new KeyFormatError('a private key is suiprivkey1… or 64 hex digits');
  }
  if (decoded.scheme !== 'ED25519') throw new KeyFormatError('a private key must be of the scheme Ed25519');
  return decoded.secretKey;
}
