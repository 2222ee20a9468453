import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { openJournal, readJournal } from '../src/registry/journal.ts';
import { type MainProcess, urlOf } from './main-child.ts';
import { blobIdOf, put, refusal, startStore, temporaryDirectory } from './running-store.ts';

/**
 * A test cannot fill a disk everywhere, but every system can limit the file size of a process, and the code handles
 * both errors in the same way.
 */
function withFileLimit(kibibytes: number, script: URL, args: string[]): MainProcess {
  const child = spawn(
    'sh',
    // The unit is 512 bytes (POSIX).
    ['-c', `ulimit -f ${kibibytes * 2}; exec "$0" "$@"`, process.execPath, fileURLToPath(script), ...args],
    { env: { PATH: process.env.PATH ?? '' }, stdio: ['pipe', 'pipe', 'pipe'] },
  );
  let stderr = '';
  child.stderr.on('data', (chunk) => {
    stderr += chunk;
  });
  const ended = once(child, 'close').then(([code, signal]) => (code ?? signal) as number | string);
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  return { child, stderr: () => stderr, ended };
}

function limitedStore(dataDir: string, kibibytes: number): MainProcess {
  const args = ['--port', '0', '--shards', '31', '--data-dir', dataDir];
  return withFileLimit(kibibytes, new URL('../src/main.ts', import.meta.url), args);
}

test('responds 507 to a blob that does not fit, leaves nothing behind and removes nothing', async () => {
  const dataDir = await temporaryDirectory();
  const url = await urlOf(limitedStore(dataDir, 64));
  const kept = await blobIdOf(url, 'it was here before');
  const full = await fetch(`${url}/v1/blobs`, { method: 'PUT', body: Buffer.alloc(200_000) });
  expect(await refusal(full)).toEqual({ status: 507, reason: 'STORAGE_FULL' });
  expect(await readdir(join(dataDir, 'incoming'))).toEqual([]);
  expect(await (await fetch(`${url}/v1/blobs/${kept}`)).text()).toBe('it was here before');
  expect((await put(url, 'there is room for this')).newlyCreated).toBeDefined();
});

test('responds 503 when the registry has no space, and loses no acknowledged record', async () => {
  const dataDir = await temporaryDirectory();
  const main = limitedStore(dataDir, 16);
  const url = await urlOf(main);
  const kept: string[] = [];
  let refused: Response | undefined;
  for (let i = 0; refused === undefined; i += 1) {
    const response = await fetch(`${url}/v1/blobs?epochs=5`, { method: 'PUT', body: `number ${i}` });
    if (response.status !== 200) refused = response;
    else {
      const { newlyCreated } = (await response.json()) as {
        newlyCreated: { blobObject: { blobId: string } };
      };
      kept.push(newlyCreated.blobObject.blobId);
    }
  }
  expect(await refusal(refused)).toEqual({ status: 503, reason: 'REGISTRY_UNAVAILABLE' });
  expect(kept.length).toBeGreaterThan(5);
  main.child.kill('SIGKILL');
  await main.ended;
  // Once there is space again, all blobs are readable and more can be stored.
  const again = await startStore({ dataDir });
  for (const [i, blobId] of kept.entries()) {
    expect(await (await fetch(`${again.url}/v1/blobs/${blobId}`)).text()).toBe(`number ${i}`);
  }
  await put(again.url, 'one more');
});

test('accepts journal records again once there is space, without partial ones', async () => {
  const path = join(await temporaryDirectory(), 'journal');
  const script = new URL('./journal-in-small.ts', import.meta.url);
  const { ended, stderr } = withFileLimit(4, script, [path]);
  expect({ code: await ended, stderr: stderr() }).toEqual({ code: 0, stderr: '' });
  expect((await readJournal(path)).records).toEqual(['small', 'small again']);
  const journal = await openJournal(path, ['small', 'small again']);
  await journal.close();
});
