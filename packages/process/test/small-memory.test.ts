import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { smallMemory } from '../src/small-memory.ts';

test('limits the young generation and the arenas, unless the environment says otherwise', () => {
  expect(smallMemory({})).toEqual({ NODE_OPTIONS: '--max-semi-space-size=2', MALLOC_ARENA_MAX: '1' });
  const own = { NODE_OPTIONS: '--max-semi-space-size=16', MALLOC_ARENA_MAX: '4' };
  expect(smallMemory(own)).toEqual({
    // The last one counts
    NODE_OPTIONS: '--max-semi-space-size=2 --max-semi-space-size=16',
    MALLOC_ARENA_MAX: '4',
  });
});

test('Node accepts the options in its environment', () => {
  const script = "process.stdout.write(process.env.NODE_OPTIONS ?? '')";
  const env = { PATH: process.env.PATH, ...smallMemory({}) };
  expect(execFileSync(process.execPath, ['-e', script], { env, encoding: 'utf8' })).toBe(
    '--max-semi-space-size=2',
  );
});
