import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { type RawRequest, rawRequest } from '@memrelay/dev-env/raw-request';
import { compileCache } from '@memrelay/process/compile-cache';
import { freePorts } from '@memrelay/process/free-ports';
import { headers } from '@memrelay/protocol/headers';
import { MemRelay } from '@memrelay/sdk/mem-relay';
import { type RunningSystem, startSystem } from 'memrelay/system/start-system';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { declaredRoutes } from './declared-names.ts';
import { codeBlocks } from './markdown.ts';
import { repository, root } from './repository.ts';

/** Tests statements of the documents and the contract on the system that `npm start` runs. */

let dataDir: string;
let dashboardPort: number;
let system: RunningSystem;
let client: MemRelay;

beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'memrelay-documents-'));
  const ports = await freePorts(5);
  dashboardPort = ports[4]!;
  const { PATH, HOME } = process.env;
  system = await startSystem({
    dataDir,
    ports: {
      relayer: ports[0]!,
      sidecar: ports[1]!,
      localnet: ports[2]!,
      blobstore: ports[3]!,
      dashboard: dashboardPort,
    },
    environment: { PATH, HOME },
    onProgress: () => undefined,
    onOutput: () => undefined,
    onGivenUp: () => undefined,
  });
  client = MemRelay.fromCredentials(system.credentials);
});

afterAll(async () => {
  client?.destroy();
  await system?.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

describe('the documents', () => {
  it('store and find a memory with the ten lines of the README', async () => {
    const expected = { code: 0, stdout: 'Ana likes her tea with lemon.\n', stderr: '' };
    expect(await runSnippet('README.md', 0)).toEqual(expected);
  });

  it('store and find a memory with the ten lines of docs/connect-an-app.md', async () => {
    const { code, stdout, stderr } = await runSnippet('docs/connect-an-app.md', 0);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/^\d\.\d{3} Ana likes her tea with lemon\.\n$/);
  });

  it('show the blob id when waiting until a memory is stored', async () => {
    const { code, stdout, stderr } = await runSnippet('docs/connect-an-app.md', 1);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/^stored as [\w-]{43}\n$/);
  });

  it('store and find the first memory of the tutorial', async () => {
    const expected = { code: 0, stdout: 'Ana is allergic to nuts.\n', stderr: '' };
    expect(await runSnippet('docs/tutorial.md', 0)).toEqual(expected);
  });

  it("let the tutorial's chat remember across runs, admit what it does not know, and forget", async () => {
    const chat = (...lines: string[]): Promise<Ended> =>
      runSnippet('docs/tutorial.md', 1, lines.map((line) => `${line}\n`).join(''));
    const first = await chat(
      'Ana is allergic to nuts. She moved to Lisbon yesterday.',
      'What must Ana not eat?',
      'Does she have a dog?',
      'Ana is allergic to nuts.',
      '/quit',
    );
    expect(first).toMatchObject({ code: 0, stderr: '' });
    expect(first.stdout.replace(/\d{4}-\d\d-\d\d/, 'DATE').split('\n')).toEqual([
      '> I will remember: Ana is allergic to nuts.',
      'I will remember: She moved to Lisbon yesterday (DATE).',
      '> Ana is allergic to nuts.',
      "> I don't know yet. Tell me.",
      '> I already know: Ana is allergic to nuts.',
      '> ',
    ]);
    const second = await chat('Who moved to Lisbon?', '/forget', 'Who moved to Lisbon?', '/quit');
    expect(second).toMatchObject({ code: 0, stderr: '' });
    expect(second.stdout).toMatch(
      /^> She moved to Lisbon yesterday \(.+\)\.\n> Forgotten: 2\n> I don't know yet\. Tell me\.\n> $/,
    );
  });
});

describe('the contract', () => {
  it('rejects unsigned requests on every route below /api', async () => {
    const routes = repository.code
      .filter(({ path }) => path.startsWith('apps/relayer/src/api/routes/'))
      .flatMap(({ text: source }) => declaredRoutes(source))
      .filter((route) => route.includes(' /api/'));
    expect(routes.length).toBeGreaterThan(7);
    for (const route of routes) {
      const [method, path] = route.split(' ') as [string, string];
      const answer = await fetch(new URL(path.replace(/:\w+/, 'x'), system.urls.relayer), { method });
      expect({ route, status: answer.status }).toEqual({ route, status: 401 });
      expect(await answer.json()).toMatchObject({ error: 'missing_auth_header' });
    }
  });

  it('returns ten hits from a recall by default, each with its time', async () => {
    const items = Array.from({ length: 12 }, (_, i) => ({
      text: `sort number ${i} of tea`,
      namespace: 'twelve',
    }));
    await client.rememberBulkAndWait(items);
    const { results, total } = await client.recall('tea', { namespace: 'twelve' });
    expect({ hits: results.length, total }).toEqual({ hits: 10, total: 10 });
    for (const { createdAt } of results) expect(createdAt).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
  });

  it('returns ten hits from a manual recall by default', async () => {
    const namespace = 'twelve by vector';
    const items = Array.from({ length: 12 }, (_, i) => ({ text: `cup number ${i} of tea`, namespace }));
    await client.rememberBulkAndWait(items);
    const vector = Array.from({ length: 1536 }, (_, i) => Math.sin(i));
    const hits = async (limit?: number) =>
      (await client.recallManual({ vector, namespace, limit })).results.length;
    expect([await hits(), await hits(11)]).toEqual([10, 11]);
  });

  it('gives a manual registration a separate id', async () => {
    const vector = Array.from({ length: 1536 }, (_, i) => Math.cos(i));
    const stored = await client.rememberManual({
      encryptedData: Buffer.from('sealed elsewhere'),
      vector,
      opaque: true,
    });
    expect(stored).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/),
      blobId: expect.stringMatching(/^[\w-]{43}$/),
      owner: system.credentials.walletAddress,
      namespace: 'default',
      opaque: true,
      message: expect.stringContaining('restore and text recall cannot use'),
    });
  });

  it.each(['', 'with space', 'x'.repeat(129), 'ü'])('rejects the idempotency key "%s"', async (key) => {
    const answer = await call({
      path: '/api/remember',
      body: { text: 'never stored' },
      headers: { [headers.idempotencyKey]: key },
    });
    expect(answer).toMatchObject({ status: 400, body: { error: 'invalid_request' } });
  });

  it('prefers x-enc-session to x-delegate-key, even if the first is invalid', async () => {
    const { delegatePrivateKey } = system.credentials;
    const answer = await call({
      path: '/api/recall',
      body: { query: 'tea', namespace: 'twelve' },
      headers: { [headers.encSession]: 'bm90IGEgc2Vzc2lvbg==', [headers.delegateKey]: delegatePrivateKey },
    });
    expect(answer).toMatchObject({ status: 403, body: { error: 'decrypt_denied' } });
  });

  it('lets the dashboard call from its port, and read what it needs', async () => {
    for (const host of ['localhost', '127.0.0.1']) {
      const origin = `http://${host}:${dashboardPort}`;
      const answer = await fetch(new URL('/version', system.urls.relayer), { headers: { origin } });
      expect(answer.headers.get('access-control-allow-origin')).toBe(origin);
      const exposed = answer.headers.get('access-control-expose-headers')?.split(', ');
      expect(exposed).toEqual(
        expect.arrayContaining(['x-request-id', 'retry-after', 'ratelimit', 'mcp-session-id']),
      );
    }
  });

  it('publishes the public address of the chain to clients', async () => {
    expect((await client.config()).suiRpcUrl).toBe(system.urls.localnet);
  });

  it('keeps keys in files readable only by their owner, separate from the database', async () => {
    const keys = join(dataDir, 'keys');
    expect(statSync(keys).mode & 0o777).toBe(0o700);
    expect(readdirSync(keys).sort()).toEqual([
      'blobstore-wallet',
      'index-key',
      'server-secret',
      'writer-key',
    ]);
    const secret = [...readdirSync(keys).map((name) => join(keys, name)), join(dataDir, 'wallet.json')];
    for (const path of [...secret, system.credentialsPath]) expect(statSync(path).mode & 0o777).toBe(0o600);
  });
});

function call(request: RawRequest) {
  const { delegatePrivateKey, delegatePublicKey, delegateAddress, accountId } = system.credentials;
  const key = { privateKey: delegatePrivateKey, publicKey: delegatePublicKey, address: delegateAddress };
  return rawRequest(system.urls.relayer, key, { accountId, ...request });
}

interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** Runs the page's n-th TypeScript block, with these lines as its input, as a reader would after `npm start`. */
async function runSnippet(page: string, n: number, input = ''): Promise<Ended> {
  const snippets = codeBlocks(repository.read(page)).filter(({ language }) => language === 'ts');
  const flags = ['--disable-warning=ExperimentalWarning', '--input-type=module-typescript'];
  const child = spawn(process.execPath, [...flags, '--eval', snippets[n]!.code], {
    cwd: root,
    // A home without ~/.mem, so that no credentials of the person who runs the test are found
    env: { PATH: process.env.PATH, HOME: dataDir, MEM_DATA_DIR: dataDir, ...compileCache() },
  });
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
  child.stdin.end(input);
  const [code, stdout, stderr] = await Promise.all([ended, text(child.stdout), text(child.stderr)]);
  return { code, stdout, stderr };
}
