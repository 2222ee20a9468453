import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/**
 * A dump of a process's memory contains keys and text (security.md, "Requests and sessions"), so our processes write
 * none.
 *
 * The limit is set to 1 byte where possible: like 0 it is too small for a file, and Linux treats 1 (but not 0) as disabling
 * dumps even if `core_pattern` pipes them to a program (`coredump_pipe` in its fs/coredump.c).
 */
const oneByte = '--core=1:1';

/** The command line that starts `command` without core dumps and without an extra process. Unchanged on Windows, which writes none. */
export function withoutCoreDumps(command: string, args: readonly string[]): [string, string[]] {
  if (process.platform === 'win32') return [command, [...args]];
  const script = `prlimit --pid $$ ${oneByte} 2>/dev/null || ulimit -c 0; exec "$0" "$@"`;
  return ['/bin/sh', ['-c', script, command, ...args]];
}

/**
 * Turns core dumps off for a process that was not started by `withoutCoreDumps`. If that fails (Linux without util-linux),
 * returns advice for the operator; returns undefined when they are off, or when that cannot be determined.
 */
export function turnOffCoreDumps(): string | undefined {
  if (process.platform !== 'linux' || softLimit() === '1') return undefined;
  spawnSync('prlimit', ['--pid', String(process.pid), oneByte], {
    // The environment contains secrets
    env: { PATH: process.env.PATH },
    stdio: 'ignore',
  });
  if (['0', '1', undefined].includes(softLimit())) return undefined;
  return 'this process may write core dumps, which hold keys and text: install util-linux (prlimit), or start it with a limit of 0 (ulimit -c 0; systemd: LimitCORE=0; Docker: --ulimit core=0)';
}

/** The soft limit in bytes, or `unlimited`; undefined on systems without /proc. */
function softLimit(): string | undefined {
  try {
    return /^Max core file size +(\S+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1];
  } catch {
    return undefined;
  }
}
