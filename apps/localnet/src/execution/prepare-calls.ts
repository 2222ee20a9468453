import type { ProgrammableTransaction } from './executor.ts';
import type { ModuleRegistry } from './modules.ts';
import type { NativeFunction, Param } from './native.ts';

type Argument = Extract<
  ProgrammableTransaction['commands'][number],
  { $kind: 'MoveCall' }
>['MoveCall']['arguments'][number];

/** Calls each function's `NativeFunction.prepare`, if it has one, with its arguments in the program. */
export function prepareCalls(program: ProgrammableTransaction, modules: ModuleRegistry): void {
  const calls = new Map<NativeFunction, unknown[][]>();
  for (const command of program.commands) {
    if (command.$kind !== 'MoveCall') continue;
    const call = command.MoveCall;
    const definition = modules.function(call.package, call.module, call.function);
    if (!definition?.prepare) continue;
    const values = definition.params.map((param, index) => plainValue(program, param, call.arguments[index]));
    calls.set(definition, [...(calls.get(definition) ?? []), values]);
  }
  for (const [definition, values] of calls) definition.prepare?.(values);
}

/**
 * Undefined for an argument that is not pure, is created by an earlier command, or does not parse. The call itself
 * reports such errors.
 */
function plainValue(program: ProgrammableTransaction, param: Param, argument: Argument | undefined): unknown {
  const input = argument?.$kind === 'Input' ? program.inputs[argument.Input] : undefined;
  if (param.kind !== 'pure' || input?.$kind !== 'Pure') return undefined;
  try {
    return param.bcs.parse(Buffer.from(input.Pure.bytes, 'base64'));
  } catch {
    return undefined;
  }
}
