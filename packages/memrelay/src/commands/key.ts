import type { Output } from '../output.ts';
import { confirm } from '../owner/confirm.ts';
import { connectOwner, type OwnerOptions } from '../owner/connect-owner.ts';
import { networkFacts, tell } from './account.ts';

/** Begins a new key epoch. */
export async function rotateKey(
  output: Output,
  options: OwnerOptions,
  environment: NodeJS.ProcessEnv,
): Promise<void> {
  const connected = await connectOwner(options, environment);
  const { owner } = connected;
  const accountId = await connected.accountId();
  const { key_epoch } = await owner.readAccount(accountId);
  const facts: [string, string][] = [
    ...networkFacts(owner),
    ['Account', accountId],
    ['Key epoch', `${key_epoch} → ${key_epoch + 1n}`],
  ];
  await confirm(output, 'Begin a new key epoch', facts, options.yes);
  output.step('Signing and waiting for the chain');
  const done = await owner.rotateKeyEpoch(accountId);
  output.done();
  tell(output, done, { account_id: accountId });
  output.line('What is stored from now on is sealed under new keys. What was stored before stays as it is.');
}
