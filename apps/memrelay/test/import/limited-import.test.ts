import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ownEnvironment, type RunningCommand, startCommand, startLocalSystem } from '../running-command.ts';

/** Commands on a relayer with limits. */

let home: string;
let environment: Record<string, string>;
let system: RunningCommand;

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'memrelay-limits-'));
  environment = await ownEnvironment(home);
  // Ten bulk calls at once, then one in five seconds
  system = await startLocalSystem({ ...environment, RATE_LIMIT_KEY_PER_MINUTE: '120' });
});
afterAll(async () => {
  system?.child.kill('SIGTERM');
  await system?.ended;
  await rm(home, { recursive: true, force: true, maxRetries: 3 });
});

it('an import that exceeds the limit of its key waits as the relayer says, and completes', async () => {
  const file = join(home, 'many.json');
  const memories = Array.from({ length: 280 }, (_, i) => ({ memory: `memory number ${i}` }));
  await writeFile(file, JSON.stringify(memories));
  const started = performance.now();
  const { code, stdout, stderr } = await startCommand(['import', file, '--json'], environment).ended;
  expect(code, stdout + stderr).toBe(0);
  // 14 calls of 10 units; 120 were there at first, and 2 a second come in
  expect(performance.now() - started).toBeGreaterThan(9_000);
  const status = await startCommand(['namespaces', '--json'], environment).ended;
  expect(JSON.parse(status.stdout).namespaces[0].memory_count, stdout).toBe(280);
});
