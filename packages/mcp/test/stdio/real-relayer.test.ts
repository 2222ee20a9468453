import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { permissions } from '@memrelay/chain/account-bcs';
import { createTestBackend, type TestBackend } from '@memrelay/dev-env/test-backend';
import { startTestNetwork, type TestNetwork } from '@memrelay/dev-env/test-network';
import { createTestOwner, credentialsOf, newTestKey, type TestOwner } from '@memrelay/dev-env/test-owner';
import { startTestRelayer, type TestRelayer } from '@memrelay/dev-env/test-relayer';
import { nodePrimitives } from '@memrelay/envelope/node-primitives';
import { sealHandOver } from '@memrelay/sdk/account/sign-in/hand-over';
import { parseSignInFragment } from '@memrelay/sdk/account/sign-in/sign-in-request';
import { saveCredentials } from '@memrelay/sdk/save-credentials-node';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startLossyLine } from './lossy-line.ts';
import { useMachine } from './machine.ts';
import { oldestNode } from './old-node.ts';

const bin = fileURLToPath(new URL('../../bin/memrelay-mcp.mjs', import.meta.url));
const machine = useMachine();
let network: TestNetwork;
let backend: TestBackend;
let relayer: TestRelayer;
let owner: TestOwner;

beforeAll(async () => {
  [network, backend] = await Promise.all([startTestNetwork(), createTestBackend()]);
  [relayer, owner] = await Promise.all([startTestRelayer(network, backend), createTestOwner(network)]);
});
afterAll(async () => {
  await relayer?.stop();
  await Promise.all([network?.close(), backend?.drop()]);
});

/** The owner's first delegate key, as a sign-in at this address would have written it. */
const signIn = (relayerUrl: string) =>
  saveCredentials(machine.credentialsPath, credentialsOf(network, owner, relayerUrl));

/** Does what the page does with a link: registers a new key on chain and seals it to the tool. */
async function approve(url: string): Promise<{ code: string; publicKey: string }> {
  const key = newTestKey();
  await owner.addDelegate(key, {});
  const code = sealHandOver(nodePrimitives, parseSignInFragment(new URL(url).hash), {
    privateKey: Buffer.from(key.privateKey, 'hex'),
    accountId: owner.accountId,
    walletAddress: owner.wallet.address,
    packageId: network.info.packageId,
    scope: { perms: permissions.all, all_namespaces: true, tags: [], min_epoch: 0n, expires_at_ms: 0n },
  });
  return { code, publicKey: key.publicKey };
}

async function stored(namespace: string): Promise<number> {
  const client = owner.client(relayer.url);
  let count = 0;
  for await (const _ of client.memories({ namespace })) count++;
  client.destroy();
  return count;
}

describe('the stdio package with a real relayer', () => {
  it('goes from sign-in to sign-out in one process, on the oldest supported Node', async () => {
    const node = oldestNode();
    const stdio = machine.start({ node, args: [`--relayer=${relayer.url}`, '--namespace=tea', '--local'] });
    await stdio.open();
    const { text } = await stdio.call('mem_login');
    const { code, publicKey } = await approve(/^http:\/\/\S+\/connect\/mcp#\S+$/m.exec(text)![0]);
    const changed = stdio.next(({ method }) => method === 'notifications/tools/list_changed');
    // As over SSH: the code of the page, brought by another process.
    const bringer = machine.start({ node, args: ['login', '--code', code] });
    let printed = '';
    bringer.child.stdout!.on('data', (part) => (printed += part));
    expect([await bringer.end(), bringer.stderr()]).toEqual([0, '']);
    expect(printed).toContain(`wallet ${owner.wallet.address}, account ${owner.accountId}`);
    await changed;

    expect(JSON.parse(await readFile(machine.credentialsPath, 'utf8'))).toEqual({
      delegatePrivateKey: expect.stringMatching(/^[0-9a-f]{64}$/),
      delegatePublicKey: publicKey,
      delegateAddress: expect.stringMatching(/^0x[0-9a-f]{64}$/),
      walletAddress: owner.wallet.address,
      accountId: owner.accountId,
      packageId: network.info.packageId,
      relayerUrl: relayer.url,
      label: expect.any(String),
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
    });
    expect((await stat(machine.credentialsPath)).mode & 0o777).toBe(0o600);
    expect((await stat(dirname(machine.credentialsPath))).mode & 0o777).toBe(0o700);

    const ok = async (name: string, args: object) => {
      const answer = await stdio.call(name, args);
      expect(answer, name).toMatchObject({ isError: false });
      return answer.text;
    };
    await ok('mem_remember', { text: 'Ana drinks her tea without milk.' });
    expect(await ok('mem_recall', { query: 'How does Ana drink tea?' })).toContain('without milk');
    await ok('mem_analyze', { text: 'Ana is a vet. She lives in Porto.' });
    await ok('mem_restore', { namespace: 'tea' });
    expect((await stdio.call('mem_logout')).text).toContain(publicKey);
    expect((await stdio.call('mem_recall', { query: 'tea' })).text).toContain('mem_login');
  });

  it('stores a memory once when the relayer was killed and its response lost', async () => {
    const line = await startLossyLine(relayer.url);
    await signIn(line.url);
    const namespace = randomUUID();
    const stdio = machine.start({ args: [`--ns=${namespace}`] });
    await stdio.open();
    const lost = line.loseAnswer();
    const answer = stdio.call('mem_remember', { text: 'The boat is painted green.' });
    await lost;
    await relayer.kill();
    await relayer.start();
    line.repair();
    expect(await answer).toMatchObject({ isError: false });
    expect(await stored(namespace)).toBe(1);

    // The retries waited while there was no relayer, instead of spinning.
    expect(await processorSeconds(stdio.child.pid!)).toBeLessThan(3);
    await line.close();
  });

  it('serves the official client in both eras of the protocol', async () => {
    await signIn(relayer.url);
    const env = { PATH: process.env.PATH!, HOME: machine.home };
    for (const mode of ['legacy', { pin: '2026-07-28' }] as const) {
      const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
      await client.connect(new StdioClientTransport({ command: process.execPath, args: [bin], env }));
      expect((await client.listTools()).tools).toHaveLength(6);
      const { structuredContent } = await client.callTool({ name: 'mem_recall', arguments: { query: 'x' } });
      expect(structuredContent).toMatchObject({ memories: expect.any(Array) });
      await client.close();
    }
  });

  it('lets the MCP Inspector list and call every tool', async () => {
    await signIn(relayer.url);
    const cli = createRequire(import.meta.url).resolve('@modelcontextprotocol/inspector-cli/build/index.js');
    const inspect = (...args: string[]): Promise<Record<string, unknown>> =>
      new Promise((resolve, reject) => {
        // It looks for its own package.json in the parent of the working directory.
        const options = { cwd: dirname(cli), env: { PATH: process.env.PATH, HOME: machine.home } };
        execFile(process.execPath, [cli, process.execPath, bin, ...args], options, (error, stdout) =>
          error ? reject(error) : resolve(JSON.parse(stdout)),
        );
      });
    const { tools } = (await inspect('--method', 'tools/list')) as { tools: { name: string }[] };
    const args: Record<string, string> = {
      mem_remember: 'text=The lamp is red.',
      mem_recall: 'query=lamp',
      mem_analyze: 'text=The desk is old.',
      mem_restore: 'namespace=lamps',
      mem_login: '',
      mem_logout: '',
    };
    expect(tools.map(({ name }) => name)).toEqual(Object.keys(args));
    for (const { name } of tools) {
      const given = args[name] ? ['--tool-arg', args[name]] : [];
      const answer = await inspect('--method', 'tools/call', '--tool-name', name, ...given);
      expect(answer.isError ?? false, `${name}: ${JSON.stringify(answer)}`).toBe(false);
    }
  });
});

async function processorSeconds(pid: number): Promise<number> {
  const { stdout } = await promisify(execFile)('ps', ['-o', 'cputime=', '-p', String(pid)]);
  return stdout
    .trim()
    .split(/[-:]/)
    .reduce((seconds, part) => seconds * 60 + Number(part), 0);
}
