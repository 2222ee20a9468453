import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, open, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { credentialFileSchema } from '@memrelay/protocol/credential-file';
import { variablesOf } from '@memrelay/protocol/variables';
import { relayerVersion } from '@memrelay/protocol/versions';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { commandEntry, type Ended, startCommand } from './running-command.ts';

let home: string;
let credentials: string;

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'memrelay-offline-'));
  credentials = join(home, 'good.json');
  const file = credentialFileSchema.parse({
    delegatePrivateKey: '11'.repeat(32),
    // The Ed25519 public key of that seed
    delegatePublicKey: 'd04ab232742bb4ab3a1368bd4615e4e6d0224ab71a016baf8520a332c9778737',
    delegateAddress: `0x${'2'.repeat(64)}`,
    walletAddress: `0x${'3'.repeat(64)}`,
    accountId: `0x${'4'.repeat(64)}`,
    packageId: `0x${'5'.repeat(64)}`,
    relayerUrl: `http://127.0.0.1:${await closedPort()}`,
    label: 'test',
    createdAt: '2026-03-02T10:00:00Z',
  });
  await writeFile(credentials, JSON.stringify(file), { mode: 0o600 });
});
afterAll(() => rm(home, { recursive: true, force: true }));

async function closedPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

const memrelay = (...args: string[]): Promise<Ended> =>
  startCommand(args, { HOME: home, MEM_DATA_DIR: join(home, 'data') }).ended;

describe('without a relayer', () => {
  it('reports that none responds and how to start one, with exit code 3', async () => {
    const run = await memrelay('recall', 'tea', '--credentials', credentials);
    expect(run.code).toBe(3);
    expect(run.stderr).toMatch(/^memrelay: No relayer answers at http:\/\/127\.0\.0\.1:\d+\. .*memrelay up/);
    expect(run.stderr).not.toContain('    at ');
    const json = await memrelay('status', '--json', '--credentials', credentials);
    expect(json.code).toBe(3);
    expect(JSON.parse(json.stdout)).toMatchObject({ error: 'network_error', exit_code: 3 });
    expect(json.stderr).toBe('');
  });

  it('fails doctor at the relayer and skips the checks that depend on it', async () => {
    const run = await memrelay('doctor', '--json', '--credentials', credentials);
    expect(run.code).toBe(3);
    const lines = run.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    const states = Object.fromEntries(lines.map(({ check, state }) => [check, state]));
    expect(states).toMatchObject({
      node: 'ok',
      credentials: 'ok',
      relayer: 'failed',
      credentials_accepted: 'skipped',
      version: 'skipped',
    });
  });

  it('fails an import with exit code 3', async () => {
    const file = join(home, 'notes.txt');
    await writeFile(file, 'one\ntwo');
    const run = await memrelay('import', file, '--credentials', credentials);
    expect(run.code).toBe(3);
    expect(run.stderr).toContain('No relayer answers');
  });
});

describe('credentials', () => {
  it('that are missing, open to others or damaged get separate messages and exit code 4', async () => {
    const missing = await memrelay('recall', 'tea');
    expect(missing).toMatchObject({ code: 4, stderr: expect.stringContaining('No credentials at') });
    const open = join(home, 'open.json');
    await writeFile(open, '{}');
    await chmod(open, 0o644);
    const readable = await memrelay('doctor', '--credentials', open);
    expect(readable.code).toBe(4);
    expect(readable.stdout.replace(/\s+/g, ' ')).toContain(`chmod 600 ${open}`);
    await chmod(open, 0o600);
    expect(await memrelay('recall', 'tea', '--credentials', open)).toMatchObject({ code: 4 });
  });
});

/** Runs the command with this as its stdout; returns its exit code and stderr. */
async function withStdout(stdout: 'closed pipe' | 'full disk', args: string[]): Promise<[number, string]> {
  const full = stdout === 'full disk' ? await open('/dev/full', 'w') : undefined;
  const env = { PATH: process.env.PATH, HOME: home, MEM_DATA_DIR: join(home, 'data') };
  const child = spawn(process.execPath, [commandEntry, ...args], {
    env,
    stdio: ['ignore', full?.fd ?? 'pipe', 'pipe'],
  });
  child.stdout?.destroy();
  let errors = '';
  child.stderr!.setEncoding('utf8').on('data', (part: string) => (errors += part));
  const [code] = await once(child, 'close');
  await full?.close();
  return [code as number, errors];
}

describe('output that cannot be written', () => {
  it.each([['--help'], ['doctor', '--json'], ['trust', '--list', '--json']])(
    'is reported in one line with exit code 1: %s %s',
    async (...args) => {
      expect(await withStdout('full disk', args)).toEqual([
        1,
        'memrelay: The output cannot be written: the disk is full.\n',
      ]);
      expect(await withStdout('closed pipe', args)).toEqual([
        1,
        'memrelay: The output was closed before everything was written.\n',
      ]);
    },
  );

  it('is reported in one line with exit code 1 when another part prints, too', async () => {
    expect(await withStdout('full disk', ['blobstore', '--help'])).toEqual([
      1,
      'blobstore: the output cannot be written (ENOSPC).\n',
    ]);
  });
});

it('reports a directory passed to demo, and a folder without notes passed to import, in one line', async () => {
  expect(await memrelay('demo', home)).toEqual({
    code: 2,
    stdout: '',
    stderr: `memrelay: ${home}: it is a directory.\n`,
  });
  const empty = join(home, 'empty');
  await mkdir(empty);
  expect(await memrelay('import', empty)).toEqual({
    code: 2,
    stdout: '',
    stderr: `memrelay: ${empty} holds nothing to remember.\n`,
  });
});

describe('a wrong call', () => {
  it('exits with code 2 and the reason', async () => {
    for (const args of [
      ['nosuch'],
      ['recall'],
      ['recall', 'tea', '--limit', '0'],
      ['list', '--limit', 'many'],
      ['retry'],
      ['show'],
      ['profile', '--limit', '0'],
      ['ask', 'why?', '--context', '4'],
      ['replace', 'an-id'],
      ['replace', 'an-id', ' '],
      ['remember', ' '],
      ['demo', '--limit-messages', 'x'],
      ['import', join(home, 'absent')],
    ]) {
      const run = await memrelay(...args, ...(args[0] === 'recall' ? ['--credentials', credentials] : []));
      expect(run, args.join(' ')).toMatchObject({ code: 2 });
      expect(run.stderr, args.join(' ')).not.toBe('');
      expect(run.stderr).not.toContain('    at ');
    }
  });

  it('is one JSON value with --json, and nothing on stderr', async () => {
    for (const args of [['nosuch'], ['recall'], ['recall', 'tea', '--limt', '1'], ['blobs', 'extend']]) {
      const run = await memrelay(...args, '--json');
      expect(run, args.join(' ')).toMatchObject({ code: 2, stderr: '' });
      expect(JSON.parse(run.stdout), args.join(' ')).toEqual({
        error: 'usage',
        message: expect.stringMatching(/^(?:Unknown|Missing|Required) .*--help/),
        exit_code: 2,
      });
    }
  });

  it('suggests the command that was meant', async () => {
    expect((await memrelay('recal')).stderr).toBe(
      "memrelay: Unknown command 'recal' (did you mean recall?). Run it with --help to see how it is called.\n",
    );
  });

  it('--help groups the commands, with colours only where they are wanted', async () => {
    const { stdout } = await memrelay('--help');
    const headings = stdout.split('\n').filter((line) => /^[A-Z].*:$/.test(line));
    expect(headings).toContain('Memories:');
    expect(headings).toContain('Account and keys:');
    expect(stdout).not.toContain('\u001b');
    const environment = { HOME: home, FORCE_COLOR: '1' };
    const coloured = await startCommand(['--help'], environment).ended;
    expect(coloured.stdout).toContain('\u001b[1mMemories:\u001b[22m');
    const plain = await startCommand(['--help'], { ...environment, NO_COLOR: '1' }).ended;
    expect(plain.stdout).toBe(stdout);
  });

  it('relayer --help lists the variables of a relayer with their values and defaults, and no others', async () => {
    const { stdout } = await memrelay('relayer', '--help');
    const listed = [...stdout.matchAll(/^ {2}([A-Z][A-Z0-9_]+) /gm)].map(([, name]) => name!);
    expect(listed.toSorted()).toEqual([...variablesOf('relayer')].sort());
    expect(stdout).toMatch(/^ {2}PORT +0 to 65535 \(default: 8000\)$/m);
    expect(stdout).not.toContain('`');
  });

  it('--version prints the version alone', async () => {
    expect(await memrelay('--version')).toEqual({ code: 0, stdout: `${relayerVersion}\n`, stderr: '' });
  });

  it('lists every exit code in --help', async () => {
    const run = await memrelay('--help');
    expect(run.code).toBe(0);
    for (const code of [0, 1, 2, 3, 4, 130]) expect(run.stdout).toMatch(new RegExp(`^  ${code} +\\S`, 'm'));
  });
});
