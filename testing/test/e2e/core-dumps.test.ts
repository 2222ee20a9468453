import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { freePorts } from '@memrelay/process/free-ports';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { createTestBackend, type TestBackend } from '../../src/test-backend.ts';
import { startTestNetwork, type TestNetwork } from '../../src/test-network.ts';
import { startTestRelayer, type TestRelayer } from '../../src/test-relayer.ts';

/** Tests that process memory is never written to disk, no matter how a part is started. */

const entry = fileURLToPath(new URL('../../../apps/relayer/src/main.ts', import.meta.url));

/** Soft and hard limit of a core file, bytes. */
async function coreLimits(pid: number): Promise<string[]> {
  const limits = await readFile(`/proc/${pid}/limits`, 'utf8');
  return /^Max core file size +(\S+) +(\S+)/m.exec(limits)!.slice(1);
}

async function onlyChildOf(pid: number): Promise<number> {
  return Number((await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8')).trim());
}

/** 1 byte if it can be set exactly, otherwise 0. Both are too small for a core file. */
const off = [expect.stringMatching(/^[01]$/), expect.stringMatching(/^[01]$/)];

describe.runIf(process.platform === 'linux')('core dumps', () => {
  let network: TestNetwork;
  let backends: TestBackend[];
  let relayer: TestRelayer;
  beforeAll(async () => {
    network = await startTestNetwork();
    backends = await Promise.all([createTestBackend(), createTestBackend()]);
    relayer = await startTestRelayer(network, backends[0]!);
  });
  afterAll(async () => {
    await relayer?.stop();
    await Promise.all([network?.close(), ...(backends ?? []).map((backend) => backend.drop())]);
  });

  test('are off in every part that another part starts', async () => {
    const { pid } = relayer.part();
    for (const part of [pid, await onlyChildOf(pid), network.localnet.pid, network.blobstore.pid])
      expect(await coreLimits(part)).toEqual(off);
  });

  /** Starts a relayer from a shell with core dumps enabled: its log until it listens, and the limits at that time. */
  async function startedAlone(path: string | undefined) {
    const [port, sidecarPort] = await freePorts(2);
    const { databaseUrl, keys } = backends[1]!;
    const child = spawn(
      '/bin/sh',
      ['-c', 'ulimit -S -c unlimited; exec "$0" "$@"', process.execPath, entry],
      {
        env: {
          ...relayer.environment,
          ...keys,
          PATH: path,
          PORT: String(port),
          SIDECAR_URL: `http://127.0.0.1:${sidecarPort}`,
          DATABASE_URL: databaseUrl,
        },
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    );
    let log = '';
    const listening = Promise.withResolvers<void>();
    child.stdout!.setEncoding('utf8').on('data', (text: string) => {
      log += text;
      if (log.includes('"event":"listening"')) listening.resolve();
    });
    const ended = once(child, 'exit');
    await Promise.race([listening.promise, ended]);
    const [own, sidecar] = [await coreLimits(child.pid!), await coreLimits(await onlyChildOf(child.pid!))];
    child.kill('SIGTERM');
    await ended;
    return { log, own, sidecar };
  }

  test('are turned off by a relayer that was started alone', async () => {
    const { log, own, sidecar } = await startedAlone(process.env.PATH);
    expect([own, sidecar]).toEqual([off, off]);
    expect(log).not.toContain('core dumps');
  });

  test('are logged when the relayer cannot turn them off, and are off in its sidecar', async () => {
    const { log, own, sidecar } = await startedAlone('/nowhere');
    expect(sidecar).toEqual(off);
    // If nothing may raise the limit, there is nothing to log
    if (own[1] !== '0') expect(log).toMatch(/may write core dumps.*ulimit -c 0/);
  });
});
