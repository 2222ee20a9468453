import { join } from 'node:path';
import { delegateAddress } from '@memrelay/chain/delegate-key';
import { nodePrimitives } from '@memrelay/envelope/node-primitives';
import { addressPattern } from '@memrelay/protocol/address';
import { anyCaseHex32Pattern, fromHex, toHex } from '@memrelay/protocol/bytes';
import { readPrivateFile } from '@memrelay/sdk/credentials-node';
import { homeDirectory } from '@memrelay/sdk/data-dir-node';
import { MemRelayError } from '@memrelay/sdk/errors';
import { z } from 'zod';
import { SignInError } from './sign-in-error.ts';

const text = (pattern: RegExp, expected: string) => z.string(expected).regex(pattern, expected);
const hex32 = text(anyCaseHex32Pattern, 'must be 64 hex characters');
const objectId = text(addressPattern, 'must be 0x and 64 hex characters').toLowerCase();

/** The credential file of MemWal's clients, version 1. */
const fileSchema = z.object({
  version: z.literal(1, 'must be 1: files of another version cannot be imported'),
  delegatePrivateKey: hex32,
  delegatePublicKeyHex: hex32,
  delegateAddress: objectId,
  walletAddress: objectId,
  accountId: objectId,
  packageId: objectId,
  relayerUrl: z.url({ protocol: /^https?$/, error: 'must be an http or https URL' }),
  label: z.string('must be text'),
  createdAt: z.iso.datetime({ offset: true, error: 'must be an RFC 3339 time' }),
});

export type OriginalCredentials = z.infer<typeof fileSchema>;

export function originalCredentialsPath(home: string = homeDirectory()): string {
  return join(home, '.memwal', 'credentials.json');
}

/**
 * Reads the credentials of MemWal's clients without changing the file. Throws `SignInError` `invalid_credentials` if the
 * file is missing, readable by others, or has an invalid field. Messages never contain a value from the file.
 */
export async function readOriginalCredentials(path: string): Promise<OriginalCredentials> {
  const text = await privateText(path);
  if (text === undefined) throw invalid(`${path} does not exist, so there is nothing to import.`);
  const parsed = fileSchema.safeParse(parseJson(text, path));
  if (!parsed.success) {
    const problems = parsed.error.issues.map(({ path: field, message }) =>
      field.length === 0 ? 'it must contain a JSON object' : `${field.join('.')} ${message}`,
    );
    throw invalid(`${path} cannot be imported: ${problems.join('; ')}.`);
  }
  const publicKey = nodePrimitives.ed25519PublicKey(fromHex(parsed.data.delegatePrivateKey));
  if (toHex(publicKey) !== parsed.data.delegatePublicKeyHex.toLowerCase())
    throw invalid(`${path} cannot be imported: delegatePrivateKey and delegatePublicKeyHex do not match.`);
  if (delegateAddress(publicKey) !== parsed.data.delegateAddress)
    throw invalid(`${path} cannot be imported: delegateAddress is not the address of the key.`);
  return parsed.data;
}

async function privateText(path: string): Promise<string | undefined> {
  try {
    return await readPrivateFile(path, false);
  } catch (error) {
    throw error instanceof MemRelayError ? invalid(error.message) : error;
  }
}

function parseJson(text: string, path: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Without the parser's message, which quotes the text with the key
    throw invalid(`${path} cannot be imported: it is not valid JSON.`);
  }
}

function invalid(message: string): SignInError {
  return new SignInError('invalid_credentials', message);
}
