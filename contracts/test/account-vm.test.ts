import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { generateMoveTests } from '../src/generate-move-tests.ts';
import { packageFiles, runMoveTests, testFiles } from '../src/move-package.ts';
import type { RecordedScenario, RecordedStep } from '../src/scenario.ts';

const { scenarios }: { scenarios: RecordedScenario[] } = JSON.parse(
  readFileSync(new URL('../vectors/account.json', import.meta.url), 'utf8'),
);

function runScenarios(recorded: readonly RecordedScenario[]) {
  const generated = { 'tests/generated_tests.move': generateMoveTests(recorded) };
  return runMoveTests({ ...packageFiles(), ...testFiles(), ...generated });
}

test('the Move VM returns every result, account, registry and event in vectors/account.json', async () => {
  const { passed, report } = await runScenarios(scenarios);
  expect(passed, report.slice(report.indexOf('Test failures:'))).toBe(true);
  const aborts = scenarios.flatMap(({ steps }) => steps).filter(({ result }) => result !== 'ok').length;
  const handWritten = Object.values(testFiles())
    .join('\n')
    .match(/^#\[test\]$/gm)!.length;
  expect(report).toContain(`Total tests: ${scenarios.length + aborts + handWritten};`);
});

/** Each change must be detected, otherwise the test above would prove nothing. */
const changes: Record<string, (steps: RecordedStep[]) => void> = {
  'a field of the account': ([first]) => {
    first!.account_bcs = flipLastDigit(first!.account_bcs!);
  },
  'the registry': ([first]) => {
    first!.registry_bcs = flipLastDigit(first!.registry_bcs!);
  },
  'an event': ([first]) => {
    first!.events[0]!.bcs = flipLastDigit(first!.events[0]!.bcs);
  },
  'a missing event': ([first]) => {
    first!.events.pop();
  },
  'an abort code': (steps) => {
    steps.find(({ result }) => result !== 'ok')!.result = 99;
  },
  'an unexpected abort': (steps) => {
    steps.at(-1)!.result = 100;
  },
  'a missing abort': (steps) => {
    steps.find(({ result }) => result !== 'ok')!.result = 'ok';
  },
};

test.each(Object.entries(changes))('a wrong vector is detected: %s', async (_what, change) => {
  const scenario = structuredClone(scenarios.find(({ name }) => name.startsWith('deactivating bumps'))!);
  change(scenario.steps);
  expect((await runScenarios([scenario])).passed).toBe(false);
});

function flipLastDigit(hex: string): string {
  return hex.slice(0, -1) + (hex.endsWith('0') ? '1' : '0');
}
