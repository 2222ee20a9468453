import { type Account, accountBcs, registryBcs } from '@memrelay/chain/account-bcs';
import { type AccountAbortName, accountAbort } from '@memrelay/chain/account-limits';
import type { Arg, RecordedScenario, RecordedStep, Scenario, Step } from '@memrelay/contracts/scenario';
import { objectId } from '@memrelay/contracts/scenarios/cast';
import { bcs } from '@mysten/sui/bcs';
import { MoveAbort, type MoveObject, type NativeContext, type TypedBcs } from '../src/execution/native.ts';
import { createAccountModule, createRegistry } from '../src/move/account-module.ts';

export const packageId = `0x${'00'.repeat(31)}ac`;
const module = createAccountModule(packageId);
const accountType = `${packageId}::account::Account`;

/** Chain state as bytes, so that the changes of an aborted step are discarded with its decoded objects. */
interface World {
  registry: string;
  accounts: Map<string, string>;
  fields: Map<string, Uint8Array>;
}

export interface StepOutcome {
  recorded: RecordedStep;
  abort: AccountAbortName | undefined;
  keyEpoch: number | undefined;
}

/** Runs a scenario on the native module; one outcome for each step. */
export function replay(scenario: Scenario): { recorded: RecordedScenario; outcomes: StepOutcome[] } {
  const genesis = new Uint8Array(32);
  let created = 0;
  const registry = createRegistry(packageId, () => objectId(genesis, created++));
  const world: World = {
    registry: toHex(registryBcs, registry.value),
    accounts: new Map(),
    fields: new Map(),
  };
  const outcomes = scenario.steps.map((step) => run(world, step));
  return { recorded: { name: scenario.name, steps: outcomes.map(({ recorded }) => recorded) }, outcomes };
}

function run(world: World, step: Step): StepOutcome {
  const { abort: _abort, key_epoch: _epoch, ...call } = step;
  const registry = fromHex(registryBcs, `${packageId}::account::Registry`, world.registry);
  const before = world.accounts.get(step.account);
  const account = before === undefined ? undefined : fromHex(accountBcs, accountType, before);
  const fields = new Map(world.fields);
  const events: RecordedStep['events'] = [];
  const made: MoveObject<Account>[] = [];
  const context = nativeContext(step, fields, events, made);
  try {
    if (step.function === 'set_version_for_testing')
      account!.value.version = BigInt(String(step.args[0]!.value));
    else made.push(...(invoke(context, step, registry, account) as MoveObject<Account>[]));
  } catch (error) {
    if (!(error instanceof MoveAbort) || error.module !== 'account') throw error;
    const [name, result] = Object.entries(accountAbort).find(([, code]) => BigInt(code) === error.code)!;
    const recorded: RecordedStep = { ...call, result, events: [] };
    return { recorded, abort: name as AccountAbortName, keyEpoch: undefined };
  }
  const after = made[0] ?? account!;
  const recorded: RecordedStep = { ...call, result: 'ok', events };
  const afterBcs = toHex(accountBcs, after.value);
  world.accounts.set(step.account, afterBcs);
  world.fields = fields;
  if (!step.function.startsWith('seal_approve') && step.function !== 'create_account') {
    recorded.account_bcs = afterBcs;
  }
  const registryHex = toHex(registryBcs, registry.value);
  if (registryHex !== world.registry) recorded.registry_bcs = registryHex;
  world.registry = registryHex;
  return { recorded, abort: undefined, keyEpoch: Number(after.value.key_epoch) };
}

function invoke(
  context: NativeContext,
  step: Step,
  registry: MoveObject,
  account: MoveObject | undefined,
): unknown[] {
  const declared = module.functions[step.function];
  if (!declared) throw new Error(`no function ${step.function}`);
  const pure = [...step.args];
  const args = declared.params.map((param) => {
    if (param.kind === 'pure') return param.bcs.parse(param.bcs.serialize(argValue(pure.shift()!)).toBytes());
    if (param.type.endsWith('::Registry')) return registry;
    if (param.type.endsWith('::Account')) return account;
    return { id: '0x6', type: param.type, value: undefined };
  });
  if (pure.length > 0) throw new Error(`${step.function} takes fewer arguments`);
  return declared.run(context, ...args) ?? [];
}

function argValue(arg: Arg): unknown {
  if (arg.type === 'vector<u8>') return Buffer.from(arg.value, 'hex');
  if (arg.type === 'vector<vector<u8>>') return arg.value.map((item) => Buffer.from(item, 'hex'));
  return arg.value;
}

function nativeContext(
  step: Step,
  fields: Map<string, Uint8Array>,
  events: RecordedStep['events'],
  made: MoveObject<Account>[],
): NativeContext {
  const digest = bcs.Address.serialize(step.sender).toBytes();
  let created = 0;
  const fieldKey = (parent: string, name: TypedBcs) =>
    `${parent} ${name.type} ${Buffer.from(name.bytes).toString('hex')}`;
  return {
    sender: step.sender,
    epoch: 0n,
    nowMs: BigInt(step.clock_ms),
    typeArguments: [],
    newObjectId: () => objectId(digest, created++),
    emit: (name, value) => void events.push({ name, bcs: toHex(module.structs[name]!, value) }),
    share: (object) => void made.push(object as MoveObject<Account>),
    transfer: () => {
      throw new Error('the account module transfers nothing');
    },
    destroy: () => {
      throw new Error('the account module destroys nothing');
    },
    fields: {
      get: (parent, name) => fields.get(fieldKey(parent, name)),
      set: (parent, name, value) => void fields.set(fieldKey(parent, name), value.bytes),
      remove: (parent, name) => void fields.delete(fieldKey(parent, name)),
    },
  };
}

interface Codec<T> {
  serialize(value: T): { toBytes(): Uint8Array };
  parse(bytes: Uint8Array): T;
}

function toHex<T>(codec: Pick<Codec<T>, 'serialize'>, value: T): string {
  return Buffer.from(codec.serialize(value).toBytes()).toString('hex');
}

function fromHex<T extends { id: string }>(
  codec: Pick<Codec<T>, 'parse'>,
  type: string,
  hex: string,
): MoveObject<T> {
  const value = codec.parse(Buffer.from(hex, 'hex'));
  return { id: value.id, type, value };
}
