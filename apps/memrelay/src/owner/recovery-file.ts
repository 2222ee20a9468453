import { access } from 'node:fs/promises';
import { anyCaseHex32Pattern } from '@memrelay/protocol/bytes';
import { writeSecretFile } from '@memrelay/protocol/secret-file-node';
import { type RecoveryKey, recoveryKey } from '@memrelay/sdk/account/recovery';
import { ExitError, exitCodes } from '../terminal/exit-codes.ts';
import { readText } from '../terminal/read-text.ts';

/**
 * Creates a recovery key and writes it as 64 hex digits, readable only by the file's owner. Throws `ExitError` if
 * `path` exists.
 */
export async function newRecoveryFile(path: string): Promise<RecoveryKey> {
  const taken = await access(path).then(
    () => true,
    () => false,
  );
  if (taken) throw new ExitError(exitCodes.usage, `${path} already exists: name another file.`);
  const key = recoveryKey();
  await writeSecretFile(path, `${Buffer.from(key.privateKey).toString('hex')}\n`);
  return key;
}

/** Reads a recovery key. Throws `ExitError` if the file contains none. */
export async function readRecoveryFile(path: string): Promise<RecoveryKey> {
  const text = (await readText(path)).trim();
  if (!anyCaseHex32Pattern.test(text))
    throw new ExitError(exitCodes.usage, `${path} holds no recovery key (64 hex digits).`);
  return recoveryKey(Buffer.from(text, 'hex'));
}
