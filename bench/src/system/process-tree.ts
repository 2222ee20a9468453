import { readdirSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';

/** A process of a tree, on Linux (`/proc`). */
export interface TreeProcess {
  pid: number;
  /** Name of the script that it runs, without its ending, or of the command */
  name: string;
  /** Proportional share of memory, MiB: pages that several processes share are divided among them */
  pssMiB: number;
  /** Processor time so far, in ms */
  cpuMs: number;
  threads: number;
}

/** `/proc` counts in ticks of 10 ms. */
const msPerTick = 10;

/** A process and all its descendants. */
export function processTree(root: number): TreeProcess[] {
  const parents = new Map<number, number>();
  for (const name of readdirSync('/proc')) {
    const parent = /^\d+$/.test(name) ? statOf(Number(name))?.[1] : undefined;
    if (parent !== undefined) parents.set(Number(name), Number(parent));
  }
  const tree = new Set([root]);
  for (let before = 0; before !== tree.size; ) {
    before = tree.size;
    for (const [pid, parent] of parents) if (tree.has(parent)) tree.add(pid);
  }
  return [...tree].map(readTreeProcess).filter((found) => found !== undefined);
}

/** The fields after the name, which may contain spaces. */
function statOf(pid: number): string[] | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  } catch {
    return undefined;
  }
}

function readTreeProcess(pid: number): TreeProcess | undefined {
  try {
    const fields = statOf(pid);
    const pss = /^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1];
    if (!fields || pss === undefined) return undefined;
    return {
      pid,
      name: nameOf(readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')),
      pssMiB: Number(pss) / 1024,
      cpuMs: (Number(fields[11]) + Number(fields[12])) * msPerTick,
      threads: Number(fields[17]),
    };
  } catch {
    return undefined;
  }
}

function nameOf([command = '', ...args]: string[]): string {
  const title = command.split(' ')[0]!;
  const script = args.find((arg) => /\.[cm]?[jt]s$/.test(arg));
  return basename(script ?? title).replace(/\.[cm]?[jt]s$/, '');
}
