import { fileURLToPath } from 'node:url';
import { scenarios } from '@memrelay/contracts/scenarios/all';
import { describe, expect, test } from 'vitest';
import type { NativeContext } from '../src/execution/native.ts';
import { createAccountModule } from '../src/move/account-module.ts';
import { packageId, replay } from './account-scenarios.ts';

const vectorFile = fileURLToPath(import.meta.resolve('../../../contracts/vectors/account.json'));

describe('the native account module matches the hand-written table', () => {
  for (const scenario of scenarios) {
    test(scenario.name, () => {
      const { outcomes } = replay(scenario);
      for (const [i, step] of scenario.steps.entries()) {
        const { abort, keyEpoch } = outcomes[i]!;
        expect(abort ?? 'ok', `step ${i}, ${step.function}`).toBe(step.abort ?? 'ok');
        if (step.key_epoch !== undefined)
          expect(keyEpoch, `step ${i}, ${step.function}`).toBe(step.key_epoch);
      }
    });
  }
});

test('an account passed by value is shared', () => {
  const shared: unknown[] = [];
  const object = { id: '0x1', type: 'any', value: {} };
  const { share_account } = createAccountModule(packageId).functions;
  share_account!.run({ share: (object: unknown) => shared.push(object) } as unknown as NativeContext, object);
  expect(shared).toEqual([object]);
});

test('exactly two function names begin with seal_approve, and neither function is public', () => {
  const functions = Object.entries(createAccountModule(packageId).functions);
  const approvals = functions.filter(([name]) => name.startsWith('seal_approve'));
  expect(approvals.map(([name, { visibility }]) => [name, visibility])).toEqual([
    ['seal_approve', 'entry'],
    ['seal_approve_at', 'entry'],
  ]);
});

test('scenario names are unique', () => {
  expect(new Set(scenarios.map(({ name }) => name)).size).toBe(scenarios.length);
});

/**
 * `contracts/test` checks the Move VM against this file. Regenerate with `npm run vectors -w @memrelay/contracts`.
 */
test('contracts/vectors/account.json is up to date', async () => {
  const recorded = scenarios.map((scenario) => replay(scenario).recorded);
  const lines = recorded.map(({ name, steps }) => {
    const rows = steps.map((step) => `   ${JSON.stringify(step)}`).join(',\n');
    return `  {"name": ${JSON.stringify(name)}, "steps": [\n${rows}\n  ]}`;
  });
  await expect(`{"scenarios": [\n${lines.join(',\n')}\n]}\n`).toMatchFileSnapshot(vectorFile);
});
