import { readdirSync, readFileSync } from 'node:fs';

/** The parts of the system, recognized by their command lines. */
const parts = {
  relayer: 'apps/relayer/src/main.ts',
  sidecar: 'apps/sidecar/src/main.ts',
  // Alone, or in a process that `memrelay up` starts for it (MEM_LOCAL_PROCESSES=separate)
  localnet: ['apps/localnet/src/main.ts', 'system/local-services.ts localnet'],
  blobstore: ['apps/blobstore/src/main.ts', 'system/local-services.ts blobstore'],
  postgres: 'postgres',
  redis: 'redis-server',
  baseline: 'baselines/floor-server.ts',
} as const;
export type PartName = keyof typeof parts | 'bench';

/** On Linux, where `/proc` counts in ticks of 10 ms. */
const msPerTick = 10;

interface Process {
  pid: number;
  parent: number;
  part: PartName | undefined;
  cpuMs: number;
}

function readProcess(pid: number): Process | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name in parentheses may contain spaces
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
    const named = Object.entries(parts).find(([, signs]) =>
      [signs]
        .flat()
        .some((sign) =>
          sign.includes('/')
            ? command.includes(sign)
            : command.split(' ')[0]!.replace(/:$/, '').endsWith(sign),
        ),
    );
    return {
      pid,
      parent: Number(fields[1]),
      part: pid === process.pid ? 'bench' : (named?.[0] as PartName | undefined),
      // Its own and that of exited children, such as idle Postgres backends
      cpuMs: fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) * msPerTick,
    };
  } catch {
    return undefined;
  }
}

/** This process and all its descendants. */
function family(): Process[] {
  const all = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => readProcess(Number(name)))
    .filter((found) => found !== undefined);
  const ours = new Set([process.pid]);
  for (let before = 0; before !== ours.size; ) {
    before = ours.size;
    for (const { pid, parent } of all) if (ours.has(parent)) ours.add(pid);
  }
  return all.filter(({ pid }) => ours.has(pid));
}

/** The process of a part. Throws when none or several run. */
export function pidOf(part: PartName): number {
  const found = family().filter((process) => process.part === part);
  if (found.length !== 1) throw new Error(`${found.length} processes of ${part}`);
  return found[0]!.pid;
}

export type CpuMs = Partial<Record<PartName, number>>;

/** Processor time of each part so far, in ms; empty without `/proc`. */
export function cpuSoFar(): CpuMs {
  const sums: CpuMs = {};
  if (process.platform !== 'linux') return sums;
  for (const { part, cpuMs } of family()) if (part) sums[part] = (sums[part] ?? 0) + cpuMs;
  return sums;
}

/** Milliseconds of processor time that each part used since `before`, per operation, largest first. */
export function cpuSince(before: CpuMs, operations: number): CpuMs {
  const now = cpuSoFar();
  const used = Object.entries(now)
    .map(([part, ms]) => [part, (ms - (before[part as PartName] ?? 0)) / operations] as const)
    .filter(([, ms]) => ms >= 0.005)
    .sort((a, b) => b[1] - a[1]);
  return Object.fromEntries(used.map(([part, ms]) => [part, Number(ms.toFixed(2))]));
}
