import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '@memrelay/process/free-ports';
import { expectIn, type StrangerCase, type World } from './case.ts';
import { clientProgram, remembered } from './programs.ts';
import { startServer } from './server.ts';
import { gzippedSize } from './tarballs.ts';
import { tool } from './tools.ts';

/** Maximum size of the plain client for browsers with all its dependencies, minified and compressed. */
export const maxPlainClientBytes = 25_000;

const kib = (bytes: number): string => `${(bytes / 1024).toFixed(1)} KiB`;

/** The options of the client whose credentials the system wrote, and a module that uses them. */
async function writeClient({ system }: World): Promise<string> {
  const { credentialsPath } = await system();
  const { delegatePrivateKey, accountId, packageId, relayerUrl } = JSON.parse(
    readFileSync(credentialsPath, 'utf8'),
  );
  return clientProgram({ key: delegatePrivateKey, accountId, packageId, serverUrl: relayerUrl });
}

async function bundleWithEsbuild(world: World): Promise<{ cwd: string; esbuild: string }> {
  const cwd = await world.install('esbuild', ['@memrelay/sdk'], ['esbuild@0.28']);
  world.bench.folder('esbuild', {
    'plain.js': "import { MemRelay } from '@memrelay/sdk';\nglobalThis.MemRelay = MemRelay;\n",
    'client.js': await writeClient(world),
    'worker.js': `import { firstHit } from './client.js';
const worker = { fetch: async () => new Response(await firstHit()) };
export { worker as default };
`,
  });
  return { cwd, esbuild: join(cwd, 'node_modules', '.bin', 'esbuild') };
}

export const bundlerCases: readonly StrangerCase[] = [
  {
    name: 'esbuild, plain client for browsers',
    async run(world) {
      const { cwd, esbuild } = await bundleWithEsbuild(world);
      const flags = ['--bundle', '--minify', '--format=esm', '--platform=browser', '--target=es2022'];
      await world.bench.run(esbuild, ['plain.js', ...flags, '--outfile=plain.out.js'], { cwd });
      const bytes = gzippedSize(join(cwd, 'plain.out.js'));
      if (bytes > maxPlainClientBytes)
        throw new Error(`the plain client has ${kib(bytes)} gzipped, more than ${kib(maxPlainClientBytes)}`);
      return `${kib(bytes)} gzipped, at most ${kib(maxPlainClientBytes)}`;
    },
  },
  {
    name: 'esbuild, runs in workerd',
    async run(world) {
      const workerd = await tool(world.bench, 'workerd', 'workerd');
      const { cwd, esbuild } = await bundleWithEsbuild(world);
      const flags = ['--bundle', '--format=esm', '--platform=browser', '--conditions=workerd,worker'];
      await world.bench.run(esbuild, ['worker.js', ...flags, '--outfile=worker.out.js'], { cwd });
      const port = await freePort();
      world.bench.folder('esbuild', { 'config.capnp': workerdConfig(port) });
      const { relayerUrl } = await world.system();
      const command = [workerd, 'serve', 'config.capnp'];
      await using server = await startServer(world.bench, command, cwd, `http://127.0.0.1:${port}/`);
      expectIn(server.body, remembered);
      return `recall from ${new URL(relayerUrl).hostname}`;
    },
  },
  {
    name: 'Vite',
    async run(world) {
      const cwd = await world.install('vite', ['@memrelay/sdk'], ['vite@8']);
      world.bench.folder('vite', {
        'index.html': '<!doctype html><script type="module" src="/page.js"></script>\n',
        'client.js': await writeClient(world),
        'page.js': "import { firstHit } from './client.js';\ndocument.title = await firstHit();\n",
      });
      const vite = join(cwd, 'node_modules', '.bin', 'vite');
      const output = await world.bench.run(vite, ['build', '--target', 'es2022'], { cwd });
      if (/externalized for browser/i.test(output)) throw new Error(`Node modules in a page:\n${output}`);
      const assets = join(cwd, 'dist', 'assets');
      const script = readdirSync(assets).find((name) => name.endsWith('.js'))!;
      return `${kib(gzippedSize(join(assets, script)))} gzipped`;
    },
  },
  {
    name: 'Next, page and route',
    async run(world) {
      const cwd = await world.install('next', ['@memrelay/sdk'], ['next@16', 'react@19', 'react-dom@19']);
      const { env } = await world.system();
      world.bench.folder('next', {
        'client.js': await writeClient(world),
        'app/layout.js':
          'export default function Layout({ children }) { return <html lang="en"><body>{children}</body></html>; }\n',
        'app/page.js': `'use client';
import { useState } from 'react';
import { firstHit } from '../client.js';
export default function Page() {
  const [text, setText] = useState('');
  return <button type="button" onClick={async () => setText(await firstHit())}>ask {text}</button>;
}
`,
        'app/memory/route.js': `import { MemRelay } from '@memrelay/sdk';
export const dynamic = 'force-dynamic';
export async function GET() {
  const memory = await MemRelay.connect();
  const { results } = await memory.recall('how do I drink tea?');
  return new Response(results[0].text);
}
`,
      });
      const next = join(cwd, 'node_modules', '.bin', 'next');
      await world.bench.run(next, ['build'], { cwd, env, timeoutMs: 300_000 });
      const port = await freePort();
      const command = [next, 'start', '--port', String(port)];
      await using server = await startServer(
        world.bench,
        command,
        cwd,
        `http://127.0.0.1:${port}/memory`,
        env,
      );
      expectIn(server.body, remembered);
      return 'client component built, route recalls';
    },
  },
];

const workerdConfig = (port: number): string => `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = (
      modules = [(name = "worker", esModule = embed "worker.out.js")],
      compatibilityDate = "2026-01-01",
      globalOutbound = "local",
    )),
    (name = "local", network = (allow = ["local", "private", "public"])),
  ],
  sockets = [(name = "http", address = "127.0.0.1:${port}", http = (), service = "main")],
);
`;
