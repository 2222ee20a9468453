import { readFile, writeFile } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readSettings } from '../../src/stdio/settings.ts';
import { stderrLog } from '../../src/stdio/stderr-log.ts';
import { startFromTerminal } from '../../src/stdio/terminal.ts';
import { keys, useMachine } from './machine.ts';

const machine = useMachine();
const realHome = process.env.HOME;
beforeEach(() => {
  process.env.HOME = machine.home;
});
afterEach(() => {
  process.env.HOME = realHome;
});

/** What somebody sees who starts the package by hand. */
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
  it('with credentials it says who is signed in and how to put it into a host, and ends', async () => {
    await machine.signIn('https://relayer.example');
    const { code, printed } = await start();
    expect(code).toBe(0);
    expect(printed).toContain('Signed in at https://relayer.example');
    expect(printed).toContain('npx memrelay mcp install');
    expect(printed).not.toContain(keys[0][0]);
  });

  it('with a file that cannot be used it says so and leaves it', async () => {
    await machine.signIn('https://relayer.example');
    await writeFile(machine.credentialsPath, '{}');
    const { code, printed } = await start();
    expect(code).toBe(1);
    expect(printed).toContain('cannot be used: delegatePrivateKey must be');
    expect(await readFile(machine.credentialsPath, 'utf8')).toBe('{}');
  });

  it('without credentials it opens a sign-in; where none can be, it says why', async () => {
    expect(await start('--relayer=https://relayer.example')).toEqual({
      code: 1,
      printed: expect.stringContaining('--web-url'),
    });
    expect(await start('--web-url=http://web.example')).toEqual({
      code: 1,
      printed: expect.stringContaining('must be https'),
    });
  });

  it('login prints a link, tells of a code that is none, and ends by Ctrl-C', async () => {
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
    expect(printed).toMatch(/\n {2}http:\/\/localhost:5173\/connect\/mcp#\S+\n/);
    const refused = shows('This is no sign-in code');
    stdio.send('nonsense');
    await refused;
    stdio.child.kill('SIGINT');
    expect(await stdio.end()).toBe(1);
    expect(printed).toContain('Interrupted: nobody was signed in.');
  });
});
