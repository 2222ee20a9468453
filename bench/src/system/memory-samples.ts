import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { type PartName, pidOf } from './processes.ts';

/** Memory of a process, in MiB. */
export interface MemorySample {
  /** Live objects and buffers, after garbage collection */
  live: number;
  /** All memory given by the operating system */
  rss: number;
}

export interface MemorySamples {
  /** NODE_OPTIONS for the environment of the measured system */
  nodeOptions: string;
  sample(part: PartName): Promise<MemorySample>;
  close(): Promise<void>;
}

const probe = new URL('./heap-probe.ts', import.meta.url);
const mebibyte = 1024 * 1024;

/** Measures the parts of a system that was started with its `nodeOptions`. Needs Linux (`/proc`). */
export async function startMemorySamples(): Promise<MemorySamples> {
  const folder = await mkdtemp(join(tmpdir(), 'memrelay-bench-'));
  probe.searchParams.set('out', folder);
  return {
    nodeOptions: `${process.env.NODE_OPTIONS ?? ''} --import ${probe.href}`.trim(),
    async sample(part) {
      const pid = pidOf(part);
      const file = join(folder, `${pid}.json`);
      await rm(file, { force: true });
      process.kill(pid, 'SIGUSR2');
      for (let tries = 0; ; tries++) {
        const text = await readFile(file, 'utf8').catch(() => undefined);
        if (text !== undefined) {
          const { heapUsed, external } = JSON.parse(text) as { heapUsed: number; external: number };
          const status = await readFile(`/proc/${pid}/status`, 'utf8');
          const rss = Number(/VmRSS:\s+(\d+)/.exec(status)![1]) / 1024;
          return { live: (heapUsed + external) / mebibyte, rss };
        }
        if (tries > 1_000) throw new Error(`${part} does not report its memory`);
        await wait(20);
      }
    },
    close: () => rm(folder, { recursive: true, force: true }),
  };
}
