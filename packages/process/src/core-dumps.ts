import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/**
 * A dump of a process's memory holds keys and text (security.md, "Requests and sessions"), so none of ours writes one.
 *
 * The limit is 1 byte where it can be set exactly: like 0 it is too small for a file, and Linux takes 1 (and not 0) as
 * refusing also where `core_pattern` pipes the dump to a program, see `coredump_pipe` in its fs/coredump.c.
 */
const oneByte = '--core=1:1';

/** The command line that starts `command` as the same process, without core dumps. On Windows nothing writes one. */
export function withoutCoreDumps(command: string, args: readonly string[]): [string, string[]] {
  if (process.platform === 'win32') return [command, [...args]];
  const script = `prlimit --pid $$ ${oneByte} 2>/dev/null || ulimit -c 0; exec "$0" "$@"`;
  return ['/bin/sh', ['-c', script, command, ...args]];
}

/**
 * Turns core dumps off for this process, for one that was not started by `withoutCoreDumps`. Returns what to do about
 * it where that fails (Linux without util-linux); undefined when they are off, or where it cannot be known.
 */
export function turnOffCoreDumps(): string | undefined {
  if (process.platform !== 'linux' || softLimit() === '1') return undefined;
  spawnSync('prlimit', ['--pid', String(process.pid), oneByte], {
    // The environment holds secrets
    env: { PATH: process.env.PATH },
    stdio: 'ignore',
  });
  if (['0', '1', undefined].includes(softLimit())) return undefined;
  return 'this process may write core dumps, which hold keys and text: install util-linux (prlimit), or start it with a limit of 0 (ulimit -c 0; systemd: LimitCORE=0; Docker: --ulimit core=0)';
}

/** Bytes, or `unlimited`; undefined where /proc does not have it. */
function softLimit(): string | undefined {
  try {
    return /^Max core file size +(\S+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1];
  } catch {
    return undefined;
  }
}
