import { rm } from 'node:fs/promises';
import { signInCredentialsPath } from '@memrelay/sdk/save-credentials-node';
import { readStored } from './stored-credentials.ts';

/**
 * Deletes the credential file. Returns what to tell the person; the key on chain stays (relayer.md "Stdio package
 * sign-in").
 */
export async function signOut(): Promise<string> {
  const path = signInCredentialsPath();
  const stored = await readStored();
  if (stored.state === 'absent') return `Nobody was signed in: there is no ${path}.`;
  await rm(path, { force: true });
  if (stored.state === 'unusable') return `Signed out: ${path}, which could not be used, is deleted.`;
  const { delegatePublicKey, accountId } = stored.credentials;
  return [
    `Signed out: ${path} is deleted.`,
    `The delegate key ${delegatePublicKey} stays registered on chain for account ${accountId}: whoever has a copy of it can still use it. To take its access away, the owner revokes it in the dashboard, or runs: npx memrelay delegate revoke ${delegatePublicKey}`,
  ].join('\n');
}
