import { type FaultyWorld, startFaultyWorld } from '@memrelay/dev-env/faulty-world';
import { createTestOwner } from '@memrelay/dev-env/test-owner';
import type { MemRelay } from '@memrelay/sdk/mem-relay';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { storeTurns } from '../../src/hooks/store-turns.ts';

/** Capture at a relayer with a chat model. */

let world: FaultyWorld;
let memory: MemRelay;
beforeAll(async () => {
  world = await startFaultyWorld();
  memory = (await createTestOwner(world.network)).client(world.relayer.url, { namespace: 'shop' });
});
afterAll(async () => {
  memory?.destroy();
  await world?.close();
});

test('stores the facts that the model finds in both sides of the conversation, once', async () => {
  const seen: string[] = [];
  world.provider.chat.answer = ({ messages }) => {
    seen.push(JSON.stringify(messages));
    return {
      content: {
        facts: [
          { text: 'The shop is deployed on Fridays.', importance: 'standard', relation: 'new', memory: null },
        ],
      },
    };
  };
  const turns = [
    { role: 'user' as const, text: 'When was it again? Fridays, right?' },
    { role: 'assistant' as const, text: 'Yes, the shop is deployed on Fridays.' },
  ];
  const options = { session: 's1', host: 'claude-code' as const };
  expect(await storeTurns(memory, turns, options)).toEqual({ how: 'model', memories: 1 });
  expect(seen).toHaveLength(1);
  expect(seen[0]).toContain('Assistant: Yes, the shop is deployed on Fridays.');
  // The same turn again, after a crash: the model is not called
  await storeTurns(memory, turns, options);
  expect(seen).toHaveLength(1);
  const { results } = await memory.recall('deploy', { tags: { all: ['captured', 'claude-code'] } });
  expect(results.map(({ text }) => text)).toEqual(['The shop is deployed on Fridays.']);
});
