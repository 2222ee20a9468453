import { setTimeout as wait } from 'node:timers/promises';
import type { Bench, Measurement } from '../base/report.ts';
import { median, percentile, rounded, type Timing } from '../base/statistics.ts';
import { createStartPlace, type StartPlace } from '../system/npm-start.ts';
import { processTree, type TreeProcess } from '../system/process-tree.ts';

const starts = 3;
const calls = 5;
const idleSeconds = 10;
const target = 'targets: ready in 3 s, 500 MiB, calls 0.4 s, build 3 s';

export const startBench: Bench = {
  name: 'start',
  about:
    '`npm start` on a laptop: until it is ready, its memory and idle processor time, calls of the command',
  async run(progress) {
    const place = await createStartPlace();
    try {
      return { measurements: await measure(place, progress), notes: notes(place) };
    } finally {
      await place.remove();
    }
  },
};

const notes = (place: StartPlace): string[] => [
  `Node ${place.nodeVersion}, commit ${place.commit}. Each time is from the command on, so npm and Node's own start are in it; ${target}.`,
  'Memory is the proportional share (PSS) of the whole tree of processes, npm and its shell included: of the start with the median total. Processor time while idle is counted from 5 s after the start on.',
];

async function measure(place: StartPlace, progress: (step: string) => void): Promise<Measurement[]> {
  progress('building');
  const builds: number[] = [];
  for (let i = 0; i < starts; i++) builds.push(await place.build());
  // Builds what the clone runs, which is no part of a start
  await place.run('--version');

  progress('first start');
  const first = await place.start();
  const firstTree = processTree(first.pid);
  // The self-check of each later start recalls it
  await place.run('remember', 'Ana likes her tea with lemon');
  await first.stop();

  const times: number[] = [];
  const trees: TreeProcess[][] = [];
  const idleTrees: TreeProcess[][] = [];
  const idle: number[] = [];
  const commands: Record<string, number[]> = { '--version': [], stats: [], remember: [], recall: [] };
  for (let i = 0; i < starts; i++) {
    progress(`start ${i + 1} of ${starts} on what is there`);
    const running = await place.start();
    try {
      times.push(running.ms);
      trees.push(processTree(running.pid));
      await wait(5_000);
      const before = cpuOf(processTree(running.pid));
      await wait(idleSeconds * 1000);
      const tree = processTree(running.pid);
      idle.push((cpuOf(tree) - before) / idleSeconds);
      idleTrees.push(tree);
      for (let call = 0; i === starts - 1 && call < calls; call++) {
        commands['--version']!.push(await place.run('--version'));
        commands.stats!.push(await place.run('stats'));
        commands.remember!.push(await place.run('remember', `Ana has ${call} cups of tea`));
        commands.recall!.push(await place.run('recall', 'how much tea does Ana drink?'));
      }
    } finally {
      await running.stop();
    }
  }
  return [
    { what: 'build', timing: timingOf(builds) },
    { what: 'first start, empty directory', timing: timingOf([first.ms]), ...treeOf([firstTree]) },
    { what: 'later start, until ready', timing: timingOf(times), ...treeOf(trees) },
    {
      what: `the same after ${5 + idleSeconds} idle seconds`,
      timing: timingOf(times),
      more: { ...memoryOf(idleTrees), 'processor ms a second': rounded(median(idle)) },
    },
    ...Object.entries(commands).map(([name, ms]) => ({ what: `memrelay ${name}`, timing: timingOf(ms) })),
  ];
}

const cpuOf = (tree: readonly TreeProcess[]): number => tree.reduce((sum, { cpuMs }) => sum + cpuMs, 0);
const pssOf = (tree: readonly TreeProcess[]): number => tree.reduce((sum, { pssMiB }) => sum + pssMiB, 0);

/** Processor time and memory at the moment of the ready line. */
function treeOf(trees: readonly TreeProcess[][]): Pick<Measurement, 'cpuMs' | 'more'> {
  const byTime = [...trees].sort((a, b) => cpuOf(a) - cpuOf(b))[Math.floor(trees.length / 2)]!;
  return {
    cpuMs: { all: cpuOf(byTime), ...Object.fromEntries(byTime.map(({ name, cpuMs }) => [name, cpuMs])) },
    more: memoryOf(trees),
  };
}

/** MiB in all, and of each process with its threads, of the tree with the median total. */
function memoryOf(trees: readonly TreeProcess[][]): Record<string, number | string> {
  const tree = [...trees].sort((a, b) => pssOf(a) - pssOf(b))[Math.floor(trees.length / 2)]!;
  const parts = [...tree].sort((a, b) => b.pssMiB - a.pssMiB);
  return {
    'MiB in all': Math.round(pssOf(tree)),
    ...Object.fromEntries(
      parts.map(({ name, pssMiB, threads }) => [name, `${Math.round(pssMiB)} (${threads} threads)`]),
    ),
  };
}

function timingOf(times: readonly number[]): Timing {
  const p50 = median(times);
  return {
    count: times.length,
    p50: rounded(p50),
    p95: rounded(percentile(times, 0.95)),
    perSecond: rounded(1000 / p50),
  };
}
