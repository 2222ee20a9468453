import type { HealthInfo } from '@memrelay/protocol/service-info';
import type { MemRelay } from '@memrelay/sdk/mem-relay';
import type { Account } from '@memrelay/sdk/types';
import type { RelayerAnswer } from '../client/relayer-info.ts';

/** The result of one check. `fix` is the next step. */
export interface Finding {
  state: 'ok' | 'warning' | 'failed' | 'skipped';
  detail: string;
  fix?: string;
  /** Exit code of this failure; default: 1 */
  exitCode?: number;
}

export const ok = (detail: string): Finding => ({ state: 'ok', detail });
export const skipped = (detail: string): Finding => ({ state: 'skipped', detail });
export const warning = (detail: string, fix: string): Finding => ({ state: 'warning', detail, fix });
export const failed = (detail: string, fix: string, exitCode?: number): Finding => ({
  state: 'failed',
  detail,
  fix,
  ...(exitCode === undefined ? {} : { exitCode }),
});

/** A check with its name. The checks before it in the list have already run. */
export interface Check {
  name: string;
  run: () => Promise<Finding | Finding[]> | Finding | Finding[];
}

/** Facts collected by checks for later checks. */
export interface SystemFacts {
  client?: MemRelay;
  serverUrl?: string;
  health?: RelayerAnswer<HealthInfo>;
  account?: Account;
}
