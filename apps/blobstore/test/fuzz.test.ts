import { randomBytes } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { runFuzz } from '../conformance/fuzz/run-fuzz.ts';
import { authSettings, secret } from './publisher-tokens.ts';
import { putNew, startStore, temporaryDirectory } from './running-store.ts';

const adminToken = 'opens-the-admin-routes-of-a-test';

/** Fixed, so that a failure can be reproduced. `conformance/fuzz/main.ts` runs other seeds and more cases. */
const seed = 20_261_121;

test(`responds to any request (seed ${seed}) in time, well-formed and never with 500`, async () => {
  const dataDir = await temporaryDirectory();
  const complaints: string[] = [];
  const sink = new Writable({
    write(line: Buffer, _encoding, done) {
      complaints.push(line.toString());
      done();
    },
  });
  const { url } = await startStore({ dataDir, adminToken, logger: pino({ level: 'error' }, sink) });
  const bytes = randomBytes(5000);
  const { blobObject } = await putNew(url, bytes, '?epochs=2');
  const { failures, statuses } = await runFuzz({ url, seed, cases: 700, adminToken });
  expect(failures).toEqual([]);
  // Malformed and aborted requests must not be logged as errors of the store.
  expect(complaints).toEqual([]);
  // Shows that cases also get past the first checks.
  expect([...statuses.keys()]).toEqual(expect.arrayContaining([200, 206, 400, 404, 405, 415, 416, 422]));
  const read = await fetch(`${url}/v1/blobs/${blobObject.blobId}`);
  expect(bytes.equals(Buffer.from(await read.arrayBuffer()))).toBe(true);
  expect(await readdir(join(dataDir, 'incoming'))).toEqual([]);
});

test(`rejects any random token (seed ${seed})`, async () => {
  const { url } = await startStore({ auth: authSettings({ verifyUpload: true }) });
  const { failures, statuses } = await runFuzz({ url, seed, cases: 400, tokenSecret: secret });
  expect(failures).toEqual([]);
  expect([...statuses.keys()]).toEqual(expect.arrayContaining([200, 400, 401]));
});
