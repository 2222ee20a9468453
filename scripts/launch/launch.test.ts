import { type ChildProcess, spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isInstalled, stampFile } from './installed.mjs';

const repository = join(import.meta.dirname, '..', '..');
let root: string;

/** A clone with only the launcher: no dependencies, `npm test` runs `script`. */
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'memrelay-launch-'));
  for (const part of ['scripts/launch.mjs', 'scripts/launch', 'scripts/build', 'testing/src/services']) {
    cpSync(join(repository, part), join(root, part), { recursive: true });
  }
  writeLockfile({});
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function writeLockfile(dependencies: Record<string, string>): void {
  const manifest = { name: 'clone', version: '1.0.0', type: 'module', dependencies };
  const locked = Object.entries(dependencies).map(([name, version]) => [`node_modules/${name}`, { version }]);
  const packages = { '': manifest, ...Object.fromEntries(locked) };
  writeFileSync(join(root, 'package.json'), JSON.stringify(manifest));
  writeFileSync(
    join(root, 'package-lock.json'),
    JSON.stringify({ ...manifest, lockfileVersion: 3, packages }),
  );
}

function launch(
  args: string[],
  env: NodeJS.ProcessEnv = {},
  { shell = false } = {},
): { child: ChildProcess; printed(): string; code: Promise<number> } {
  const command = [process.execPath, join(root, 'scripts/launch.mjs'), ...args];
  const [program, ...rest] = shell ? ['sh', '-c', `"$@"; exit $?`, 'sh', ...command] : command;
  const child = spawn(program!, rest, {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
  }
  const code = new Promise<number>((resolve) => child.once('close', (exit) => resolve(exit ?? -1)));
  return { child, printed: () => text, code };
}

const writeTestScript = (text: string) => writeFileSync(join(root, 'scripts/test.ts'), text);

describe('a launch', () => {
  it('installs, runs the script with its arguments and returns its exit code', async () => {
    writeTestScript(
      'const args: string[] = process.argv.slice(2); console.log(args.join("+")); process.exitCode = 7;',
    );
    const first = launch(['test', 'one', '--two']);
    expect(await first.code).toBe(7);
    expect(first.printed()).toContain('one+--two');
    expect(existsSync(stampFile(root))).toBe(true);
  });

  it('lists the commands', async () => {
    const run = launch(['strat']);
    expect(await run.code).toBe(2);
    expect(run.printed()).toContain('no command "strat"');
    expect(run.printed()).toContain('start, demo, test, test:strangers, check, bench');
  });

  it('installs once when several start together', async () => {
    writeTestScript('process.stdout.write("ran");');
    const runs = [1, 2, 3].map(() => launch(['test']));
    expect(await Promise.all(runs.map(({ code }) => code))).toEqual([0, 0, 0]);
    expect(runs.every(({ printed }) => printed().endsWith('ran'))).toBe(true);
  });

  it('reports an unreachable registry, and does not run', async () => {
    writeLockfile({ 'lru-cache': '11.5.0' });
    writeTestScript('console.log("ran");');
    const run = launch(['test'], {
      npm_config_registry: 'http://127.0.0.1:9/',
      npm_config_cache: join(root, 'cache'),
      npm_config_fetch_retries: '0',
    });
    expect(await run.code).toBe(1);
    expect(run.printed()).toContain('The package registry cannot be reached (ECONNREFUSED)');
    expect(run.printed()).not.toContain('ran');
  });

  it.each(['SIGINT', 'SIGTERM'] as const)('lets the script finish cleanly on %s', async (signal) => {
    writeTestScript(`
      const alive = setInterval(() => undefined, 1_000);
      process.on('${signal}', () => { clearInterval(alive); console.log('closed'); process.exitCode = 5; });
      console.log('ready');`);
    const run = launch(['test']);
    while (!run.printed().includes('ready') && run.child.exitCode === null) await wait(20);
    run.child.kill(signal);
    expect(await run.code).toBe(5);
    expect(run.printed()).toContain('closed');
  });
});

it.skipIf(process.platform === 'win32')(
  'ends the script when npm is ended, whose shell does not pass the signal on',
  async () => {
    writeTestScript(`
      const alive = setInterval(() => undefined, 1_000);
      process.on('SIGTERM', () => { clearInterval(alive); console.log('closed'); });
      console.log('ready');`);
    const run = launch(['test'], { npm_lifecycle_event: 'test' }, { shell: true });
    while (!run.printed().includes('ready') && run.child.exitCode === null) await wait(20);
    run.child.kill('SIGTERM');
    // The output closes when the last process that inherited it has ended
    await run.code;
    expect(run.printed()).toContain('closed');
  },
);

describe('isInstalled', () => {
  const record = (packages: object) => {
    mkdirSync(join(root, 'node_modules'), { recursive: true });
    writeFileSync(join(root, 'node_modules', '.package-lock.json'), JSON.stringify({ packages }));
  };

  it('accepts a plain npm install, and leaves its stamp', () => {
    writeLockfile({ a: '1.0.0' });
    record({ 'node_modules/a': { version: '1.0.0' } });
    expect(isInstalled(root)).toBe(true);
    expect(readFileSync(stampFile(root), 'utf8')).toMatch(/^[0-9a-f]{64}$/);
  });

  it('requires an install after the lockfile changed, despite an old stamp', () => {
    writeLockfile({ a: '1.0.0' });
    record({ 'node_modules/a': { version: '1.0.0' } });
    expect(isInstalled(root)).toBe(true);
    writeLockfile({ a: '1.0.1' });
    expect(isInstalled(root)).toBe(false);
  });

  it('requires an install after a workspace moved to another folder', () => {
    writeLockfile({});
    const file = join(root, 'package-lock.json');
    const lock = JSON.parse(readFileSync(file, 'utf8'));
    lock.packages['node_modules/part'] = { resolved: 'apps/part', link: true };
    writeFileSync(file, JSON.stringify(lock));
    record({ 'node_modules/part': { resolved: 'packages/part', link: true } });
    expect(isInstalled(root)).toBe(false);
    record({ 'node_modules/part': { resolved: 'apps/part', link: true } });
    expect(isInstalled(root)).toBe(true);
  });

  it('requires an install when there is none, or an interrupted one', () => {
    writeLockfile({ a: '1.0.0' });
    expect(isInstalled(root)).toBe(false);
    mkdirSync(join(root, 'node_modules', 'a'), { recursive: true });
    expect(isInstalled(root)).toBe(false);
  });
});
