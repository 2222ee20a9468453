import { createChainClient } from '@memrelay/chain/chain-client';
import type { Network } from '@memrelay/protocol/networks';
import type { Logger } from 'pino';
import type { AccountDirectory } from '../accounts/account-directory.ts';
import { createAccountDirectory } from '../accounts/create-account-directory.ts';
import { createExpiredDelegates } from '../accounts/expired-delegates.ts';
import type { AuditLog } from '../audit/audit-log.ts';
import type { Db } from '../base/db/db.ts';
import type { Loggers } from '../base/logging/loggers.ts';
import { type CountLookup, lookupsOf, type Metrics } from '../base/metrics/metrics.ts';
import type { Config } from '../config/config.ts';
import type { WithWallet } from '../jobs/upload/with-wallet.ts';
import type { SidecarClient } from '../sidecar/sidecar-client.ts';
import type { CloseStack } from './close-stack.ts';

/** Creates the account directory. When an account changes, the sidecar drops its decryption sessions for it. */
export async function createAccountParts(
  opened: CloseStack,
  options: {
    config: Config;
    db: Db;
    audit: AuditLog;
    sidecar: SidecarClient;
    loggers: Loggers;
    metrics: Metrics;
  },
) {
  const { config, db, audit, sidecar, loggers, metrics } = options;
  const accounts = opened.add(
    await createAccounts({
      config,
      db,
      audit,
      log: loggers.accounts,
      countLookup: lookupsOf(metrics, 'account'),
    }),
  );
  accounts.onChange((accountId) => {
    sidecar
      .dropSessions(accountId)
      .catch((error: Error) =>
        loggers.sidecar.warn({ err: error }, 'cannot drop the sidecar sessions of a changed account'),
      );
  });
  return {
    accounts,
    /** Removes expired delegates on chain; a wallet of the server pays when there is one. */
    expiredDelegates: (withWallet: WithWallet | undefined) =>
      createExpiredDelegates({
        accounts,
        prune: (accountId) =>
          withWallet
            ? withWallet((wallet) => sidecar.pruneExpired(accountId, wallet))
            : sidecar.pruneExpired(accountId, undefined),
        log: loggers.accounts,
      }),
  };
}

/** Creates the account directory from the configuration. */
async function createAccounts(options: {
  config: { network: Network; chainRpcUrl: string; packageId: string };
  db: Db;
  audit: AuditLog;
  log: Logger;
  countLookup: CountLookup;
}): Promise<AccountDirectory> {
  const { config, ...parts } = options;
  const chain = createChainClient({ network: config.network, baseUrl: config.chainRpcUrl });
  return createAccountDirectory({ chain, packageId: config.packageId, ...parts });
}
