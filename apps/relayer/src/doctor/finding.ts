/** The result of one check of `memrelay relayer doctor`. */
export interface Finding {
  /** What was checked, in snake case */
  check: string;
  state: 'ok' | 'warning' | 'failed' | 'skipped';
  detail: string;
  /** What the operator can do */
  fix?: string;
  /** Why it failed: a setting is wrong, or something does not answer. Neither: the state of something is bad */
  cause?: 'settings' | 'unreachable';
}

export const ok = (check: string, detail: string): Finding => ({ check, state: 'ok', detail });

export const skipped = (check: string, detail: string): Finding => ({ check, state: 'skipped', detail });

export const warning = (check: string, detail: string, fix: string): Finding => ({
  check,
  state: 'warning',
  detail,
  fix,
});

export const failed = (check: string, detail: string, fix: string, cause?: Finding['cause']): Finding => ({
  check,
  state: 'failed',
  detail,
  fix,
  ...(cause && { cause }),
});

/** Signed requests are refused from here on (decisions.md, "Authentication"). */
const refusedSkewMs = 300_000;
const notedSkewMs = 5_000;

/** Compares a clock with this machine's. `slackMs`: how exact the other one is. */
export function clockFinding(whose: string, differenceMs: number, slackMs = 0): Finding {
  const check = 'clock';
  const apart = Math.abs(differenceMs);
  const detail = `${Math.round(apart / 1000)} s ${differenceMs > 0 ? 'ahead of' : 'behind'} ${whose}`;
  const fix =
    'set the clock of this machine, or of the other one, and turn on time synchronisation (timedatectl set-ntp true)';
  if (apart > refusedSkewMs) return failed(check, detail, fix);
  return apart > notedSkewMs + slackMs ? warning(check, detail, fix) : ok(check, `agrees with ${whose}`);
}

const units = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB'];

/** A number of bytes as a person writes it. */
export function bytesText(bytes: number): string {
  const power = Math.min(units.length - 1, Math.floor(Math.log2(Math.max(1, bytes)) / 10));
  const value = bytes / 1024 ** power;
  return `${value < 10 && power > 0 ? value.toFixed(1) : Math.round(value)} ${units[power]}`;
}
