import type { Arg, RecordedScenario, RecordedStep } from './scenario.ts';

const withClock = new Set([
  'create_account',
  'new_account',
  'add_delegate_key',
  'add_delegate_key_scoped',
  'set_delegate_scope',
  'prune_expired',
  'seal_approve_at',
]);
const withoutSender = new Set(['prune_expired', 'set_version_for_testing']);

/** The test functions that call the `entry` functions that are not public. */
const testNames: Record<string, string> = {
  seal_approve: 'approve_for_testing',
  seal_approve_at: 'approve_at_for_testing',
};

/**
 * Generates a Move module that runs the recorded scenarios on the VM. A test ends at the first abort. Therefore
 * each scenario becomes a function that runs the successful steps, optionally only up to a given aborting step. Its
 * tests call it once to the end and once for each abort.
 */
export function generateMoveTests(scenarios: readonly RecordedScenario[]): string {
  const functions = scenarios.map((scenario, i) => scenarioFunctions(scenario, `s${i}`)).join('\n');
  return `#[test_only]
module memrelay::generated_tests;

use memrelay::account;
use memrelay::world;

const END: u64 = 0xffff;

${functions}`;
}

function scenarioFunctions({ name, steps }: RecordedScenario, id: string): string {
  const aborts = steps.flatMap(({ result }, i) => (result === 'ok' ? [] : [abortTest(id, i, result)]));
  const accounts = new Set(
    steps
      .filter((step) => step.function === 'new_account' && step.result === 'ok')
      .map(({ account }) => account),
  );
  let emitted = 0;
  const lines = steps.map((step, i) => {
    emitted += step.events.length;
    return stepLines(step, i, emitted);
  });
  return `// ${name}
fun ${id}(stop: u64) {
    let (mut registry, mut clock) = world::begin();
${lines.join('\n')}
${eventChecks(steps)}
${[...accounts].map((account) => `    std::unit_test::destroy(${account});\n`).join('')}    world::end(registry, clock)
}
#[test] fun ${id}_to_the_end() { ${id}(END) }
${aborts.join('')}`;
}

function abortTest(id: string, step: number, code: number): string {
  return `#[test, expected_failure(abort_code = ${code}, location = memrelay::account)]
fun ${id}_step_${step}() { ${id}(${step}) }
`;
}

function stepLines(step: RecordedStep, i: number, emitted: number): string {
  const at = `clock.set_for_testing(${step.clock_ms});`;
  const call = moveCall(step);
  const creates = step.function === 'new_account';
  if (step.result !== 'ok') {
    return `    if (stop == ${i}) { ${at} ${creates ? `std::unit_test::destroy(${call})` : call}; };`;
  }
  const checks = [`world::check_events(${emitted});`];
  if (step.account_bcs) checks.push(`world::check(&${step.account}, x"${step.account_bcs}");`);
  if (step.registry_bcs) checks.push(`world::check(&registry, x"${step.registry_bcs}");`);
  return `    ${at} ${creates ? `let mut ${step.account} = ` : ''}${call}; ${checks.join(' ')}`;
}

function moveCall(step: RecordedStep): string {
  const args = step.args.map(moveValue);
  const name = step.function;
  if (name === 'create_account' || name === 'new_account') args.push('&mut registry');
  else if (name in testNames) args.push(`&${step.account}`);
  else args.unshift(`&mut ${step.account}`);
  if (withClock.has(name)) args.push('&clock');
  if (!withoutSender.has(name)) args.push(`&mut world::sent_by(@${step.sender})`);
  return `account::${testNames[name] ?? name}(${args.join(', ')})`;
}

function moveValue(arg: Arg): string {
  switch (arg.type) {
    case 'vector<u8>':
      return `x"${arg.value}"`;
    case 'vector<vector<u8>>':
      return `vector<vector<u8>>[${arg.value.map((item) => `x"${item}"`).join(', ')}]`;
    case 'string':
      return `std::string::utf8(x"${Buffer.from(arg.value).toString('hex')}")`;
    case 'address':
      return `@${arg.value}`;
    default:
      return String(arg.value);
  }
}

/**
 * Checks the events. The VM returns them only by type; the count after each step verifies their order across types.
 */
function eventChecks(steps: readonly RecordedStep[]): string {
  const byName = Map.groupBy(
    steps.flatMap(({ events }) => events),
    ({ name }) => name,
  );
  return [...byName]
    .map(([name, events]) => {
      const expected = vectorLength(events.length) + events.map(({ bcs }) => bcs).join('');
      return `    world::check(&sui::event::events_by_type<account::${name}>(), x"${expected}");`;
    })
    .join('\n');
}

/** The BCS length of a vector: ULEB128, which is one byte up to 127. */
function vectorLength(length: number): string {
  if (length > 127) throw new RangeError('a scenario emits too many events of one type');
  return length.toString(16).padStart(2, '0');
}
