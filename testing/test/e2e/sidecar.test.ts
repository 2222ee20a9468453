import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { setRecoveryKey } from '@memrelay/chain/account-transactions';
import { namespaceTag } from '@memrelay/envelope/namespace-tag';
import { nodePrimitives } from '@memrelay/envelope/node-primitives';
import { checkHeader, openBody } from '@memrelay/envelope/open-envelope';
import { openRecoveryWrap } from '@memrelay/envelope/recovery-wrap';
import { wrapType } from '@memrelay/envelope/wraps';
import { PartStartError, startPart } from '@memrelay/process/start-part';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createTestBackend, type TestBackend } from '../../src/test-backend.ts';
import { startTestNetwork, type TestNetwork } from '../../src/test-network.ts';
import { createTestOwner } from '../../src/test-owner.ts';
import { startTestRelayer } from '../../src/test-relayer.ts';

/** Tests the relayer and its sidecar as processes: which one starts, watches and stops the other. */

let network: TestNetwork;
let backend: TestBackend;
beforeAll(async () => {
  [network, backend] = await Promise.all([startTestNetwork(), createTestBackend()]);
});
afterAll(async () => {
  await Promise.all([network?.close(), backend?.drop()]);
});

const sidecarEntry = fileURLToPath(new URL('../../../apps/sidecar/src/main.ts', import.meta.url));

/** Pids of the processes that `pid` started (Linux: from /proc). */
async function childrenOf(pid: number): Promise<number[]> {
  const text = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8');
  return text
    .split(' ')
    .filter((part) => part !== '')
    .map(Number);
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

describe('the sidecar', () => {
  test('does not start without SIDECAR_AUTH_TOKEN, and logs why', async () => {
    const quiet = { onLine: () => undefined, onStderr: () => undefined };
    const start = startPart({
      name: 'sidecar',
      entry: sidecarEntry,
      environment: { PATH: process.env.PATH },
      ...quiet,
    });
    const error = await start.catch((failure: unknown) => failure);
    expect(error).toBeInstanceOf(PartStartError);
    expect((error as PartStartError).stderr).toContain('SIDECAR_AUTH_TOKEN is required');
    expect((error as PartStartError).exitCode).toBe(1);
  });

  test('responds only under loopback names and the name of SIDECAR_URL, even on /health', async () => {
    const relayer = await startTestRelayer(network, { ...backend });
    const { port } = new URL(relayer.environment.SIDECAR_URL!);
    const ask = async (host: string, path: string): Promise<[number, string]> => {
      const outgoing = request({ host: '127.0.0.1', port, path, headers: { host } }).end();
      const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
      return [response.statusCode!, await text(response)];
    };
    for (const host of ['localhost', `127.0.0.1:${port}`, '[::1]'])
      expect(await ask(host, '/health')).toEqual([200, expect.stringContaining('token_proof')]);
    for (const host of ['evil.example', '127.0.0.1.evil.example', 'a@localhost', '2130706433'])
      for (const path of ['/health', '/key-servers', '/api/mcp'])
        expect(await ask(host, path)).toEqual([403, expect.stringContaining('host_not_allowed')]);
    await relayer.stop();
  });

  test('responds only on /health without the token', async () => {
    const relayer = await startTestRelayer(network, backend);
    const sidecar = relayer.environment.SIDECAR_URL!;
    expect((await fetch(`${sidecar}/health`)).status).toBe(200);
    for (const [method, path] of [
      ['GET', '/key-servers'],
      ['POST', '/keys'],
      ['POST', '/envelopes/open'],
      ['POST', '/store/upload'],
    ] as const)
      for (const authorization of [undefined, 'Bearer wrong'])
        expect(
          (await fetch(sidecar + path, { method, headers: authorization ? { authorization } : {} })).status,
        ).toBe(401);
    await relayer.stop();
  });

  test('stops when its relayer is killed, and the next relayer starts another', async () => {
    const relayer = await startTestRelayer(network, backend);
    const [sidecar] = await childrenOf(relayer.part().pid);
    await relayer.kill();
    await expect.poll(() => isAlive(sidecar!), { timeout: 10_000 }).toBe(false);
    await relayer.start();
    expect((await childrenOf(relayer.part().pid))[0]).not.toBe(sidecar);
    await relayer.stop();
  });

  test('stops the relayer when it dies, so that the platform restarts both', async () => {
    const relayer = await startTestRelayer(network, backend);
    const [sidecar] = await childrenOf(relayer.part().pid);
    process.kill(sidecar!, 'SIGKILL');
    expect(await relayer.part().ended).toBe('exit code 3');
    expect(relayer.logs()).toContain('the sidecar exited');
  });

  test('fails its health checks when it hangs, until the relayer stops', async () => {
    const relayer = await startTestRelayer(network, {
      ...backend,
      environment: {
        SIDECAR_WATCHDOG_INTERVAL_SECS: '1',
        SIDECAR_WATCHDOG_TIMEOUT_SECS: '1',
        SIDECAR_WATCHDOG_MAX_FAILURES: '2',
      },
    });
    const [sidecar] = await childrenOf(relayer.part().pid);
    process.kill(sidecar!, 'SIGSTOP');
    expect(await relayer.part().ended).toBe('exit code 3');
    expect(relayer.logs()).toContain('failed 2 health checks in a row');
    process.kill(sidecar!, 'SIGKILL');
  });

  test("prevents a relayer's start if it has the port with another token", async () => {
    const first = await startTestRelayer(network, backend);
    const other = await createTestBackend();
    const environment = { SIDECAR_URL: first.environment.SIDECAR_URL };
    await expect(startTestRelayer(network, { ...other, environment })).rejects.toThrow(
      'SIDECAR_URL: a sidecar with another SIDECAR_AUTH_TOKEN answers there',
    );
    await first.stop();
    await other.drop();
  });
});

test('lets an owner with a recovery key read a memory without the key servers', async () => {
  const owner = await createTestOwner(network);
  const recovery = { privateKey: nodePrimitives.randomBytes(32) };
  const recoveryPk = nodePrimitives.x25519PublicKey(recovery.privateKey);
  await owner.execute(setRecoveryKey(network.info.packageId, owner.accountId, recoveryPk));
  const relayer = await startTestRelayer(network, backend);
  const stored = await owner.client(relayer.url).rememberAndWait('readable for its owner, whatever happens');
  await relayer.stop();

  const response = await fetch(`${network.blobstoreUrl}/v1/blobs/${stored.blobId}`);
  const bytes = new Uint8Array(await response.arrayBuffer());
  const origin = Buffer.from(owner.wallet.address.slice(2), 'hex');
  const envelope = checkHeader(bytes, {
    origin,
    tag: namespaceTag(nodePrimitives, origin, 'default'),
    maxEpoch: 0n,
  });
  const { header } = envelope;
  const wrap = header.wraps.find(({ type }) => type === wrapType.recovery)!;
  const privateKey = openRecoveryWrap(nodePrimitives, wrap, recovery.privateKey, header);
  expect(openBody(nodePrimitives, envelope, privateKey, () => true).text).toBe(
    'readable for its owner, whatever happens',
  );
});
