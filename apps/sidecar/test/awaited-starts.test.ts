import type { UploadCheckpoint } from '@memrelay/protocol/sidecar-api';
import { expect, test } from 'vitest';
import { createAwaitedStarts } from '../src/store/awaited-starts.ts';

/** An upload that is paid for right after its blob id was reported. */
function upload(): { paid: boolean; checkpoints: AsyncGenerator<UploadCheckpoint> } {
  const state = { paid: false, checkpoints: steps() };
  async function* steps(): AsyncGenerator<UploadCheckpoint> {
    yield { stage: 'named', blob_id: 'b' };
    state.paid = true;
    yield { stage: 'done', blob_id: 'b', end_epoch: 9 };
  }
  return state;
}

test('an upload is paid for only after its blob id is recorded', async () => {
  const starts = createAwaitedStarts();
  const one = upload();
  const held = starts.held(one.checkpoints);
  const { value: named } = await held.next();
  const next = held.next();
  await new Promise(setImmediate);
  expect(one.paid).toBe(false);
  expect(starts.begin(named.token)).toBe(true);
  expect((await next).value).toMatchObject({ stage: 'done' });
  expect(starts.begin(named.token)).toBe(false);
});

test('an upload whose blob id is not recorded is not paid for', async () => {
  const starts = createAwaitedStarts(10);
  const one = upload();
  const reached: UploadCheckpoint[] = [];
  for await (const checkpoint of starts.held(one.checkpoints)) reached.push(checkpoint);
  expect(reached).toMatchObject([{ stage: 'named' }, { stage: 'failed', kind: 'transient' }]);
  expect(one.paid).toBe(false);
  expect(starts.begin('unknown')).toBe(false);
});
