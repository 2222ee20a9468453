import { apiVersion } from '@memrelay/protocol/versions';
import { NoRelayerError, readHealth, readReadiness } from '../client/relayer-info.ts';
import { duration } from '../terminal/durations.ts';
import { exitCodes } from '../terminal/exit-codes.ts';
import { type Check, type Finding, failed, ok, type SystemFacts, skipped, warning } from './check.ts';

/** Signed requests are refused from here on (decisions.md, "Authentication"). */
const refusedSkewMs = 300_000;
const notedSkewMs = 5_000;

/** What to do about each dependency of `/ready`. */
const remedies: Record<string, string> = {
  database: 'check that Postgres runs and DATABASE_URL is right where the relayer runs',
  nonces: 'check that Redis runs and REDIS_URL is right where the relayer runs',
  chain: 'check CHAIN_RPC_URL and the connection of the relayer to it',
  sidecar: 'restart the relayer, which starts its sidecar; its log says why the sidecar ended',
  blob_store: 'check STORE_AGGREGATOR_URL; writes are kept and uploaded when it is back',
  upload_wallets: 'send SUI and WAL to the wallets of SERVER_CHAIN_PRIVATE_KEYS: the log names them',
};

/** Whether the relayer is reachable; the next checks use the same response. */
export function reachable(found: SystemFacts): Check {
  return {
    name: 'Relayer',
    async run() {
      if (!found.serverUrl) return skipped('no address: neither --server nor credentials');
      try {
        const started = performance.now();
        found.health = await readHealth(found.serverUrl);
        return ok(
          `${found.serverUrl} answers in ${duration(performance.now() - started)} (${found.health.body.mode} mode)`,
        );
      } catch (error) {
        return silent(error);
      }
    },
  };
}

export function compatible(found: SystemFacts): Check {
  return {
    name: 'Version',
    run() {
      if (!found.health) return skipped('the relayer does not answer');
      const { version, apiVersion: theirs } = found.health.body;
      if (theirs.split('.')[0] === apiVersion.split('.')[0]) return ok(`relayer ${version}, API ${theirs}`);
      return failed(
        `the relayer speaks API ${theirs}, this command ${apiVersion}`,
        'use the command of the same release as the relayer',
        exitCodes.usage,
      );
    },
  };
}

export function clock(found: SystemFacts): Check {
  return {
    name: 'Clock',
    run() {
      if (!found.health) return skipped('the relayer does not answer');
      const { serverTime } = found.health;
      if (serverTime === undefined) return skipped('the relayer sends no Date header');
      const skew = Date.now() - serverTime;
      const text = `${duration(Math.abs(skew))} ${skew > 0 ? 'ahead of' : 'behind'} the relayer`;
      const fix = 'set the clock of this machine, or switch on its time synchronisation';
      if (Math.abs(skew) > refusedSkewMs) return failed(text, fix, exitCodes.usage);
      // The header has whole seconds
      return Math.abs(skew) > notedSkewMs ? warning(text, fix) : ok('as the relayer');
    },
  };
}

/** One finding for each dependency that the relayer names. */
export function dependencies(found: SystemFacts): Check {
  return {
    name: 'Dependencies',
    async run() {
      if (!found.health || !found.serverUrl) return skipped('the relayer does not answer');
      try {
        const ready = await readReadiness(found.serverUrl);
        return Object.entries(ready.checks).map(([name, check]): Finding => {
          const text = `${name.replaceAll('_', ' ')}${check.detail ? `: ${check.detail}` : ''}`;
          if (check.ok) return ok(text);
          return failed(text, remedies[name] ?? 'look into the log of the relayer', exitCodes.unavailable);
        });
      } catch (error) {
        return silent(error);
      }
    },
  };
}

function silent(error: unknown): Finding {
  if (!(error instanceof NoRelayerError)) throw error;
  return failed(
    error.message,
    'start the local system with `npx memrelay up`, or name another relayer with --server URL',
    exitCodes.unavailable,
  );
}
