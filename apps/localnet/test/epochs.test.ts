import { systemStateBcs } from '@memrelay/chain/walrus-state-bcs';
import { bcs } from '@mysten/sui/bcs';
import { expect, test } from 'vitest';
import { fundedKey, send, startWorld } from './chain-world.ts';
import { counterPackage } from './counter-module.ts';

const dayMs = 24 * 60 * 60 * 1000;
const start = Date.UTC(2026, 0, 1);

test('epoch, Walrus state and clock advance with the time and never go back', async () => {
  let nowMs = start;
  const world = await startWorld('in process', { epochDurationMs: dayMs, now: () => nowMs });
  const key = await fundedKey(world);
  const touch = () =>
    send(world, key, (tx) => {
      tx.moveCall({ target: `${counterPackage}::counter::create_shared` });
    });
  const walrusEpoch = async () => {
    const name = { type: 'u64', bcs: bcs.u64().serialize(1).toBytes() };
    const parentId = world.network.ids.systemObjectId;
    const { dynamicField } = await world.client.getDynamicField({ parentId, name });
    return systemStateBcs.parse(dynamicField.value.bcs).committee.epoch;
  };
  const clock = async () => {
    const { object } = await world.client.getObject({ objectId: '0x6', include: { content: true } });
    return Number(bcs.u64().parse(object.content!.slice(32)));
  };
  const epoch = async () => Number((await world.client.getCurrentSystemState()).systemState.epoch);

  await touch();
  expect([await epoch(), await walrusEpoch(), await clock()]).toEqual([1, 1, start]);
  nowMs = start + 3 * dayMs - 1;
  await touch();
  expect([await epoch(), await walrusEpoch(), await clock()]).toEqual([3, 3, nowMs]);
  nowMs += 1;
  expect([await walrusEpoch(), await epoch()]).toEqual([4, 4]);
  const latest = nowMs;
  nowMs = start;
  await touch();
  expect([await epoch(), await walrusEpoch(), await clock()]).toEqual([4, 4, latest]);
  expect(world.network.chain.advanceEpoch(2)).toBe(6);
  expect([await epoch(), await walrusEpoch()]).toEqual([6, 6]);
  await world.close();
});
