import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { isAlive, processesBelow, startCommand } from './running-command.ts';

let home: string;
let environment: NodeJS.ProcessEnv;

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'memrelay-demo-'));
  // Contains the private system; the user's own database must be neither used nor required.
  environment = {
    HOME: home,
    TMPDIR: home,
    DATABASE_URL: 'postgres://127.0.0.1:1/nobody',
    REDIS_URL: 'redis://127.0.0.1:1',
  };
});
afterAll(() => rm(home, { recursive: true, force: true, maxRetries: 3 }));

it('stores the example, finds the evidence, counts everything, and leaves nothing behind', async () => {
  const args = ['demo', '--limit-messages', '30', '--limit-questions', '4', '--json'];
  const { code, stdout, stderr } = await startCommand(args, environment).ended;
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const lines = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(lines.filter(({ event }) => event === 'question')).toHaveLength(4);
  const summary = lines.at(-1);
  expect(summary).toMatchObject({ event: 'summary', memories: 30, stored: 30, questions: 4, failures: [] });
  expect(summary.frac_at_10).toBeGreaterThan(0.5);
  for (const figure of ['accept', 'accept_bulk', 'accept_to_recallable', 'accept_to_stored', 'recall'])
    expect(summary[figure].p50_ms, figure).toBeGreaterThan(0);
  expect(await readdir(home)).toEqual([]);
});

it('leaves neither a process nor a file behind when interrupted', async () => {
  const run = startCommand(['demo'], environment);
  await run.printed(/Storing 59 memories/);
  const processes = await processesBelow(run.child.pid!);
  run.child.kill('SIGINT');
  expect(await run.ended).toMatchObject({ code: 130 });
  expect(processes.length).toBeGreaterThanOrEqual(3);
  expect(processes.filter(({ pid }) => isAlive(pid))).toEqual([]);
  expect(await readdir(home)).toEqual([]);
});
