import { readlink, rm } from 'node:fs/promises';
import { signInCredentialsPath } from '@memrelay/sdk/save-credentials-node';
import { ToolRefusal } from '../tools/tool-refusal.ts';
import { readStored } from './stored-credentials.ts';

/**
 * Deletes the credential file and returns a message for the user. The key stays registered on chain (relayer.md "Stdio
 * package sign-in"). Throws `ToolRefusal` if the file cannot be deleted.
 */
export async function signOut(): Promise<string> {
  const path = signInCredentialsPath();
  const stored = await readStored();
  if (stored.state === 'absent') return `No one was signed in: ${path} does not exist.`;
  const linked = await readlink(path).catch(() => undefined);
  try {
    await rm(path, { force: true });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new ToolRefusal(
      'not_signed_out',
      `${path} cannot be deleted (${code}), so you are still signed in.`,
    );
  }
  if (stored.state === 'unusable') return `Signed out: the unusable file ${path} was deleted.`;
  const { delegatePublicKey, accountId } = stored.credentials;
  return [
    `Signed out: ${path} was deleted.`,
    // The link's target may belong to a local system, so this package must not delete it.
    ...(linked === undefined ? [] : [`It was a link: its target ${linked} still contains the key.`]),
    `The delegate key ${delegatePublicKey} stays registered on chain for account ${accountId}: anyone with a copy of it can still use it. To remove its access, the owner revokes it in the dashboard or runs: npx memrelay delegate revoke ${delegatePublicKey}`,
  ].join('\n');
}
