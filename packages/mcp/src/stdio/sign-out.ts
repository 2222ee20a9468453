import { readlink, rm } from 'node:fs/promises';
import { signInCredentialsPath } from '@memrelay/sdk/save-credentials-node';
import { ToolRefusal } from '../tools/tool-refusal.ts';
import { readStored } from './stored-credentials.ts';

/**
 * Deletes the credential file. Returns what to tell the person; the key on chain stays (relayer.md "Stdio package
 * sign-in"). Throws `ToolRefusal` when the file cannot be deleted.
 */
export async function signOut(): Promise<string> {
  const path = signInCredentialsPath();
  const stored = await readStored();
  if (stored.state === 'absent') return `Nobody was signed in: there is no ${path}.`;
  const linked = await readlink(path).catch(() => undefined);
  try {
    await rm(path, { force: true });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new ToolRefusal('not_signed_out', `${path} cannot be deleted (${code}): nobody was signed out.`);
  }
  if (stored.state === 'unusable') return `Signed out: ${path}, which could not be used, is deleted.`;
  const { delegatePublicKey, accountId } = stored.credentials;
  return [
    `Signed out: ${path} is deleted.`,
    // Where it leads may be the file of a local system, which is not this package's to delete.
    ...(linked === undefined
      ? []
      : [`It was a link: the file that it led to, ${linked}, still has the key.`]),
    `The delegate key ${delegatePublicKey} stays registered on chain for account ${accountId}: whoever has a copy of it can still use it. To take its access away, the owner revokes it in the dashboard, or runs: npx memrelay delegate revoke ${delegatePublicKey}`,
  ].join('\n');
}
