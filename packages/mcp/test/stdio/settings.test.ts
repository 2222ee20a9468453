import { describe, expect, it } from 'vitest';
import { presets } from '../../src/presets.ts';
import { UsageError } from '../../src/stdio/flags.ts';
import { readSettings } from '../../src/stdio/settings.ts';

const read = (line: string, env: NodeJS.ProcessEnv = {}) =>
  readSettings(line.split(' ').filter(Boolean), env);
const environment = {
  MEM_SERVER_URL: 'https://relayer.variable.example',
  MEM_WEB_URL: 'https://web.variable.example',
  MEM_CLIENT_LABEL: 'by variable',
  MEM_NAMESPACE: 'by-variable',
  MEM_MCP_DEBUG: '1',
};

describe('settings', () => {
  it('reads every variable', () => {
    expect(read('', environment)).toMatchObject({
      action: 'serve',
      relayerUrl: 'https://relayer.variable.example',
      webUrl: 'https://web.variable.example',
      label: 'by variable',
      namespace: 'by-variable',
      debug: true,
    });
  });

  it('a flag overrides its variable, in both forms and with each alias', () => {
    for (const line of [
      '--relayer http://r.example --web-url http://w.example --label mine --namespace n',
      '--relayer=http://r.example --web-url=http://w.example --label=mine --namespace=n',
      '--relayer-url http://r.example --web=http://w.example --label mine --ns n',
    ])
      expect(read(line, environment)).toMatchObject({
        relayerUrl: 'http://r.example',
        webUrl: 'http://w.example',
        label: 'mine',
        namespace: 'n',
      });
  });

  it('takes the data directory and the label only from a flag or variable', () => {
    expect(read('', {})).toMatchObject({ dataDir: undefined, label: undefined });
    expect(read('', { MEM_DATA_DIR: '/a' }).dataDir).toBe('/a');
    expect(read('--data-dir=/b', { MEM_DATA_DIR: '/a' }).dataDir).toBe('/b');
  });

  it('keeps "=" inside a value', () => {
    expect(read('--namespace=a=b==').namespace).toBe('a=b==');
    expect(read('--ns a=b').namespace).toBe('a=b');
  });

  it('treats an empty variable as unset', () => {
    const empty = Object.fromEntries(Object.keys(environment).map((name) => [name, '']));
    expect(read('', empty)).toEqual(read(''));
    expect(read('')).toMatchObject({ relayerUrl: undefined, namespace: undefined, debug: false });
  });

  it('--local overrides variables and is overridden by explicit URLs', () => {
    const local = { relayerUrl: 'http://127.0.0.1:8000', webUrl: 'http://localhost:5173' };
    expect(read('--local')).toMatchObject(local);
    expect(read('--local', environment)).toMatchObject(local);
    expect(read('--local --relayer http://r.example', environment)).toMatchObject({
      relayerUrl: 'http://r.example',
      webUrl: local.webUrl,
    });
    expect(read('--web-url http://w.example --local')).toMatchObject({
      relayerUrl: local.relayerUrl,
      webUrl: 'http://w.example',
    });
  });

  it('rejects a preset that this build does not have, and says where to set it', () => {
    for (const name of ['prod', 'staging'] as const)
      if (presets[name]) expect(read(`--${name}`)).toMatchObject(presets[name]);
      else expect(() => read(`--${name}`)).toThrow(/packages\/mcp\/src\/presets\.ts/);
  });

  it('determines the action', () => {
    expect(read('login')).toMatchObject({ action: 'login', forceLogin: true });
    expect(read('--login')).toMatchObject({ action: 'serve', forceLogin: true });
    expect(read('login --code abc')).toMatchObject({ action: 'login', code: 'abc' });
    for (const line of ['logout', '--logout']) expect(read(line).action).toBe('logout');
    for (const line of ['-h', '--help', 'login --help']) expect(read(line).action).toBe('help');
    expect(read('--extra-tools').extraTools).toBe(true);
    expect(read('').extraTools).toBe(false);
  });

  it.each([
    '--nosuch',
    '--nosuch=1',
    'serve',
    'login login',
    '-x',
    '--relayer',
    '--relayer --local',
    '--namespace=',
    '--relayer notaurl',
    '--relayer ftp://r.example',
    '--relayer http://user:secret@r.example',
    '--relayer http://r.example/?a=1',
    '--local=1',
    '--local --prod',
    'login --logout',
    '--code abc',
    `--namespace ${'n'.repeat(129)}`,
    `--label ${'é'.repeat(33)}`,
  ])('rejects %s', (line) => {
    expect(() => read(line)).toThrow(UsageError);
  });

  it('names the invalid variable, but not its value', () => {
    const wrong = () => read('', { MEM_SERVER_URL: 'http://user:hunter2@r.example' });
    expect(wrong).toThrow(/^MEM_SERVER_URL must be/);
    expect(wrong).not.toThrow(/hunter2/);
  });

  it('shows help even if other flags are wrong', () => {
    expect(read('--help --prod', { MEM_SERVER_URL: 'nonsense' }).action).toBe('help');
  });

  it('imports credentials only on request', () => {
    expect(read('login --from-memwal')).toMatchObject({ action: 'login', fromMemwal: true });
    expect(read('--login --from-memwal --relayer http://r.example')).toMatchObject({
      fromMemwal: true,
      relayerUrl: 'http://r.example',
    });
    expect(read('login')).toMatchObject({ fromMemwal: false });
    for (const line of ['--from-memwal', 'logout --from-memwal', 'login --from-memwal --code mr1.x'])
      expect(() => read(line), line).toThrow(UsageError);
  });
});
