import { execFile } from 'node:child_process';
import {
  chmod,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  readlink,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Writable } from 'node:stream';
import { promisify } from 'node:util';
import { hosts } from 'memrelay-mcp/hosts/known-hosts';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { install, uninstall } from '../../src/commands/mcp.ts';
import { trust } from '../../src/commands/trust.ts';
import { jsonAt } from '../../src/hosts/edit-json.ts';
import { createOutput } from '../../src/terminal/output.ts';

const realHome = process.env.HOME;
const privateKey = '11'.repeat(32);
const key = 'd04ab232742bb4ab3a1368bd4615e4e6d0224ab71a016baf8520a332c9778737';
let home: string;
let printed: string;

const output = () => {
  const stream = new Writable({
    write(chunk, _encoding, done) {
      printed += chunk;
      done();
    },
  }) as unknown as NodeJS.WriteStream;
  return createOutput({ json: false }, { stdout: stream, stderr: stream });
};
const put = (host: string, options: Parameters<typeof install>[2] = {}) =>
  install(output(), host, { yes: true, ...options }, {});
const take = (host: string) => uninstall(output(), host, { yes: true }, {});
const pathOf = (name: string): string =>
  hosts.find((host) => host.name === name)!.configPath({ home, platform: process.platform, env: {} });
const mode = async (path: string) => (await stat(path)).mode & 0o777;

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'mcp-hosts-'));
  process.env.HOME = home;
  expect(homedir()).toBe(home);
  printed = '';
});
afterEach(async () => {
  process.env.HOME = realHome;
  await rm(home, { recursive: true });
});

async function signedIn(relayerUrl: string): Promise<void> {
  const path = join(home, 'credentials.json');
  const address = (digit: string) => `0x${digit.repeat(64)}`;
  await writeFile(
    path,
    JSON.stringify({
      delegatePrivateKey: privateKey,
      delegatePublicKey: key,
      delegateAddress: address('2'),
      walletAddress: address('3'),
      accountId: address('4'),
      packageId: address('5'),
      relayerUrl,
      label: 'test',
      createdAt: '2026-03-02T10:00:00Z',
    }),
    { mode: 0o600 },
  );
}

describe('memrelay mcp install', () => {
  it.each(hosts)('writes the format of $name once, and uninstall removes it', async (host) => {
    const path = pathOf(host.name);
    await put(host.name, { namespace: 'work', local: true });
    const written = await readFile(path, 'utf8');
    expect(written).toContain('memrelay-mcp.mjs');
    expect(written).toContain('--namespace=work');
    await put(host.name, { namespace: 'work', local: true });
    expect(await readFile(path, 'utf8')).toBe(written);
    expect(await readdir(dirname(path)), 'no backup of what was not there').toHaveLength(1);
    await take(host.name);
    expect(await readFile(path, 'utf8')).not.toContain('memrelay');
    await take(host.name);
    expect(printed).toContain(`${host.title} has no memrelay in ${path}`);
  });

  it('gives each host its own name in the dashboard, unless another is chosen', async () => {
    await put('zed');
    const args = async () =>
      jsonAt(await readFile(pathOf('zed'), 'utf8'), ['context_servers', 'memrelay', 'args']);
    expect(await args()).toContain('--label=Zed');
    await put('zed', { label: 'my editor' });
    expect(await args()).toContain('--label=my editor');
  });

  it('writes the variables of this terminal, so that the tools use the same system', async () => {
    const variables = {
      MEM_DATA_DIR: join(home, 'data'),
      MEM_SERVER_URL: 'http://127.0.0.1:8801',
      MEM_WEB_URL: 'http://127.0.0.1:5901',
    };
    const args = async (options: object): Promise<unknown> => {
      await install(output(), 'cursor', { yes: true, ...options }, variables);
      const written = jsonAt(await readFile(pathOf('cursor'), 'utf8'), ['mcpServers', 'memrelay', 'args']);
      return (written as string[]).slice(1);
    };
    expect(await args({})).toEqual([
      '--relayer=http://127.0.0.1:8801',
      '--web-url=http://127.0.0.1:5901',
      `--data-dir=${join(home, 'data')}`,
      '--label=Cursor',
    ]);
    expect(await args({ local: true, dataDir: '/other' })).toEqual([
      '--local',
      '--data-dir=/other',
      '--label=Cursor',
    ]);
  });

  it('installs into all hosts that are found, and names the hosts where it cannot ask', async () => {
    await expect(install(output(), undefined, { yes: true }, {})).rejects.toThrow(
      /^Name a host: claude-code, .*goose, or all for those found here \(none\)\.$/,
    );
    await expect(put('all')).rejects.toMatchObject({ code: 'no_host' });
    for (const name of ['goose', 'opencode']) await mkdir(dirname(pathOf(name)), { recursive: true });
    await writeFile(pathOf('goose'), '- not a mapping');
    await mkdir(join(home, '.claude'));
    await expect(put('all')).rejects.toThrow('Not written for goose');
    for (const name of ['opencode', 'claude-code'])
      expect(await readFile(pathOf(name), 'utf8')).toContain('memrelay-mcp.mjs');
    expect(await readFile(pathOf('goose'), 'utf8')).toBe('- not a mapping');
    await expect(stat(pathOf('cursor'))).rejects.toThrow('ENOENT');
  });

  it('refers to program and file by absolute paths, which work anywhere and without a PATH', async () => {
    await put('cursor');
    const { command, args } = jsonAt(await readFile(pathOf('cursor'), 'utf8'), [
      'mcpServers',
      'memrelay',
    ]) as {
      command: string;
      args: string[];
    };
    for (const path of [command, args[0]!]) expect((await stat(path)).isFile()).toBe(true);
    const { stdout } = await promisify(execFile)(command, [...args, '--help'], { env: {}, cwd: home });
    expect(stdout).toContain('over stdio (MCP)');
  });

  it('keeps the rest of the file, its mode, its link, and a backup', async () => {
    const real = join(home, 'dotfiles.json');
    const text =
      '{\n  // mine\n  "servers": { "memrelay": { "command": "old", "url": "x", "env": { "A": "1" } } },\n}\n';
    await writeFile(real, text);
    await chmod(real, 0o640);
    const path = join(home, 'mcp.json');
    await symlink(real, path);
    await put('vscode', { config: path });
    const written = await readFile(real, 'utf8');
    expect(written).toContain('// mine');
    const entry = jsonAt(written, ['servers', 'memrelay']) as Record<string, unknown>;
    expect(entry).toMatchObject({ type: 'stdio', env: { A: '1' } });
    expect(entry).not.toHaveProperty('url');
    expect(await mode(real)).toBe(0o640);
    const backup = (await readdir(home)).filter((name) => name.endsWith('.bak'));
    expect(await Promise.all(backup.map((name) => readFile(join(home, name), 'utf8')))).toEqual([text]);
  });

  it('keeps a link whose target does not exist yet', async () => {
    const config = join(home, 'mcp.json');
    await symlink('dotfiles/mcp.json', config);
    await put('cursor', { config });
    expect(await readlink(config)).toBe('dotfiles/mcp.json');
    expect(await readFile(join(home, 'dotfiles', 'mcp.json'), 'utf8')).toContain('memrelay-mcp.mjs');
  });

  it('writes nothing with --print or without consent', async () => {
    await put('claude-code', { print: true });
    expect(JSON.parse(printed).mcpServers.memrelay.type).toBe('stdio');
    await expect(put('claude-code', { yes: false })).rejects.toMatchObject({
      code: 'not_confirmed',
      exitCode: 2,
    });
    expect(await readdir(home)).toEqual([]);
  });

  it('leaves a file that it cannot parse unchanged', async () => {
    for (const [host, text] of [
      ['cursor', '{"mcpServers": '],
      ['cursor', '{"mcpServers": []}'],
      ['codex', 'mcp_servers = { }'],
    ] as const) {
      const config = join(home, 'config');
      await writeFile(config, text);
      await expect(put(host, { config })).rejects.toThrow(/was left as it is: .* --print/);
      expect(await readFile(config, 'utf8')).toBe(text);
      expect(await readdir(home)).toEqual(['config']);
    }
    const latin1 = Buffer.from('{"name": "caf\xe9"}', 'latin1');
    await writeFile(join(home, 'config'), latin1);
    await expect(put('cursor', { config: join(home, 'config') })).rejects.toThrow('is not UTF-8');
    expect(await readFile(join(home, 'config'))).toEqual(latin1);
    await expect(put('cursor', { config: home })).rejects.toMatchObject({ exitCode: 2 });
  });

  it('rejects a host, flag or preset that the tools would reject', async () => {
    await expect(put('emacs')).rejects.toThrow(/no host "emacs".*claude-code.*openclaw/);
    for (const options of [
      { namespace: ' ' },
      { relayer: 'nonsense' },
      { local: true, staging: true },
      { prod: true },
      { remote: true, local: true },
      { credentials: 'some.json' },
    ])
      await expect(put('cursor', options)).rejects.toMatchObject({ exitCode: 2 });
    expect(await readdir(home)).toEqual([]);
  });
});

describe('memrelay mcp install --remote', () => {
  const remote = () => ({ remote: true, credentials: join(home, 'credentials.json') });

  it('writes URL and headers, 0600, and never shows the key', async () => {
    await signedIn('https://relayer.example/');
    const config = join(home, 'mcp.json');
    await writeFile(config, '{}');
    await chmod(config, 0o644);
    for (const [host, keys] of [
      ['claude-code', ['mcpServers', 'memrelay']],
      ['cursor', ['mcpServers', 'memrelay']],
      ['vscode', ['servers', 'memrelay']],
      ['gemini', ['mcpServers', 'memrelay']],
      ['openclaw', ['mcp', 'servers', 'memrelay']],
    ] as const) {
      await put(host, { ...remote(), config, namespace: 'work' });
      const entry = jsonAt(await readFile(config, 'utf8'), keys) as Record<string, unknown>;
      expect(entry.url ?? entry.httpUrl, host).toBe('https://relayer.example/api/mcp');
      expect(entry.headers).toEqual({
        Authorization: `Bearer ${privateKey}`,
        'x-mem-account-id': `0x${'4'.repeat(64)}`,
        'x-mem-namespace': 'work',
      });
      expect(await mode(config)).toBe(0o600);
    }
    await put('codex', remote());
    expect(await readFile(pathOf('codex'), 'utf8')).toContain(`Authorization = "Bearer ${privateKey}"`);
    await put('codex', { ...remote(), print: true });
    expect(printed).toContain('holds your private key');
    expect(printed).not.toContain(privateKey);
  });

  it('replaces a local entry, and vice versa', async () => {
    await signedIn('http://127.0.0.1:8000');
    await put('gemini', remote());
    await put('gemini');
    const entry = () =>
      readFile(pathOf('gemini'), 'utf8').then((text) => jsonAt(text, ['mcpServers', 'memrelay']));
    expect(Object.keys((await entry()) as object)).toEqual(['command', 'args']);
    expect(printed).toMatch(/\.bak\. It contains the earlier private key: delete it\./);
    await put('gemini', remote());
    expect(Object.keys((await entry()) as object)).toEqual(['httpUrl', 'headers']);
  });

  it('with a relayer needs no credentials and writes no key, because the host signs in by itself', async () => {
    await signedIn('https://relayer.example');
    await put('cursor', remote());
    await put('cursor', { remote: true, relayer: 'https://other.example/' });
    const text = await readFile(pathOf('cursor'), 'utf8');
    expect(jsonAt(text, ['mcpServers', 'memrelay'])).toEqual({ url: 'https://other.example/api/mcp' });
    expect(printed).toContain('opens your browser to sign in');
    await put('codex', { remote: true, relayer: 'http://127.0.0.1:8000', namespace: 'work' });
    const toml = await readFile(pathOf('codex'), 'utf8');
    expect(toml).toContain('x-mem-namespace = "work"');
    expect(toml).not.toContain('Authorization');
    await expect(put('cursor', { remote: true, relayer: 'http://relayer.example' })).rejects.toThrow(
      'is not https',
    );
    await expect(put('cursor', { ...remote(), relayer: 'https://other.example' })).rejects.toThrow(
      'does not go with --remote',
    );
  });

  it('is rejected if the key would be sent unencrypted, or the host does not support it', async () => {
    await signedIn('http://relayer.example');
    await expect(put('cursor', remote())).rejects.toThrow('is not https');
    await signedIn('https://relayer.example');
    await expect(put('claude-desktop', remote())).rejects.toThrow('Connectors');
    for (const namespace of ['日本', 'naïve', ' work'])
      await expect(put('cursor', { ...remote(), namespace })).rejects.toThrow('only ASCII');
  });
});

describe('configuration paths of hosts', () => {
  it("follow the platform and the host's variables", () => {
    const at = (name: string, platform: NodeJS.Platform, env: NodeJS.ProcessEnv = {}) =>
      hosts
        .find((host) => host.name === name)!
        .configPath({ home: platform === 'win32' ? 'C:\\u' : '/u', platform, env });
    const file = 'claude_desktop_config.json';
    expect(at('claude-desktop', 'darwin')).toBe(`/u/Library/Application Support/Claude/${file}`);
    expect(at('claude-desktop', 'linux')).toBe(`/u/.config/Claude/${file}`);
    expect(at('claude-desktop', 'win32', { APPDATA: 'D:\\r' })).toBe(`D:\\r\\Claude\\${file}`);
    expect(at('vscode', 'darwin')).toBe('/u/Library/Application Support/Code/User/mcp.json');
    expect(at('vscode', 'linux', { XDG_CONFIG_HOME: '/x' })).toBe('/x/Code/User/mcp.json');
    expect(at('vscode', 'win32')).toBe('C:\\u\\AppData\\Roaming\\Code\\User\\mcp.json');
    expect(at('claude-code', 'linux')).toBe('/u/.claude.json');
    expect(at('claude-code', 'linux', { CLAUDE_CONFIG_DIR: '/c' })).toBe('/c/.claude.json');
    expect(at('cursor', 'win32')).toBe('C:\\u\\.cursor\\mcp.json');
    expect(at('codex', 'linux')).toBe('/u/.codex/config.toml');
    expect(at('codex', 'linux', { CODEX_HOME: '/k' })).toBe('/k/config.toml');
    expect(at('gemini', 'darwin')).toBe('/u/.gemini/settings.json');
    expect(at('openclaw', 'linux')).toBe('/u/.openclaw/openclaw.json');
    expect(at('openclaw', 'linux', { OPENCLAW_CONFIG_PATH: '/o.json' })).toBe('/o.json');
  });
});

describe('memrelay trust', () => {
  const call = (url: string | undefined, options: Parameters<typeof trust>[2] = {}) =>
    trust(output(), url, options);

  it('approves, lists and revokes, in a file that only its owner can read', async () => {
    await call('https://other.example:8443/path');
    await call('https://other.example:8443');
    expect(printed).toContain('https://other.example:8443 was approved already');
    const path = join(home, '.mem', 'trusted.json');
    expect(await mode(path)).toBe(0o600);
    expect(await mode(dirname(path))).toBe(0o700);
    printed = '';
    await call(undefined, { list: true });
    expect(printed.trim()).toBe('https://other.example:8443');
    await call(undefined, { remove: 'https://other.example:8443' });
    await call(undefined, { list: true });
    expect(printed).toContain('No relayers are approved');
  });

  it('rejects a server that is not a relayer, and a world-writable file', async () => {
    for (const url of ['nonsense', 'ftp://x.example', 'https://user:secret@x.example'])
      await expect(call(url)).rejects.toMatchObject({ exitCode: 2 });
    await expect(call(undefined)).rejects.toMatchObject({ exitCode: 2 });
    await call('https://other.example');
    await chmod(join(home, '.mem', 'trusted.json'), 0o666);
    await expect(call(undefined, { list: true })).rejects.toThrow('chmod 600');
  });
});
