import { credentialPaths, loadCredentials } from '@memrelay/sdk/credentials-node';
import { MemRelay } from '@memrelay/sdk/mem-relay';
import type { ConnectOptions } from '../client/connect.ts';
import { embedderText } from '../client/embedder-text.ts';
import { scopeText } from '../client/scope-text.ts';
import { recallAny, storeAndRecall } from '../client/self-check.ts';
import { duration } from '../terminal/durations.ts';
import { type ExitError, exitCodes } from '../terminal/exit-codes.ts';
import { explain } from '../terminal/explain-error.ts';
import { type Check, type Finding, failed, ok, type SystemFacts, skipped, warning } from './check.ts';

/** A delegate key that expires sooner than this causes a warning. */
const soonMs = 7 * 24 * 3600 * 1000;

export function credentials(options: ConnectOptions, found: SystemFacts): Check {
  return {
    name: 'Credentials',
    async run() {
      const looked = options.credentials ?? credentialPaths().join(' or ');
      try {
        const file = await loadCredentials(options.credentials);
        found.serverUrl = options.server ?? file.relayerUrl;
        found.client = MemRelay.fromCredentials(file, { serverUrl: found.serverUrl, deadlineMs: 15_000 });
        return ok(
          `"${file.label}" for account ${short(file.accountId)}, made ${file.createdAt.slice(0, 10)}`,
        );
      } catch (error) {
        // The server can be checked without them.
        if (options.server) found.serverUrl = options.server;
        return failed(
          explained(error).message,
          `a good file at ${looked}, not open to others`,
          exitCodes.denied,
        );
      }
    },
  };
}

export function accepted(found: SystemFacts): Check {
  return {
    name: 'Credentials accepted',
    async run() {
      if (!found.client || !found.health) return skipped(missing(found));
      const account = await attempt(
        () => found.client!.account(),
        'if this is the key of the local system, restart that: it creates a new one. Otherwise sign in again, or ask the owner to add the key',
      );
      if ('state' in account) return account;
      found.account = account;
      if (!account.active)
        return failed(
          'the account is deactivated',
          'its owner can switch it on: npx memrelay account reactivate',
          exitCodes.denied,
        );
      return ok(
        `account ${short(account.accountId)}, owner ${short(account.owner)}, key epoch ${account.keyEpoch}`,
      );
    },
  };
}

export function scope(found: SystemFacts): Check {
  return {
    name: 'Scope of the key',
    run() {
      if (!found.account) return skipped('the account could not be read');
      const { delegate } = found.account;
      const text = scopeText(found.account);
      const left = delegate.expiresAt === undefined ? undefined : Date.parse(delegate.expiresAt) - Date.now();
      if (left !== undefined && left < soonMs)
        return warning(`${text}: the key ends in ${duration(left)}`, 'ask the owner for a new key in time');
      if (delegate.scope.perms.length === 0)
        return failed(
          `${text}: the key may do nothing`,
          'ask the owner for a key with a scope',
          exitCodes.denied,
        );
      return ok(text);
    },
  };
}

export function pinnedPackage(found: SystemFacts): Check {
  return {
    name: 'Package',
    async run() {
      if (!found.client || !found.health) return skipped(missing(found));
      const config = await attempt(
        () => found.client!.config(),
        'check --server; if the relayer has really moved to another package, sign in again',
      );
      return 'state' in config
        ? config
        : ok(`${short(config.packageId)} on ${config.network}, as in the credentials`);
    },
  };
}

/** Keys wrapped for earlier key servers are readable only as long as the operator lists those servers. */
export function presentKeyServers(found: SystemFacts): Check {
  return {
    name: 'Keys',
    async run() {
      if (!found.client || !found.account) return skipped('the account could not be read');
      if (!found.account.delegate.scope.perms.includes('read')) return skipped('this key may not read');
      const keys = await attempt(() => found.client!.keys(), 'look into the log of the relayer');
      if ('state' in keys) return keys;
      const former = keys.filter(({ current }) => !current).length;
      if (former === 0) return ok('all are for the current key servers');
      return warning(
        `${former} of ${keys.length} are for former key servers`,
        'ask the operator to list those in ENC_HISTORICAL_SETS, or run `npx memrelay key rewrap` to wrap the keys for the current ones',
      );
    },
  };
}

export function embedder(found: SystemFacts): Check {
  return {
    name: 'Embeddings',
    async run() {
      if (!found.client || !found.health) return skipped(missing(found));
      const config = await attempt(() => found.client!.config(), 'look into the log of the relayer');
      return 'state' in config ? config : ok(embedderText(config.embedding.model));
    },
  };
}

/** A recall needs the session, the index, and for a hit the blob store and the key servers. */
export function recallWorks(found: SystemFacts): Check {
  return {
    name: 'Recall and key servers',
    async run() {
      if (!found.client || !found.health) return skipped(missing(found));
      const started = performance.now();
      const answer = await attempt(
        async () => ({ read: await recallAny(found.client!, await found.client!.stats()) }),
        'see which dependency above is down',
      );
      if ('state' in answer) return answer;
      const took = duration(performance.now() - started);
      if (answer.read === 'unreadable')
        return failed(
          'a stored memory could not be read',
          'check the blob store and the key servers above',
          exitCodes.unavailable,
        );
      if (answer.read === undefined)
        return skipped(
          `answered in ${took}, but there is nothing to decrypt; doctor --write stores something`,
        );
      return ok(`read and decrypted a memory in ${took}`);
    },
  };
}

export function roundTrip(found: SystemFacts, write: boolean): Check {
  return {
    name: 'Store and recall',
    async run() {
      if (!write) return skipped('pass --write to store, recall and forget a memory');
      if (!found.client || !found.health) return skipped(missing(found));
      const started = performance.now();
      const answer = await attempt(
        async () => ({ checked: await storeAndRecall(found.client!) }),
        'see which dependency above is down',
      );
      if ('state' in answer) return answer;
      if (answer.checked === 'found')
        return ok(`stored and found again in ${duration(performance.now() - started)}`);
      return failed('what was stored was not found again', 'look into the log of the relayer');
    },
  };
}

/** Returns the result of `work`, or its expected failure as a finding. */
async function attempt<T extends object>(work: () => Promise<T>, fix: string): Promise<T | Finding> {
  try {
    return await work();
  } catch (error) {
    const { message, exitCode } = explained(error);
    return failed(message, fix, exitCode);
  }
}

function explained(error: unknown): ExitError {
  const expected = explain(error);
  if (expected) return expected;
  throw error;
}

const missing = (found: SystemFacts): string =>
  found.client ? 'the relayer does not answer' : 'no credentials';

const short = (id: string): string => `${id.slice(0, 8)}…${id.slice(-4)}`;
