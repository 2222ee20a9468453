import { copyFileSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expectIn, type StrangerCase } from './case.ts';
import { memoryOf } from './memory-of.ts';
import { nodeOf } from './tools.ts';

const text = 'Ana likes her tea with lemon';
const bin = ['node_modules', '.bin', 'memrelay'];

/** The commands, installed only from their tarballs. The system that they use runs from its tarball too. */
export const commandCases: readonly StrangerCase[] = [
  {
    name: 'npx memrelay up, Node 20, no network after installation',
    async run({ system }) {
      const { startMs, pid } = await system();
      const { bytes, processes } = memoryOf(pid);
      return `ready after ${(startMs / 1000).toFixed(1)} s, ${processes} processes, ${Math.round(bytes / 1024 ** 2)} MiB (PSS)`;
    },
  },
  {
    name: 'npx memrelay remember and recall, Node 20',
    async run({ bench, install, system }) {
      const { env } = await system();
      const cwd = await install('memrelay', ['memrelay']);
      const node = await nodeOf(bench, '20');
      const command = join(cwd, ...bin);
      await bench.run(node, [command, 'remember', text], { cwd, env });
      const started = performance.now();
      expectIn(await bench.run(node, [command, 'recall', 'what does Ana drink?'], { cwd, env }), text);
      return `recall in ${((performance.now() - started) / 1000).toFixed(2)} s`;
    },
  },
  {
    name: 'npx memrelay mcp install, Node 20',
    async run({ bench, install }) {
      const cwd = await install('memrelay', ['memrelay']);
      const node = await nodeOf(bench, '20');
      expectIn(
        await bench.run(node, [join(cwd, ...bin), 'mcp', 'install', 'cursor', '--print'], { cwd }),
        'mcpServers',
      );
      return '';
    },
  },
  {
    name: 'npx memrelay-mcp, Node 20',
    async run({ bench, install, system }) {
      const { env, credentialsPath } = await system();
      const cwd = await install('mcp', ['memrelay-mcp']);
      // A home directory like after a sign-in
      const home = join(bench.root, 'signed-in');
      mkdirSync(join(home, '.mem'), { recursive: true, mode: 0o700 });
      copyFileSync(credentialsPath, join(home, '.mem', 'credentials.json'));
      const node = await nodeOf(bench, '20');
      const call = (id: number, method: string, params: object): string =>
        `${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`;
      const client = {
        protocolVersion: '2025-06-18',
        capabilities: {},
        clientInfo: { name: 'stranger', version: '1' },
      };
      const input =
        call(1, 'initialize', client) +
        call(2, 'tools/list', {}) +
        call(3, 'tools/call', { name: 'mem_recall', arguments: { query: 'what does Ana drink?' } });
      const output = await bench.run(node, [join(cwd, 'node_modules', '.bin', 'memrelay-mcp')], {
        cwd,
        env: { ...env, HOME: home },
        input,
      });
      expectIn(output, '"mem_remember"');
      expectIn(output, text);
      return 'tools/list and mem_recall';
    },
  },
  {
    name: 'npx @memrelay/blobstore --help, Node 20',
    async run({ bench, install }) {
      const cwd = await install('blobstore', ['@memrelay/blobstore']);
      const node = await nodeOf(bench, '20');
      expectIn(
        await bench.run(node, [join(cwd, 'node_modules', '.bin', 'memrelay-blobstore'), '--help'], { cwd }),
        '--port',
      );
      return '';
    },
  },
  {
    name: 'memrelay: what is installed',
    async run({ install }) {
      const cwd = await install('memrelay', ['memrelay']);
      const names = installedIn(join(cwd, 'node_modules'));
      const scripts = names.filter((name) => hasInstallScript(join(cwd, 'node_modules', name)));
      if (scripts.length > 0) throw new Error(`install scripts: ${scripts.join(', ')}`);
      return `${names.length} packages, no install script`;
    },
  },
];

function installedIn(folder: string): string[] {
  return readdirSync(folder)
    .filter((name) => !name.startsWith('.'))
    .flatMap((name) =>
      name.startsWith('@') ? readdirSync(join(folder, name)).map((own) => `${name}/${own}`) : [name],
    )
    .filter((name) => statSync(join(folder, name)).isDirectory());
}

function hasInstallScript(folder: string): boolean {
  const { scripts = {} } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
    scripts?: Record<string, string>;
  };
  return ['preinstall', 'install', 'postinstall'].some((name) => name in scripts);
}
