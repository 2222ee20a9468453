import { concatBytes, utf8 } from '@memrelay/envelope/bytes';
import { scryptAsync } from '@noble/hashes/scrypt.js';
import { MemRelayError } from '../wire/errors.ts';

/**
 * The first bytes of a bundle (docs/export-and-import.md, "The file"): `"MRX1" ‖ version 1 ‖ kdf 1 ‖ log2 N ‖ 0 ‖ salt 16`.
 * The key is scrypt (RFC 7914, r = 8, p = 1) of the passphrase in Unicode's form C. It exists only in the client.
 */
export const bundleHeaderLength = 24;

const magic = utf8('MRX1');
const version = 1;
const scryptKdf = 1;
const saltLength = 16;
/** Takes 128 MiB and about one second */
const defaultLogN = 17;
/** Limit for headers written by others: 512 MiB */
const logNs = { min: 10, max: 19 };
const shortestPassphrase = 12;

/** A bundle's header and the key of its records. */
export interface BundleKey {
  header: Uint8Array;
  /** 32 bytes */
  key: Uint8Array;
}

/**
 * A new salt and its key. `logN`: the cost of each passphrase guess, as a power of two (10 to 19). Throws
 * `invalid_argument` for a passphrase below 12 characters.
 */
export async function newBundleKey(passphrase: string, logN: number = defaultLogN): Promise<BundleKey> {
  if ([...passphrase].length < shortestPassphrase || !passphrase.isWellFormed())
    throw new MemRelayError(
      'invalid_argument',
      `passphrase must have at least ${shortestPassphrase} characters, because anyone with the file can try any number of passphrases.`,
    );
  const salt = crypto.getRandomValues(new Uint8Array(saltLength));
  return derive(concatBytes(magic, Uint8Array.of(version, scryptKdf, logN, 0), salt), passphrase);
}

/** The key of a bundle that starts with these bytes. Throws `invalid_bundle`, `unsupported_bundle`. */
export async function bundleKeyOf(header: Uint8Array, passphrase: string): Promise<BundleKey> {
  if (!isBundle(header) || header.length !== bundleHeaderLength)
    throw new MemRelayError('invalid_bundle', 'This is not a memrelay bundle.');
  const [, , , , ofVersion, kdf, logN, zero] = header;
  if (ofVersion !== version || kdf !== scryptKdf || zero !== 0)
    throw new MemRelayError('unsupported_bundle', 'This bundle was written by a newer version.');
  if (logN! < logNs.min || logN! > logNs.max)
    throw new MemRelayError('invalid_bundle', 'The header of the bundle is damaged.');
  return derive(header, passphrase);
}

/** Whether a file that starts with these bytes is a bundle, of any version. */
export function isBundle(start: Uint8Array): boolean {
  return magic.every((byte, i) => start[i] === byte);
}

async function derive(header: Uint8Array, passphrase: string): Promise<BundleKey> {
  const salt = header.slice(-saltLength);
  const options = { N: 2 ** header[6]!, r: 8, p: 1, dkLen: 32 };
  return { header, key: await scryptAsync(utf8(passphrase.normalize('NFC')), salt, options) };
}
