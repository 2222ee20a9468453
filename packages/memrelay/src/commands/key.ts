import type { Output } from '../output.ts';
import { confirm } from '../owner/confirm.ts';
import { connectAccount, type OwnerOptions } from '../owner/connect-owner.ts';
import { networkFacts, signAndTell } from './account.ts';

/** Begins a new key epoch. */
export async function rotateKey(
  output: Output,
  options: OwnerOptions,
  environment: NodeJS.ProcessEnv,
): Promise<void> {
  const { owner, accountId } = await connectAccount(options, environment);
  const { key_epoch } = await owner.readAccount(accountId);
  const facts: [string, string][] = [
    ...networkFacts(owner),
    ['Account', accountId],
    ['Key epoch', `${key_epoch} → ${key_epoch + 1n}`],
  ];
  await confirm(output, 'Begin a new key epoch', facts, options.yes);
  await signAndTell(output, () => owner.rotateKeyEpoch(accountId), { account_id: accountId });
  output.line('What is stored from now on is sealed under new keys. What was stored before stays as it is.');
}
