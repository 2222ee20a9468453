import { rotateKeyEpoch } from '@memrelay/chain/account-transactions';
import { createChainClient } from '@memrelay/chain/chain-client';
import { executeTransaction } from '@memrelay/chain/execute-transaction';
import { parsePrivateKey } from '@memrelay/chain/key-file';
import type { MemRelay } from '@memrelay/sdk/mem-relay';
import { sentence } from '../base/sentences.ts';
import type { BenchSystem } from '../system/memrelay-system.ts';

/** One wording of the facts `from` to `to − 1`. Returns the job ids, accepted and not yet embedded. */
export async function rememberTelling(
  memrelay: MemRelay,
  namespace: string,
  facts: { from: number; to: number },
  telling: number,
): Promise<string[]> {
  const items = Array.from({ length: facts.to - facts.from }, (_, i) => ({
    text: sentence(facts.from + i, telling),
    namespace,
  }));
  return (await memrelay.rememberBulk(items)).jobIds;
}

/** Starts a new key epoch, so that later memories are sealed to a new key pair; waits until the relayer knows it. */
export async function newKeyPair(system: BenchSystem, memrelay: MemRelay): Promise<void> {
  const { packageId, accountId } = system.credentials;
  const before = (await memrelay.account()).keyEpoch;
  const chain = createChainClient({ network: 'localnet', baseUrl: system.chainUrl });
  await executeTransaction(chain, rotateKeyEpoch(packageId, accountId), parsePrivateKey(system.walletKey));
  while ((await memrelay.account()).keyEpoch === before)
    await new Promise((resolve) => setTimeout(resolve, 100));
}
