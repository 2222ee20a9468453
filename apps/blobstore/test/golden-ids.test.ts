import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { maxBlobSize } from '@memrelay/blob-id/source/matrix';
import { SuiGrpcClient } from '@mysten/sui/grpc';
import { WalrusClient } from '@mysten/walrus';
import { expect, onTestFinished, test } from 'vitest';
import { createWasmEncoder } from '../src/base/blob-id-encoder.ts';
import { temporaryDirectory } from './running-store.ts';

/** Blob ids of these contents on the real network (1000 shards). */
const golden: [content: string, blobId: string][] = [
  ['', '3GPQL3HZNnFhN_F7l5Aa-X1VOtAKwIsg9zuWk8R81v4'],
  ['some string', '9k95lgtG9iPU8yk_wYz8m8CUY1snveemF8ypfpBLUUg'],
  ['some other string', 'M4hsZGQ1oCktdzegB6HnI6Mi28S2nqOPHxK-W7_4BUk'],
  ['hello', 'VCHdU3RHtQVBYAI3c30jDhM8PNvrgv7OVxIb8eW6Ih4'],
  ['Hello, Walrus!', 'a7wmADgKiwLDFnpjyu6NBTkCS-1zLblj3TfmXZWxnew'],
  ['\x00\x01\x02\x03\x04\x05\x06\x07\x08\x09', 'hlykhHkQSpvcE299ZzC385IAEuzLTpm6hUC5Njdm4JM'],
  ['walrus-local-sdk cross-environment blob_id fixture v1', 'x37bth2QxQZBbjZS6F-6l9mU_-bp46CRfOo33IAwe2U'],
];

test('with 1000 shards, blob ids equal those of the public networks', async () => {
  const directory = await temporaryDirectory();
  const encoder = createWasmEncoder(1000, 2);
  onTestFinished(() => encoder.close());
  const ids = await Promise.all(
    golden.map(async ([content], index) => {
      const path = join(directory, String(index));
      await writeFile(path, content);
      return (await encoder.identify(path)).blobId;
    }),
  );
  expect(ids).toEqual(golden.map(([, blobId]) => blobId));
});

test('with 31 shards, blob ids and root hashes equal those of the Walrus client', async () => {
  const path = join(await temporaryDirectory(), 'blob');
  const encoder = createWasmEncoder(31, 1);
  onTestFinished(() => encoder.close());
  const suiClient = new SuiGrpcClient({ network: 'testnet', baseUrl: 'http://127.0.0.1:1' });
  const walrus = new WalrusClient({ network: 'testnet', suiClient });
  for (const size of [0, 1, 461, 462, 463, 100_000]) {
    const bytes = randomBytes(size);
    await writeFile(path, bytes);
    const expected = await walrus.computeBlobMetadata({ bytes, numShards: 31 });
    const rootHash = Buffer.from(expected.rootHash).toString('base64url');
    expect(await encoder.identify(path)).toEqual({ blobId: expected.blobId, rootHash });
  }
});

test('the maximum blob size depends on the shards', () => {
  expect(maxBlobSize(1000)).toBe(14_599_533_452);
  expect(maxBlobSize(31)).toBe(15_138_354);
});
