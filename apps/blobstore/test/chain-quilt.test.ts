import { expect, onTestFinished, test } from 'vitest';
import { startLocalnet } from './localnet-process.ts';
import { putQuilt, quiltIdOf } from './quilt-client.ts';
import { startStore } from './running-store.ts';
import { walrusClient } from './walrus-client.ts';

test('on a chain a quilt belongs to its receiver and has the marker that the Walrus client reads', async () => {
  const localnet = await startLocalnet();
  onTestFinished(() => localnet.stop());
  const owner = (await localnet.fundedKey()).toSuiAddress();
  const { url } = await startStore({ chain: await localnet.chainOptions() });
  const { walrus, sui } = await walrusClient(localnet.url, url);

  const files = { a: 'first', b: 'second' };
  const metadata = [{ identifier: 'b', tags: { 'content-type': 'text/x-b' } }];
  const answer = await putQuilt(url, files, metadata, `?epochs=2&send_object_to=${owner}`);
  const blobObjectId = answer.blobStoreResult.newlyCreated?.blobObject.id ?? '';
  expect(await walrus.readBlobAttributes({ blobObjectId })).toEqual({ _walrusBlobType: 'quilt' });
  const { object } = await sui.core.getObject({ objectId: blobObjectId });
  expect(object.owner).toMatchObject({ AddressOwner: owner });

  const read = await fetch(`${url}/v1/blobs/by-quilt-id/${quiltIdOf(answer)}/b`);
  expect([read.status, read.headers.get('content-type'), await read.text()]).toEqual([
    200,
    'text/x-b',
    'second',
  ]);
  // The marker is not returned as a header.
  expect([...(await fetch(`${url}/v1/blobs/by-object-id/${blobObjectId}`)).headers.keys()]).not.toContain(
    '_walrusblobtype',
  );
});
