import { readdirSync, readFileSync } from 'node:fs';

/** Memory of a process and its descendants on Linux, as PSS, which counts shared pages only once. */
export function memoryOf(pid: number): { bytes: number; processes: number } {
  const parents = new Map<number, number>();
  for (const name of readdirSync('/proc').filter((each) => /^\d+$/.test(each))) {
    const parent = /^PPid:\s+(\d+)/m.exec(read(`/proc/${name}/status`))?.[1];
    if (parent) parents.set(Number(name), Number(parent));
  }
  const isBelow = (each: number): boolean =>
    each === pid || (parents.has(each) && isBelow(parents.get(each)!));
  const all = [...parents.keys()].filter(isBelow);
  const bytes = all.reduce((sum, each) => {
    const kib = /^Pss:\s+(\d+) kB/m.exec(read(`/proc/${each}/smaps_rollup`))?.[1] ?? '0';
    return sum + Number(kib) * 1024;
  }, 0);
  return { bytes, processes: all.length };
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
