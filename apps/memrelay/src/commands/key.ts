import { confirm } from '../owner/confirm.ts';
import { connectAccount, type OwnerOptions } from '../owner/connect-owner.ts';
import { newRecoveryFile } from '../owner/recovery-file.ts';
import type { Output } from '../terminal/output.ts';
import { hex, networkFacts, signAndReport } from './account.ts';

/** Starts a new key epoch. */
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
  await signAndReport(output, () => owner.rotateKeyEpoch(accountId), { account_id: accountId });
  output.line('Memories stored from now on are sealed under new keys. Existing memories are unchanged.');
}

export interface RecoveryOptions extends OwnerOptions {
  /** File for the new key */
  out: string;
}

/** Creates a recovery key, writes it to a file, and registers it so that all later data keys are wrapped for it. */
export async function addRecoveryKey(
  output: Output,
  options: RecoveryOptions,
  environment: NodeJS.ProcessEnv,
): Promise<void> {
  const { owner, accountId } = await connectAccount(options, environment);
  const { recovery_pk, key_epoch } = await owner.readAccount(accountId);
  const facts: [string, string][] = [
    ...networkFacts(owner),
    ['Account', accountId],
    [
      'Recovery key',
      `a new one in ${options.out}${recovery_pk.length > 0 ? ', instead of the current one' : ''}`,
    ],
    ['Key epoch', `${key_epoch} → ${key_epoch + 1n}`],
  ];
  await confirm(output, 'Give this account a recovery key', facts, options.yes);
  // Written before the key is on chain: anything wrapped for a key that no one holds would be lost
  const { publicKey } = await newRecoveryFile(options.out);
  await signAndReport(
    output,
    async () => {
      const done = await owner.setRecoveryKey(accountId, publicKey);
      // Replacing a key starts a new epoch automatically. For the first key, rotate too, or it would not protect
      // anything yet
      return recovery_pk.length > 0 ? done : owner.rotateKeyEpoch(accountId);
    },
    { account_id: accountId, recovery_pk: hex(publicKey), recovery_key_path: options.out },
  );
  output.line(
    `Memories stored from now on can be opened with ${options.out} alone, even without the key servers. Do not keep it on this machine.`,
  );
}
