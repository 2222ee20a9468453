import { portablePrimitives as p } from '@memrelay/envelope/portable-primitives';
import { expect, it } from 'vitest';
import type { ManualParts } from '../../src/manual/manual-parts.ts';
import { recallSealed } from '../../src/manual/recall.ts';
import { connect } from '../../src/options.ts';
import { accountId, packageId, startWire, testKey } from '../wire-double.ts';

it.each([
  [undefined, 10],
  [3, 3],
])('fetches no more than requested if the relayer returns more (%s)', async (limit, most) => {
  const hit = { id: 'x', blob_id: 'A'.repeat(43), distance: 0, sha256: '00' };
  await using wire = await startWire([{ json: { results: Array.from({ length: 5_000 }, () => hit) } }]);
  let fetched = 0;
  const parts = {
    account: {
      read: async () => ({
        account: { scopes: [], delegate_keys: [], key_epoch: 1n },
        origin: new Uint8Array(32),
      }),
    },
    blobs: {
      read: async () => {
        fetched += 1;
        return { ok: false, reason: 'blob_missing', message: 'no aggregator has it' };
      },
    },
    network: { readable: [] },
    unwrapper: { unwrap: async () => [] },
  } as unknown as ManualParts;
  const connection = connect({ key: testKey, accountId, packageId, serverUrl: wire.url });
  const question = { vector: Float32Array.of(1, 0), embeddingModel: 'm', namespace: 'default' };
  const { droppedCount } = await recallSealed(connection, parts, p, question, { limit });
  expect([fetched, droppedCount]).toEqual([most, most]);
});
