import { createChainClient } from '@memrelay/chain/chain-client';
import type { Network } from '@memrelay/protocol/networks';
import type { Logger } from 'pino';
import type { Db } from '../base/db/db.ts';
import type { AccountDirectory } from './account-directory.ts';
import { createAccountDirectory } from './create-account-directory.ts';

/** The account directory as the configuration asks for it. */
export async function createAccounts(options: {
  config: { network: Network; chainRpcUrl: string; packageId: string };
  db: Db;
  log: Logger;
}): Promise<AccountDirectory> {
  const { config, db, log } = options;
  const chain = createChainClient({ network: config.network, baseUrl: config.chainRpcUrl });
  return createAccountDirectory({ chain, packageId: config.packageId, db, log });
}
