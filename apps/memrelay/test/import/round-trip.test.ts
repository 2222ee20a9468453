import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ownEnvironment, type RunningCommand, startCommand, startLocalSystem } from '../running-command.ts';

/** What leaves readable comes back with its texts, namespaces, dates and fields. */

let home: string;
let environment: Record<string, string>;
let system: RunningCommand;

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'memrelay-round-'));
  environment = await ownEnvironment(home);
  system = await startLocalSystem(environment);
});
afterAll(async () => {
  system.child.kill('SIGTERM');
  await system.ended;
  await rm(home, { recursive: true, force: true, maxRetries: 3 });
});

async function memrelay(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await startCommand(args, environment).ended;
  expect(code, stdout + stderr).toBe(0);
  return stdout;
}

interface Line {
  namespace: string;
  created_at: string;
  occurred_at?: string;
  text: string;
  session?: string;
  speaker?: string;
  tags?: string[];
  metadata?: object;
  expires_at?: string;
}
async function exported(name: string): Promise<unknown[]> {
  const path = join(home, name);
  await memrelay('export', path, '--open');
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  const lines = (await readFile(path, 'utf8')).trim().split('\n');
  return lines
    .map((line) => JSON.parse(line) as Line)
    .map(({ namespace, text, occurred_at, created_at, session, speaker, tags, metadata, expires_at }) => [
      namespace,
      text,
      occurred_at ?? created_at.slice(0, 16).replace('T', ' '),
      { session, speaker, tags, metadata, expires_at },
    ])
    .sort();
}

const none = {
  session: undefined,
  speaker: undefined,
  tags: undefined,
  metadata: undefined,
  expires_at: undefined,
};

it('export --open and import keep texts, namespaces, dates and fields', async () => {
  await memrelay('remember', 'Ana takes\nlemon "in" her tea');
  const fields = {
    session: 'harbour',
    speaker: 'Ana',
    tags: ['boat', 'colour'],
    metadata: { some_key: 1 },
    expires_at: '2999-01-01T00:00:00Z',
  };
  await memrelay(
    ...['remember', 'The boat is green', '--namespace', 'boats', '--session', 'harbour', '--speaker', 'Ana'],
    ...['--tag', 'boat', '--tag', 'colour', '--metadata', '{"some_key":1}', '--expires', fields.expires_at],
  );
  const chat = join(home, 'chat.json');
  await writeFile(chat, JSON.stringify([{ memory: 'Sails on Sundays', created_at: '2025-05-04T09:00:00Z' }]));
  expect(await memrelay('import', chat, '--dry-run')).toContain('[2025-05-04 09:00] Sails on Sundays');
  expect(JSON.parse(await memrelay('namespaces', '--json')).namespaces).toHaveLength(2);
  await memrelay('import', chat, '--namespace', 'boats');

  const before = await exported('first.jsonl');
  expect(before).toContainEqual(['boats', 'Sails on Sundays', '2025-05-04 09:00', none]);
  expect(before).toContainEqual(['boats', 'The boat is green', expect.any(String), fields]);
  expect(before).toHaveLength(3);
  await memrelay('forget', '--everything', '--yes');
  await memrelay('import', join(home, 'first.jsonl'));
  expect(await exported('second.jsonl')).toEqual(before);
  const hit = async (...tags: string[]): Promise<string> =>
    memrelay('recall', 'what is the boat like?', '--namespace', 'boats', ...tags);
  expect(await hit('--tag', 'boat', '--not-tag', 'car')).toContain('The boat is green');
  expect(await hit('--not-tag', 'colour')).not.toContain('The boat is green');
  const { results } = JSON.parse(await hit('--any-tag', 'colour', '--json')) as { results: { id: string }[] };
  const shown = await memrelay('show', results[0]!.id);
  for (const line of [/Session +harbour/, /Speaker +Ana/, /Tags +boat, colour/, /Metadata +{"some_key":1}/])
    expect(shown).toMatch(line);
  expect(JSON.parse(await memrelay('show', results[0]!.id, '--json'))).toMatchObject(fields);

  const notes = join(home, 'notes.md');
  await memrelay('export', notes, '--open', '--namespace', 'boats');
  expect(await readFile(notes, 'utf8')).toContain('## 2025-05-04 09:00 · boats\n\nSails on Sundays\n');
  const again = await startCommand(['export', notes, '--open'], environment).ended;
  expect([again.code, again.stderr]).toEqual([2, expect.stringContaining('it exists already')]);
  const unknown = await startCommand(['export', join(home, 'notes.pdf'), '--open'], environment).ended;
  expect([unknown.code, unknown.stderr]).toEqual([2, expect.stringContaining('.jsonl')]);
});
