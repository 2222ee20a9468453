import { randomUUID } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pairingNonce, readLocalDashboard } from '@memrelay/sdk/local-dashboard-node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type Ended,
  isAlive,
  ownEnvironment,
  processesBelow,
  type RunningCommand,
  startCommand,
  startLocalSystem,
  until,
} from './running-command.ts';

let home: string;
let environment: Record<string, string>;
let system: RunningCommand;

const memrelay = (...args: string[]): Promise<Ended> => startCommand(args, environment).ended;
const parts = () => processesBelow(system.child.pid!);

async function recalled(query: string, namespace = 'default'): Promise<string[]> {
  const { stdout } = await memrelay('recall', query, '--json', '--namespace', namespace, '--limit', '100');
  return (JSON.parse(stdout).results as { text: string }[] | undefined)?.map(({ text }) => text) ?? [];
}

const isReady = async (url: string): Promise<boolean> =>
  (await fetch(`${url}/ready`).catch(() => undefined))?.status === 200;

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'memrelay-up-'));
  environment = await ownEnvironment(home);
  system = await startLocalSystem(environment);
});
afterAll(async () => {
  system.child.kill('SIGTERM');
  await system.ended;
  await rm(home, { recursive: true, force: true, maxRetries: 3 });
});

const textIfThere = (path: string): Promise<string> =>
  readFile(path, 'latin1').catch((error: { code?: string }) =>
    error.code === 'ENOENT' ? '' : Promise.reject(error),
  );

describe('memrelay up', () => {
  it('writes every secret file readable only by its owner', async () => {
    const mode = async (name: string): Promise<number> => (await stat(join(home, 'data', name))).mode & 0o777;
    expect(await mode('.')).toBe(0o700);
    const keys = (await readdir(join(home, 'data', 'keys'))).map((name) => join('keys', name));
    expect(keys.length).toBeGreaterThan(0);
    for (const name of ['credentials.json', 'dashboard.json', 'wallet.json', ...keys])
      expect(await mode(name), name).toBe(0o600);
  });

  it.skipIf(process.platform !== 'linux')(
    'gives the publisher a new secret per start, in no command line, file or log',
    async () => {
      const running = await parts();
      const variable = async (pid: number, name: string): Promise<string | undefined> =>
        (await readFile(`/proc/${pid}/environ`, 'utf8'))
          .split('\0')
          .find((each) => each.startsWith(`${name}=`))
          ?.slice(name.length + 1);
      const relayer = running.find(({ command }) => command.includes('apps/relayer/'))!;
      const secret = (await variable(relayer.pid, 'STORE_PUBLISHER_JWT_SECRET'))!;
      expect(secret).toMatch(/^[0-9a-f]{64}$/);
      for (const { command } of running) expect(command).not.toContain(secret);
      const files = await readdir(join(home, 'data'), { recursive: true, withFileTypes: true });
      for (const file of files.filter((each) => each.isFile()))
        expect(await textIfThere(join(file.parentPath, file.name)), file.name).not.toContain(secret);
      expect(await system.printed(/ready/)).not.toContain(secret);
      const refused = await fetch(`http://127.0.0.1:${environment.BLOBSTORE_PORT}/v1/blobs`, {
        method: 'PUT',
        body: 'without a token',
      });
      expect(refused.status).toBe(400);
      expect(await refused.text()).toContain('MISSING_TOKEN');
    },
  );

  it('names the variable of a port in use, and leaves nothing behind', async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as { port: number };
    const other = startCommand(['up', '--json'], {
      ...(await ownEnvironment(home)),
      MEM_DATA_DIR: join(home, 'other'),
      BLOBSTORE_PORT: String(port),
      DASHBOARD_PORT: String(port),
    });
    const ended = await other.ended;
    server.close();
    expect(ended.code).toBe(2);
    expect(JSON.parse(ended.stdout)).toMatchObject({
      error: 'port_taken',
      message: expect.stringMatching(/BLOBSTORE_PORT.*\n.*for the dashboard is taken; set DASHBOARD_PORT/),
    });
  });
});

describe('the dashboard', () => {
  const post = (url: string, path: string, body: object, token = ''): Promise<Response> =>
    fetch(url + path, {
      method: 'POST',
      headers: { origin: url, 'content-type': 'application/json', authorization: `Bearer ${token}` },
      body: JSON.stringify(body),
    });

  it('signs the owner in by the link printed at the start, for ten minutes', async () => {
    const ready = JSON.parse(/^.*"event":"ready".*$/m.exec(await system.printed(/"event":"ready"/))![0]);
    const code = new URLSearchParams(new URL(ready.pairing_link).hash.slice(1)).get('pairing')!;
    const { token } = (await readLocalDashboard(join(home, 'data')))!;
    const end = new Date(ready.pairing_link_expires_at).getTime();
    expect(end - Date.now()).toBeLessThanOrEqual(600_000);
    expect(pairingNonce(token, code, end - 1_000)).toHaveProperty('nonce');
    expect(pairingNonce(token, code, end + 1_000)).toBe('expired');
  });

  it('signs the owner in by a link of `memrelay pair`, once', async () => {
    const { stdout } = await memrelay('pair', '--json');
    const link = new URL(JSON.parse(stdout).pairing_link);
    const code = new URLSearchParams(link.hash.slice(1)).get('pairing')!;
    const paired = await post(link.origin, '/wallet/pair', { code });
    const { token } = (await paired.json()) as { token: string };
    const state = await (await post(link.origin, '/wallet/state', {}, token)).json();
    const wallet = JSON.parse(await readFile(join(home, 'data', 'wallet.json'), 'utf8'));
    expect(state).toMatchObject({
      address: wallet.address,
      account: { delegates: [{ label: 'memrelay up' }] },
    });
    expect((await post(link.origin, '/wallet/pair', { code })).status).toBe(403);
    expect(await (await fetch(`${link.origin}/connect/mcp`)).text()).toContain('<main>');
  });
});

describe('the commands', () => {
  it('leaves no namespace of its self-check behind', async () => {
    expect(JSON.parse((await memrelay('namespaces', '--json')).stdout)).toEqual({ namespaces: [] });
  });

  it('remember waits until it is stored, recall finds it, status and doctor report no problem', async () => {
    const stored = await memrelay('remember', 'Ana', 'takes', 'lemon', 'in', 'her', 'tea', '--json');
    expect(stored).toMatchObject({ code: 0 });
    expect(JSON.parse(stored.stdout)).toMatchObject({
      status: 'done',
      blob_id: expect.stringMatching(/^[\w-]{43}/),
    });
    const human = await memrelay('recall', 'what does Ana take in her tea?');
    expect(human.stdout).toMatch(
      /^ 1\. {2}\d\.\d{3} {2}\d{4}-\d\d-\d\d {2}Ana takes lemon in her tea\n +id [0-9a-f-]{36}$/m,
    );
    expect((await memrelay('recall', 'tea', '--namespace', 'empty')).stdout).toContain(
      'No memory in namespace "empty" matches',
    );
    expect(await memrelay('status')).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^Ready +yes$/m),
    });
    const doctor = await memrelay('doctor', '--write', '--json');
    const lines = doctor.stdout.trim().split('\n');
    const states = lines.map((line) => JSON.parse(line));
    expect(states.filter(({ state }) => state !== 'ok')).toEqual([]);
    expect(doctor).toMatchObject({ code: 0, stdout: expect.stringContaining('built-in (lexical-v') });
  });

  it('analyze stores the sentences of a text and reports known ones; ask quotes its results', async () => {
    const run = (...args: string[]) => memrelay(...args, '--namespace', 'bees');
    const text =
      'Ana keeps bees behind her house. Yesterday a swarm flew away. ANA keeps bees behind her house!';
    const found = await run('analyze', text, '--occurred-at', '2023-05-08T10:00:00+02:00', '--json');
    const texts = ['Ana keeps bees behind her house.', 'Yesterday (2023-05-07) a swarm flew away.'];
    expect(JSON.parse(found.stdout)).toMatchObject({
      mock: true,
      facts: texts.map((each) => ({ text: each })),
    });
    const again = await run('analyze', 'Ana KEEPS the bees behind her house');
    expect(again.stdout).toContain(
      'known     Ana KEEPS the bees behind her house\n\n0 stored, 1 known already',
    );

    const asked = await run('ask', 'what became of the swarm?', '--limit', '1');
    expect(asked.stdout).toMatch(/“Yesterday \(2023-05-07\) a swarm flew away\.” \[1\]\n\n\[1\] \d{4}-/);
    const unknown = await run('ask', 'zebra crossing quarrel?', '--json');
    expect(JSON.parse(unknown.stdout)).toMatchObject({ known: false, memories: [], mock: true });
  });

  it('forget removes the named memories, and lists the blobs left to delete', async () => {
    const remember = async (text: string, namespace: string) =>
      JSON.parse((await memrelay('remember', text, '--namespace', namespace, '--json')).stdout);
    const first = await remember('The lamp is green', 'lamps');
    const second = await remember('The lamp is blue', 'lamps');
    await remember('The chair is red', 'chairs');
    const count = async (namespace: string) =>
      JSON.parse((await memrelay('list', '--namespace', namespace, '--json')).stdout).memories.length;
    const asked = await memrelay('forget', first.blob_id, '--namespace', 'lamps');
    expect([asked.code, asked.stderr]).toEqual([2, expect.stringContaining('Nothing was forgotten')]);
    expect(asked.stdout).toContain('Forget 1 memory\n');
    expect((await memrelay('forget', '--namespace', 'lamps', '--yes')).code).toBe(2);
    await forgetsOnlyWhatIsThere(first.blob_id);
    expect(await count('lamps')).toBe(2);
    const unknown = randomUUID();
    const partly = await memrelay(
      'forget',
      first.blob_id,
      unknown,
      '--namespace',
      'lamps',
      '--yes',
      '--json',
    );
    expect(partly.code).toBe(1);
    expect(JSON.parse(partly.stdout.split('\n')[0]!)).toMatchObject({ deleted: 1, unknown: [unknown] });
    // Forgotten ids are not unknown: they need no consent, and name the remaining blob
    const told = await memrelay('forget', first.blob_id, '--namespace', 'lamps');
    expect(told.code).toBe(0);
    expect(told.stdout).toMatch(/^Forgotten: 0 memories\.[\s\S]*npx memrelay blobs delete 0x[0-9a-f]{64}$/m);
    expect(await count('lamps')).toBe(1);
    const rest = await memrelay(
      'forget',
      '--all',
      '--namespace',
      'lamps',
      '--delete-blobs',
      '--yes',
      '--json',
    );
    expect(JSON.parse(rest.stdout)).toEqual({ deleted: 1, namespaces: ['lamps'], blobs_deleted: 1 });
    const blobs = JSON.parse((await memrelay('blobs', 'list', '--json')).stdout).blobs;
    expect(blobs.map(({ blob_id }: { blob_id: string }) => blob_id)).toContain(first.blob_id);
    expect(blobs).not.toContainEqual(expect.objectContaining({ blob_id: second.blob_id }));
    expect([await count('lamps'), await count('chairs')]).toEqual([0, 1]);
  });

  /** Unknown ids are listed, not counted, and set the exit code 1. */
  async function forgetsOnlyWhatIsThere(known: string): Promise<void> {
    const absent = randomUUID();
    const none = await memrelay('forget', absent, '--namespace', 'lamps');
    expect([none.code, none.stderr]).toEqual([
      1,
      expect.stringContaining('None of these ids is in namespace'),
    ]);
    expect(none.stdout).toBe(`Not in namespace "lamps": ${absent}\n`);
    const elsewhere = await memrelay('forget', known, '--namespace', 'chairs', '--yes', '--json');
    expect(elsewhere.code).toBe(1);
    expect(JSON.parse(elsewhere.stdout)).toMatchObject({ error: 'unknown_ids' });
    const some = await memrelay('forget', absent, known, known, '--namespace', 'lamps');
    expect(some.stdout).toContain('Forget 1 memory\n');
    expect(some.stdout).toContain(`Not in namespace "lamps": ${absent}\n`);
    const noId = await memrelay('forget', 'lamp', '--namespace', 'lamps', '--yes');
    expect([noId.code, noId.stderr]).toEqual([
      2,
      expect.stringContaining('must be a memory, job or blob id'),
    ]);
  }

  it('list, namespaces and stats report stored memories, and a known text is not stored again', async () => {
    const namespace = 'numbers';
    const remember = (text: string) => memrelay('remember', text, '--namespace', namespace, '--json');
    const first = JSON.parse((await remember('Seven lamps')).stdout);
    expect(first).not.toHaveProperty('deduplicated');
    expect(JSON.parse((await remember('Seven lamps')).stdout)).toEqual({
      ...first,
      id: expect.not.stringMatching(first.id),
      job_id: expect.not.stringMatching(first.id),
      deduplicated: true,
    });
    expect((await memrelay('remember', 'Seven lamps', '--namespace', namespace)).stdout).toContain(
      'Already known: the same text is stored. Id ',
    );
    await remember('Eight lamps');

    const listed = await memrelay('list', '--namespace', namespace, '--json', '--limit', '1');
    expect(JSON.parse(listed.stdout)).toMatchObject({
      memories: [{ namespace, expires_at: expect.stringMatching(/^\d{4}-.*Z$/) }],
      more: true,
    });
    const all = await memrelay('list', '--json');
    expect(JSON.parse(all.stdout)).toMatchObject({ more: false });
    const human = await memrelay('list', '--namespace', namespace);
    expect(human.stdout).toMatch(
      new RegExp(
        `^\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d {2}numbers {2}\\d.+ until \\d{4}-\\d\\d-\\d\\d \\(epoch \\d+\\) {2}${first.id}$`,
        'm',
      ),
    );
    expect((await memrelay('list', '--namespace', 'empty')).stdout).toContain('memrelay namespaces');

    const named = JSON.parse((await memrelay('namespaces', '--json')).stdout).namespaces;
    expect(named).toContainEqual(expect.objectContaining({ namespace, memory_count: 2 }));
    expect((await memrelay('namespaces')).stdout).toMatch(/^numbers +2 memories +\d.* newest /m);
    const stats = JSON.parse((await memrelay('stats', '--json')).stdout);
    expect(stats).toMatchObject({ stale_count: 0, jobs: { failed: 0 }, namespaces: named });
    const shown = new RegExp(`^Memories +${stats.memory_count}\\n[^]+^Embeddings +built-in`, 'm');
    expect((await memrelay('stats')).stdout).toMatch(shown);

    expect(await memrelay('retry', first.id)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('This job is done: only one that has failed can be retried.'),
    });
    expect(await memrelay('retry', 'no-such-job')).toMatchObject({ code: 1 });
  });

  it('an import that is killed, interrupted and repeated stores every line exactly once', async () => {
    const file = join(home, 'facts.txt');
    const lines = Array.from({ length: 90 }, (_, i) => `Locker ${i} holds item ${(i * 37) % 90}.`);
    await writeFile(file, lines.join('\n'));
    const args = ['import', file, '--namespace', 'lockers'];
    const journalLines = async (): Promise<number> => {
      const directory = join(home, 'data', 'imports');
      const [name] = await readdir(directory).catch(() => []);
      return name ? (await readFile(join(directory, name), 'utf8')).trim().split('\n').length : 0;
    };
    const killed = startCommand(args, environment);
    await until('the first chunk is acknowledged', async () => (await journalLines()) >= 2);
    killed.child.kill('SIGKILL');
    await killed.ended;

    const interrupted = startCommand(args, environment);
    await interrupted.printed(/Resuming an interrupted import/);
    interrupted.child.kill('SIGINT');
    expect((await interrupted.ended).code).toBe(130);

    const last = await memrelay(...args, '--json');
    expect(last).toMatchObject({ code: 0 });
    expect(JSON.parse(last.stdout)).toMatchObject({ total: 90, accepted: 90, stored: 90, failed: [] });
    expect((await recalled('locker item', 'lockers')).sort()).toEqual([...lines].sort());

    const again = await memrelay(...args, '--json');
    expect(JSON.parse(again.stdout)).toMatchObject({ stored: 0, earlier_import: expect.any(String) });

    const anew = await memrelay(...args, '--json', '--again');
    expect(JSON.parse(anew.stdout)).toMatchObject({ stored: 90, known: 90, failed: [] });
    expect((await recalled('locker item', 'lockers')).length).toBe(90);
  });
});

describe('a killed process', () => {
  it.each([
    ['localnet, blob store and dashboard', 'local-services'],
    ['the sidecar', 'apps/sidecar/'],
    ['the relayer', 'apps/relayer/'],
  ])('that of %s is restarted, and memories are recalled', async (name, file) => {
    const isPart = ({ command }: { command: string }): boolean => command.includes(file);
    const before = (await parts()).find(isPart);
    expect(before, 'it runs').toBeDefined();
    process.kill(before!.pid, 'SIGKILL');
    await until('another one runs', async () =>
      (await parts()).some((part) => isPart(part) && part.pid !== before!.pid),
    );
    // A command is a separate process, so it does not learn when the system is up again
    await until('the relayer is ready', () => isReady(`http://127.0.0.1:${environment.PORT}`));
    await until('a memory is recalled', async () =>
      (await recalled('tea')).includes('Ana takes lemon in her tea'),
    );
    const page = `http://127.0.0.1:${environment.DASHBOARD_PORT}/connect/mcp`;
    await until('the dashboard answers', async () => (await fetch(page).catch(() => undefined))?.ok === true);
    const text = `Stored after the end of ${name}.`;
    await until('a memory is stored', async () => (await memrelay('remember', text)).code === 0);
    expect(await recalled(text)).toContain(text);
  });
});

describe('shutdown', () => {
  it.each(['SIGTERM', 'SIGINT'] as const)(
    'by %s leaves no process behind, and the next start finds the memories',
    async (signal) => {
      const running = await parts();
      expect(running.length).toBeGreaterThanOrEqual(3);
      system.child.kill(signal);
      // As npm and timeout forward it
      system.child.kill(signal);
      const ended = await system.ended;
      expect(ended).toMatchObject({ code: 0, stdout: expect.stringContaining('"event":"stopped"') });
      expect(running.filter(({ pid }) => isAlive(pid))).toEqual([]);
      // On the ports of the first start, which are remembered
      system = await startLocalSystem({ HOME: home, MEM_DATA_DIR: environment.MEM_DATA_DIR });
      expect(await recalled('tea')).toContain('Ana takes lemon in her tea');
    },
  );

  it('by kill -9 leaves no process behind either', async () => {
    const running = await parts();
    system.child.kill('SIGKILL');
    await system.ended;
    await until('all parts have ended', async () => running.every(({ pid }) => !isAlive(pid)));
    system = await startLocalSystem(environment);
    expect(await recalled('tea')).toContain('Ana takes lemon in her tea');
  });
});
