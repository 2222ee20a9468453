import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '@memrelay/process/free-ports';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { aggregatorChecks, keyServerChecks } from '../../src/doctor/http-checks.ts';
import { diskChecks, fileChecks, freeSpace } from '../../src/doctor/machine-checks.ts';
import { walletChecks } from '../../src/doctor/sidecar-checks.ts';
import { startServer } from '../support/http-server.ts';

/** Where nothing listens. */
const goneUrl = async (): Promise<string> => `http://127.0.0.1:${await freePort()}`;

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'memrelay-doctor-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

it('reports files with secrets that other users may read, with the command that closes them', async () => {
  const configFile = join(folder, 'relayer.env');
  await writeFile(configFile, '', { mode: 0o600 });
  await mkdir(join(folder, 'keys'), { mode: 0o700 });
  await writeFile(join(folder, 'keys', 'index-key'), '', { mode: 0o600 });
  const check = () => fileChecks({ configFile, dataDir: folder });
  expect(await check()).toEqual([{ check: 'secret_files', state: 'ok', detail: '2, private' }]);
  await chmod(configFile, 0o644);
  await chmod(join(folder, 'keys'), 0o755);
  expect(await check()).toMatchObject([
    { state: 'failed', fix: `run: chmod 600 ${configFile}` },
    { state: 'failed', fix: `run: chmod 700 ${join(folder, 'keys')}` },
  ]);
  expect(await fileChecks({ configFile: undefined, dataDir: undefined })).toMatchObject([
    { state: 'skipped' },
  ]);
});

it('reports a disk that is almost full', async () => {
  const gib = 1024 ** 3;
  expect(freeSpace('/data', { free: 50 * gib, total: 100 * gib }).state).toBe('ok');
  expect(freeSpace('/data', { free: gib, total: 100 * gib })).toMatchObject({
    state: 'warning',
    detail: '1.0 GiB of 100 GiB free at /data',
  });
  expect(freeSpace('/data', { free: gib / 8, total: 100 * gib }).state).toBe('failed');
  const of = { databaseUrl: `pglite:${join(folder, 'not', 'there')}`, dataDir: folder };
  expect((await diskChecks(of)).map(({ check }) => check)).toEqual(['disk', 'disk']);
});

it('reports a wallet that runs low or is empty, with its address', () => {
  const wallet = (paysFor: number) => ({
    address: `0x${'1'.repeat(64)}`,
    purpose: 'uploads' as const,
    pays_for: paysFor,
    short_of: 'WAL' as const,
    sui_mist: '1',
    wal_frost: '1',
  });
  const states = walletChecks([wallet(500), wallet(20), wallet(0)], 200);
  expect(states.map(({ state }) => state)).toEqual(['ok', 'warning', 'failed']);
  expect(states[2]!.fix).toBe(`send WAL to 0x${'1'.repeat(64)}`);
  expect(walletChecks([], 200)).toMatchObject([{ state: 'skipped' }]);
});

it('reports each aggregator that does not answer, and that there is only one', async () => {
  const right = await startServer((_request, response) => void response.end());
  const wrong = await startServer((_request, response) => void response.writeHead(500).end());
  try {
    expect(await aggregatorChecks([right.url, wrong.url, await goneUrl()])).toMatchObject([
      { state: 'ok' },
      { state: 'failed', detail: expect.stringContaining('answers with status 500') },
      { state: 'failed', detail: expect.stringContaining('cannot be reached (ECONNREFUSED)') },
      { check: 'clock', state: 'ok' },
    ]);
    expect(await aggregatorChecks([right.url])).toMatchObject([
      { state: 'ok' },
      { state: 'warning', fix: expect.stringContaining('STORE_AGGREGATOR_URLS') },
      { state: 'ok' },
    ]);
  } finally {
    await Promise.all([right.close(), wrong.close()]);
  }
});

it('reports key servers that do not answer, and whether the others suffice', async () => {
  const server = await startServer((_request, response) => void response.end());
  const of = (digit: string, url: string) => ({
    objectId: `0x${digit.repeat(64)}`,
    weight: 1,
    publicKey: '',
    url,
  });
  const gone = await goneUrl();
  const check = async (urls: string[]) => {
    const servers = urls.map((url, i) => of(String(i), url));
    return (await keyServerChecks({ current: 'a', threshold: 2, servers, historical: [] })).map(
      ({ state }) => state,
    );
  };
  try {
    expect(await check([server.url, server.url, server.url])).toEqual(['ok', 'ok', 'ok', 'ok']);
    expect(server.asked[0]).toBe(`/v1/service?service_id=0x${'0'.repeat(64)}`);
    expect(await check([server.url, server.url, gone])).toEqual(['ok', 'ok', 'failed', 'warning']);
    expect(await check([server.url, gone, gone])).toEqual(['ok', 'failed', 'failed', 'failed']);
  } finally {
    await server.close();
  }
});
