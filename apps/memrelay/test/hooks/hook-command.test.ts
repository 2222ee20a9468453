import { spawn } from 'node:child_process';
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { projectOf } from '@memrelay/capture/project-namespace-node';
import { compileCache } from '@memrelay/process/compile-cache';
import { freePort } from '@memrelay/process/free-ports';
import { loadCredentials } from '@memrelay/sdk/credentials-node';
import { MemRelay } from '@memrelay/sdk/mem-relay';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { commandEntry, ownEnvironment, type RunningCommand, startLocalSystem } from '../running-command.ts';

/** `memrelay hook`, as the hooks of agents call it, on a local system without a chat model. */

let home: string;
let environment: Record<string, string>;
let system: RunningCommand;
let memory: MemRelay;
vi.setConfig({ testTimeout: 300_000 });

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'memrelay-hooks-'));
  environment = await ownEnvironment(home);
  system = await startLocalSystem(environment);
  memory = MemRelay.fromCredentials(
    await loadCredentials(join(environment.MEM_DATA_DIR!, 'credentials.json')),
  );
});
afterAll(async () => {
  memory?.destroy();
  system?.child.kill('SIGTERM');
  await system?.ended;
  rmSync(home, { recursive: true, force: true, maxRetries: 3 });
});

interface HookResult {
  code: number;
  stdout: string;
  context?: string;
  notice?: string;
}

async function hook(
  event: string,
  input: object | string,
  more: NodeJS.ProcessEnv = {},
): Promise<HookResult> {
  const env = { PATH: process.env.PATH, ...compileCache(), ...environment, ...more };
  const child = spawn(process.execPath, [commandEntry, 'hook', event], { env, stdio: 'pipe' });
  let stdout = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stdin.end(typeof input === 'string' ? input : JSON.stringify(input));
  const code = await new Promise<number>((resolve) => child.once('close', (ended) => resolve(ended ?? -1)));
  const answer = stdout === '' ? {} : JSON.parse(stdout);
  return {
    code,
    stdout,
    context: answer.hookSpecificOutput?.additionalContext,
    notice: answer.systemMessage,
  };
}

function project(name: string): string {
  const root = join(home, name);
  mkdirSync(join(root, '.git'), { recursive: true });
  writeFileSync(
    join(root, '.git', 'config'),
    `[remote "origin"]\n\turl = https://git.example/team/${name}\n`,
  );
  return root;
}

function say(path: string, text: string): void {
  appendFileSync(path, `${JSON.stringify({ type: 'user', message: { role: 'user', content: text } })}\n`);
}

const storedIn = async (cwd: string): Promise<string[]> => {
  const { namespace } = projectOf(cwd);
  const { results } = await memory.recall('what is known?', { namespace, limit: 100, minScore: -1 });
  return results.map(({ text }) => text).sort();
};

test('stores what a session stated, and shows it to the next session of the project only', async () => {
  const cwd = project('shop');
  const transcript = join(home, 'shop.jsonl');
  say(transcript, 'We deploy the shop on Fridays. Fix the login bug. The admin password is hunter2.');
  const input = { session_id: 'one', cwd, transcript_path: transcript };
  const captured = await hook('capture', input);
  expect(captured).toMatchObject({ code: 0, notice: expect.stringContaining('masked 1 secret (password)') });
  expect(captured.stdout).not.toContain('hunter2');
  await expect.poll(() => storedIn(cwd), { timeout: 120_000 }).toContain('We deploy the shop on Fridays.');
  expect((await storedIn(cwd)).join()).not.toContain('hunter2');

  // The second capture sends only what is new, and does not report the same secret again
  say(transcript, 'Our tests run on Postgres 17. <private>We are being sold.</private>');
  expect((await hook('capture', input)).notice).toBeUndefined();
  await expect.poll(() => storedIn(cwd), { timeout: 120_000 }).toContain('Our tests run on Postgres 17.');
  expect((await storedIn(cwd)).join()).not.toContain('sold');

  const start = await hook('session-start', { session_id: 'two', cwd, source: 'startup' });
  expect(start.context).toContain('We deploy the shop on Fridays.');
  const prompt = { session_id: 'two', cwd, prompt: 'When do we deploy the shop?' };
  expect((await hook('prompt', prompt)).stdout).toBe('');
  await hook('session-start', { session_id: 'two', cwd, source: 'compact' }, { MEM_HOOK_TOKENS: '0' });
  const fresh = { ...prompt, session_id: 'three' };
  for (const quiet of ['/deploy the shop now', 'when do we deploy? #nomemory', 'deploy'])
    expect((await hook('prompt', { ...fresh, prompt: quiet })).stdout).toBe('');
  expect((await hook('prompt', fresh, { MEM_HOOKS: 'capture' })).stdout).toBe('');
  expect((await hook('prompt', fresh)).context).toContain('We deploy the shop on Fridays.');
  expect((await hook('prompt', { ...fresh, cwd: project('other') })).stdout).toBe('');
});

test('keeps no text of a conversation in its files', () => {
  const folder = join(home, '.mem', 'hooks');
  const files = readdirSync(folder);
  expect(files.length).toBeGreaterThan(0);
  const all = files.map((name) => readFileSync(join(folder, name), 'utf8')).join('\n');
  expect(all).not.toMatch(/deploy|Friday|hunter2|Postgres/);
});

test('goes on without a relayer: exit code 0, and one hint per session', async () => {
  const down = { MEM_SERVER_URL: `http://127.0.0.1:${await freePort()}` };
  const cwd = project('down');
  const first = await hook('session-start', { session_id: 'down', cwd }, down);
  expect(first).toMatchObject({ code: 0, notice: expect.stringContaining('cannot be reached') });
  expect(first.context).toBeUndefined();
  const prompt = { session_id: 'down', cwd, prompt: 'When do we deploy the shop?' };
  expect(await hook('prompt', prompt, down)).toMatchObject({ code: 0, stdout: '' });
});

test('sends nothing to a relayer that only the settings of a project name', async () => {
  const input = { session_id: 'evil', cwd: project('evil'), prompt: 'When do we deploy the shop?' };
  const { code, notice } = await hook('prompt', input, { MEM_SERVER_URL: 'https://relayer.invalid' });
  expect({ code, notice }).toEqual({ code: 0, notice: expect.stringContaining('memrelay sent nothing') });
});

test('answers nothing, with exit code 0, to input that is none', async () => {
  for (const input of ['', 'not JSON', '[]', '{"session_id": 5}'])
    expect(await hook('prompt', input)).toMatchObject({ code: 0, stdout: '' });
});

test('says what to do when no one is signed in', async () => {
  const empty = join(home, 'empty');
  const { notice } = await hook(
    'session-start',
    { cwd: home },
    { HOME: empty, MEM_DATA_DIR: join(empty, 'data') },
  );
  expect(notice).toContain('no credentials on this machine');
});
