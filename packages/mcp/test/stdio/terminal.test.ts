import { mkdir, readFile, rename, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readSettings } from '../../src/stdio/settings.ts';
import { stderrLog } from '../../src/stdio/stderr-log.ts';
import { signOutFromTerminal, startFromTerminal } from '../../src/stdio/terminal.ts';
import { keys, useMachine } from './machine.ts';

const machine = useMachine();
const realHome = process.env.HOME;
beforeEach(() => {
  process.env.HOME = machine.home;
});
afterEach(() => {
  process.env.HOME = realHome;
});

/** The output for a user who starts the package by hand. */
async function start(...args: string[]): Promise<{ code: number; printed: string }> {
  const lines: string[] = [];
  const code = await startFromTerminal(
    readSettings(args, {}),
    stderrLog(false, () => {}),
    (line) => lines.push(line),
  );
  return { code, printed: lines.join('\n') };
}

describe('started in a terminal', () => {
  it('with credentials shows who is signed in and how to configure a host, and exits', async () => {
    await machine.signIn('https://relayer.example');
    const { code, printed } = await start();
    expect(code).toBe(0);
    expect(printed).toContain('Signed in to https://relayer.example');
    expect(printed).toContain('npx memrelay mcp install');
    expect(printed).not.toContain(keys[0][0]);
  });

  it('with an unusable file reports it and leaves it unchanged', async () => {
    await machine.signIn('https://relayer.example');
    await writeFile(machine.credentialsPath, '{}');
    const { code, printed } = await start();
    expect(code).toBe(1);
    expect(printed).toContain('cannot be used: delegatePrivateKey must be');
    expect(await readFile(machine.credentialsPath, 'utf8')).toBe('{}');
  });

  it('without credentials opens a sign-in, or explains why it cannot', async () => {
    expect(await start('--relayer=https://relayer.example')).toEqual({
      code: 1,
      printed: expect.stringContaining('--web-url'),
    });
    expect(await start('--web-url=http://web.example')).toEqual({
      code: 1,
      printed: expect.stringContaining('must use https'),
    });
  });

  it('login prints a link, rejects an invalid code, and ends on Ctrl-C', async () => {
    const stdio = machine.start({ args: ['login', '--local'] });
    let printed = '';
    const shows = (text: string): Promise<void> =>
      new Promise((resolve) => {
        stdio.child.stdout!.on('data', function look(part) {
          printed += part;
          if (printed.includes(text)) resolve();
        });
      });
    await shows('paste it here');
    expect(printed).toMatch(/only if the page shows this code: [0-9A-Z]{4}-[0-9A-Z]{4}\n/);
    expect(printed).toMatch(/\n {2}http:\/\/localhost:5173\/connect\/mcp#\S+\n/);
    const refused = shows('This is not a sign-in code');
    stdio.send('nonsense');
    await refused;
    stdio.child.kill('SIGINT');
    expect(await stdio.end()).toBe(1);
    expect(printed).toContain('Interrupted. You are not signed in.');
  });

  it('logout reports if the file cannot be removed, or the key is stored elsewhere as well', async () => {
    const lines: string[] = [];
    await mkdir(machine.credentialsPath, { recursive: true });
    expect(await signOutFromTerminal((line) => lines.push(line))).toBe(1);
    expect(lines.pop()).toContain('cannot be deleted');

    await rename(machine.credentialsPath, join(machine.home, 'folder'));
    await machine.signIn('https://relayer.example');
    const real = join(machine.home, 'elsewhere.json');
    await rename(machine.credentialsPath, real);
    await symlink(real, machine.credentialsPath);
    expect(await signOutFromTerminal((line) => lines.push(line))).toBe(0);
    expect(lines.pop()).toContain(`${real} still contains the key`);
    expect(await readFile(real, 'utf8')).toContain(keys[0][0]);
  });
});
