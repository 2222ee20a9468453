import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { type RunningSystem, startSystem } from 'memrelay/system/start-system';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { codeBlocks } from './markdown.ts';
import { repository, root } from './repository.ts';

let dataDir: string;
let system: RunningSystem;

beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'memrelay-snippets-'));
  const [relayer, sidecar, localnet, blobstore, dashboard] = await freePorts(5);
  const { PATH, HOME } = process.env;
  system = await startSystem({
    dataDir,
    ports: {
      relayer: relayer!,
      sidecar: sidecar!,
      localnet: localnet!,
      blobstore: blobstore!,
      dashboard: dashboard!,
    },
    environment: { PATH, HOME },
    onProgress: () => undefined,
    onOutput: () => undefined,
    onGivenUp: () => undefined,
  });
});

afterAll(async () => {
  await system?.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

it('the ten lines of the README store a memory and find it', async () => {
  expect(await runSnippet('README.md', 0)).toEqual({
    code: 0,
    stdout: 'Ana likes her tea with lemon.\n',
    stderr: '',
  });
});

it('the ten lines of docs/connect-an-app.md do, too', async () => {
  const { code, stdout, stderr } = await runSnippet('docs/connect-an-app.md', 0);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toMatch(/^\d\.\d{3} Ana likes her tea with lemon\.\n$/);
});

it('what waits until a memory is stored shows its blob id', async () => {
  const { code, stdout, stderr } = await runSnippet('docs/connect-an-app.md', 1);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toMatch(/^stored as [\w-]{43}\n$/);
});

/** Runs the page's n-th TypeScript block as somebody would who has just started the system. */
async function runSnippet(
  page: string,
  n: number,
): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const snippets = codeBlocks(repository.read(page)).filter(({ language }) => language === 'ts');
  const child = spawn(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', '--input-type=module-typescript'],
    {
      cwd: root,
      // A home without ~/.mem, so that no credentials of the person who runs the test are found
      env: { PATH: process.env.PATH, HOME: dataDir, MEM_DATA_DIR: dataDir },
    },
  );
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
  child.stdin.end(snippets[n]!.code);
  const [code, stdout, stderr] = await Promise.all([ended, text(child.stdout), text(child.stderr)]);
  return { code, stdout, stderr };
}

/** Ports that were free a moment ago, all different. */
async function freePorts(count: number): Promise<number[]> {
  const servers = await Promise.all(
    Array.from({ length: count }, () => {
      const server = createServer();
      return new Promise<typeof server>((resolve) => server.listen(0, '127.0.0.1', () => resolve(server)));
    }),
  );
  const ports = servers.map((server) => (server.address() as { port: number }).port);
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}
