import { chmod, readFile, stat, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { trustOrigin, trustPath } from '@memrelay/sdk/trusted-origins-node';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { keys, useMachine } from './machine.ts';
import { type ScriptedRelayer, startScriptedRelayer } from './scripted-relayer.ts';
import type { Message } from './stdio-process.ts';

/** Starting a process is slow, so each one is tested in many states. */

const machine = useMachine();
const memoryTools = ['mem_remember', 'mem_recall', 'mem_analyze', 'mem_restore'];
const fact = { text: 'The cat is called Minou.' };
const listChanged = (message: Message): boolean => message.method === 'notifications/tools/list_changed';
let relayer: ScriptedRelayer;
let other: ScriptedRelayer;

beforeAll(async () => {
  [relayer, other] = await Promise.all([startScriptedRelayer(), startScriptedRelayer()]);
});
afterAll(() => Promise.all([relayer, other].map((each) => each.close())));
beforeEach(() => {
  for (const each of [relayer, other]) each.seen.length = 0;
});

describe('without credentials', () => {
  it('answers everything immediately, and each memory tool says what to do', async () => {
    const stdio = machine.start({ args: [`--relayer=${relayer.url}`] });
    const opened = await stdio.open();
    expect(opened.result).toMatchObject({
      protocolVersion: '2025-11-25',
      capabilities: { tools: { listChanged: true } },
      serverInfo: { name: 'memrelay' },
      instructions: expect.stringContaining('mem_recall'),
    });
    expect((await stdio.request('ping')).result).toEqual({});
    expect(await stdio.tools()).toEqual([...memoryTools, 'mem_login']);
    // No prompts and no resources: the capability is not offered, so the method does not exist.
    for (const method of ['prompts/list', 'resources/list', 'no/such'])
      expect((await stdio.request(method)).error?.code, method).toBe(-32601);
    for (const [line, code] of [
      ['{"jsonrpc": "2.0", "id"', -32700],
      ['{"hello": 1}', -32600],
    ] as const) {
      const refused = stdio.next((message) => message.id === null);
      stdio.send(line);
      expect((await refused).error?.code).toBe(code);
    }
    for (const name of memoryTools) {
      const answer = await stdio.call(name, { ...fact, query: 'x', namespace: 'x' });
      expect(answer).toMatchObject({ isError: true, text: expect.stringMatching(/mem_login/) });
    }
    const byOriginalName = await stdio.call('memwal_recall', { query: 'x' });
    expect(byOriginalName).toMatchObject({ isError: true, text: expect.stringMatching(/mem_login/) });
    expect(relayer.seen).toEqual([]);
    expect(stdio.stderr()).toBe('');
  });

  it('follows sign-ins, changes and sign-outs of other processes', async () => {
    const stdio = machine.start({ args: ['--ns=of-flag'], env: { MEM_NAMESPACE: 'of-variable' } });
    await stdio.open();
    await stdio.tools();

    const signedIn = stdio.next(listChanged);
    await machine.signIn(relayer.url);
    await signedIn;
    expect(await stdio.tools()).toEqual([...memoryTools, 'mem_login', 'mem_logout']);
    expect(await stdio.call('mem_remember', fact)).toMatchObject({ isError: false });
    expect(relayer.seen[0]).toMatchObject({ path: '/api/remember', body: { ...fact, namespace: 'of-flag' } });
    expect(relayer.seen[0]!.headers['x-public-key']).toBe(keys[0][1]);

    await machine.signIn(other.url, keys[1]);
    await stdio.call('mem_remember', { ...fact, namespace: ' ' });
    await stdio.call('mem_remember', { ...fact, namespace: 'of-call' });
    const writes = other.seen.filter(({ path }) => path === '/api/remember');
    expect(writes.map(({ headers, body }) => [headers['x-public-key'], body.namespace])).toEqual([
      [keys[1][1], 'of-flag'],
      [keys[1][1], 'of-call'],
    ]);

    await writeFile(machine.credentialsPath, '{"delegatePrivateKey": "11');
    const broken = await stdio.call('mem_remember', fact);
    expect(broken).toMatchObject({ isError: true, text: expect.stringMatching(/is not valid JSON/) });
    await machine.signIn(relayer.url);
    await chmod(machine.credentialsPath, 0o644);
    expect((await stdio.call('mem_remember', fact)).text).toContain('chmod 600');
    await chmod(machine.credentialsPath, 0o600);
    expect(await stdio.call('mem_remember', fact)).toMatchObject({ isError: false });

    const signedOut = stdio.next(listChanged);
    const loggedOut = await stdio.call('mem_logout');
    await signedOut;
    expect(loggedOut.text).toContain('stays registered on chain');
    expect(loggedOut.text).toContain(`npx memrelay delegate revoke ${keys[0][1]}`);
    await expect(stat(machine.credentialsPath)).rejects.toThrow('ENOENT');
    expect((await stdio.call('mem_remember', fact)).text).toMatch(/No one is signed in.*mem_login/);
    expect(await stdio.tools()).toEqual([...memoryTools, 'mem_login']);
    expect(stdio.stderr()).not.toContain(keys[0][0]);
  });

  it('mem_login asks for a key with the name of the host, unless the configuration has one', async () => {
    const service = ['--relayer=https://relayer.example', '--web-url=https://web.example'];
    const labelOf = async (args: string[]): Promise<string | null> => {
      const stdio = machine.start({ args: [...service, ...args] });
      await stdio.open();
      const { text } = await stdio.call('mem_login');
      await stdio.end();
      return new URLSearchParams(/connect\/mcp#(\S+)$/m.exec(text)![1]).get('label');
    };
    expect(await labelOf([])).toBe('test');
    expect(await labelOf(['--label=my agent'])).toBe('my agent');
  });

  it('mem_login returns a URL within a second, and a new one closes the previous one', async () => {
    const stdio = machine.start({
      args: ['--relayer=https://relayer.example', '--web-url=https://web.example', '--label=my agent'],
    });
    await stdio.open();
    const signInAt = async () => {
      const began = performance.now();
      const { text, isError } = await stdio.call('mem_login');
      expect(performance.now() - began).toBeLessThan(1_000);
      expect(isError).toBe(false);
      expect(text).toContain('login --code CODE');
      expect(text).toMatch(/^Code: [0-9A-Z]{4}-[0-9A-Z]{4}$/m);
      const url = new URL(/^https:\/\/web\.example\/connect\/mcp#\S+$/m.exec(text)![0]);
      const port = /(?:^|&)port=(\d+)/.exec(url.hash.slice(1))![1];
      return { url: url.href, hello: `http://127.0.0.1:${port}/callback` };
    };
    const listens = (hello: string): Promise<boolean> =>
      fetch(hello, { headers: { origin: 'https://web.example' } }).then(
        ({ ok }) => ok,
        () => false,
      );
    const first = await signInAt();
    expect(await listens(first.hello)).toBe(true);
    const second = await signInAt();
    expect(second.url).not.toBe(first.url);
    expect([await listens(first.hello), await listens(second.hello)]).toEqual([false, true]);
    const [third, fourth] = await Promise.all([signInAt(), signInAt()]);
    expect([await listens(third!.hello), await listens(fourth!.hello)]).toEqual([false, true]);
    await stdio.end();
    expect(await listens(fourth!.hello)).toBe(false);
  });
});

describe('with credentials', () => {
  it('uses the relayer of the variable, or of the flag before it, and leaves the file unchanged', async () => {
    await machine.signIn('https://relayer.example');
    const before = await readFile(machine.credentialsPath, 'utf8');
    const env = { MEM_SERVER_URL: other.url, MEM_NAMESPACE: 'of-variable', MEM_MCP_DEBUG: '1' };
    const byVariable = machine.start({ env });
    const byFlag = machine.start({ env, args: [`--relayer=${relayer.url}`] });
    for (const stdio of [byVariable, byFlag]) {
      await stdio.open();
      expect(await stdio.call('mem_remember', fact)).toMatchObject({ isError: false });
    }
    for (const { seen } of [other, relayer])
      expect(seen[0]).toMatchObject({ path: '/api/remember', body: { namespace: 'of-variable' } });

    relayer.faults.push(401);
    const refused = await byFlag.call('mem_remember', fact);
    expect(refused.isError).toBe(true);
    for (const cause of [/revoked/, /another relayer or network/, /clock/, /mem_login/])
      expect(refused.text).toMatch(cause);
    expect(await readFile(machine.credentialsPath, 'utf8')).toBe(before);

    // A dropped connection in the middle of a write: repeated as the same write.
    relayer.seen.length = 0;
    relayer.faults.push('drop', 'drop');
    expect(await byFlag.call('mem_remember', fact)).toMatchObject({ isError: false });
    const writes = relayer.seen.filter(({ path }) => path === '/api/remember');
    expect(writes).toHaveLength(3);
    expect(new Set(writes.map(({ headers }) => headers['idempotency-key'])).size).toBe(1);

    const log = byFlag.stderr();
    expect(log).toContain('"url":"');
    expect(log).toContain('"tool":"mem_remember"');
    for (const secret of [keys[0][0], fact.text, 'x-signature']) expect(log).not.toContain(secret);
  });

  it('sends nothing to an unapproved origin; memrelay trust takes effect immediately', async () => {
    await machine.signIn('https://relayer.example');
    // An address of this machine that does not count as loopback
    const origin = `http://0.0.0.0:${relayer.port}`;
    const stdio = machine.start({ env: { MEM_SERVER_URL: origin } });
    await stdio.open();
    for (const name of [...memoryTools, 'mem_login']) {
      const answer = await stdio.call(name, { ...fact, query: 'x', namespace: 'x' });
      expect(answer, name).toMatchObject({ isError: true, text: expect.stringContaining(`trust ${origin}`) });
    }
    expect(relayer.seen).toEqual([]);
    await trustOrigin('https://another.example', trustPath(machine.home));
    expect((await stdio.call('mem_remember', fact)).isError).toBe(true);
    expect(relayer.seen).toEqual([]);
    await trustOrigin(origin, trustPath(machine.home));
    expect(await stdio.call('mem_remember', fact)).toMatchObject({ isError: false });
    expect(relayer.seen).not.toEqual([]);
  });

  it('still sends the pending response when the host closes its end', async () => {
    await machine.signIn(relayer.url);
    const stdio = machine.start();
    await stdio.open();
    const answer = stdio.call('mem_remember', fact);
    expect(await stdio.end()).toBe(0);
    expect(await answer).toMatchObject({ isError: false });
  });

  it('reports an unreachable relayer, and uses it when it is back', async () => {
    const gone = await startScriptedRelayer();
    await gone.close();
    await machine.signIn(gone.url);
    const stdio = machine.start();
    expect((await stdio.open()).result).toBeDefined();
    const down = await stdio.call('mem_recall', { query: 'cats' });
    expect(down).toMatchObject({
      isError: true,
      text: expect.stringMatching(/cannot be reached.*memrelay up/),
    });
    const back = await startScriptedRelayer(gone.port);
    expect(await stdio.call('mem_remember', fact)).toMatchObject({ isError: false });
    await back.close();
  });

  it('--login starts a new sign-in, keeps the file until then, and uses the new credentials', async () => {
    await machine.signIn(relayer.url);
    const before = await readFile(machine.credentialsPath, 'utf8');
    const stdio = machine.start({ args: ['--login'] });
    await stdio.open();
    expect(await stdio.tools()).toEqual([...memoryTools, 'mem_login']);
    expect((await stdio.call('mem_remember', fact)).text).toContain('mem_login');
    expect(await stdio.call('mem_login')).toMatchObject({
      isError: false,
      text: expect.stringMatching(/Until then, wallet 0x3{64} stays signed in.*If it does not open/s),
    });
    expect(await readFile(machine.credentialsPath, 'utf8')).toBe(before);
    expect(relayer.seen).toEqual([]);
    await machine.signIn(relayer.url, keys[1]);
    expect(await stdio.call('mem_remember', fact)).toMatchObject({ isError: false });
    expect(relayer.seen[0]!.headers['x-public-key']).toBe(keys[1][1]);
  });
});

describe('a call that ends immediately', () => {
  it('is a usage error with exit code 2, help, or a sign-out', async () => {
    const run = async (...args: string[]) => {
      const stdio = machine.start({ args });
      // Output for a person is not part of the protocol.
      let printed = '';
      stdio.child.stdout!.on('data', (text) => (printed += text));
      return { code: await stdio.end(), printed, stderr: stdio.stderr() };
    };
    expect(await run('--nosuch')).toEqual({
      code: 2,
      printed: '',
      stderr: expect.stringContaining('There is no flag --nosuch.'),
    });
    const help = await run('--help');
    expect(help.code).toBe(0);
    for (const flag of [
      '--relayer',
      '--web-url',
      '--label',
      '--namespace',
      '--ns',
      '--login',
      '--logout',
      '--prod',
    ])
      expect(help.printed).toContain(flag);
    await machine.signIn(relayer.url);
    expect((await stat(dirname(machine.credentialsPath))).mode & 0o777).toBe(0o700);
    const out = await run('--logout');
    expect(out).toMatchObject({ code: 0, printed: expect.stringContaining('stays registered on chain') });
    await expect(stat(machine.credentialsPath)).rejects.toThrow('ENOENT');
  });
});
