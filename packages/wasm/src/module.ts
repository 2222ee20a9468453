import { encodeUleb128 } from '@memrelay/protocol/uleb128';
import { type Code, type Local, local, type ValueType, valueTypes } from './instructions.ts';

/** One exported function. Parameters are 32-bit integers; it returns nothing. */
export interface WasmFunction {
  name: string;
  parameters: number;
  /** Writes its code, which takes some milliseconds: many processes load this module and never encode a blob */
  write(): { locals: readonly ValueType[]; code: Code };
}

/** Allocates the locals of a function while its code is being written. */
export interface Scope {
  int(): Local;
  vector(): Local;
}

const functionType = 0x60;
const end = 0x0b;

/** Defines a function: `body` gets the parameters, and a scope for additional locals, and returns the code. */
export function defineFunction(
  name: string,
  parameters: number,
  body: (scope: Scope, ...parameters: Local[]) => Code,
): WasmFunction {
  return {
    name,
    parameters,
    write() {
      const locals: ValueType[] = [];
      const take = (type: ValueType): Local => local(parameters + locals.push(type) - 1);
      const scope = { int: () => take('i32'), vector: () => take('v128') };
      const code = body(scope, ...Array.from({ length: parameters }, (_, index) => local(index)));
      return { locals, code };
    },
  };
}

/** A binary module with these functions that imports its memory as `env.memory`. */
export function assembleModule(functions: readonly WasmFunction[]): Uint8Array<ArrayBuffer> {
  const types = functions.map(({ parameters }) => [
    functionType,
    ...vectorOf(Array.from({ length: parameters }, () => [valueTypes.i32])),
    ...vectorOf([]),
  ]);
  const memoryImport = [...text('env'), ...text('memory'), 0x02, 0x00, ...encodeUleb128(1)];
  const exported = functions.map(({ name }, index) => [...text(name), 0x00, ...encodeUleb128(index)]);
  const bodies = functions.map((each) => {
    const { locals, code } = each.write();
    const body = [...vectorOf(locals.map((type) => [1, valueTypes[type]])), ...code, end];
    return [...encodeUleb128(body.length), ...body];
  });
  return Uint8Array.from([
    ...[0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00],
    ...section(1, vectorOf(types)),
    ...section(2, vectorOf([memoryImport])),
    ...section(3, vectorOf(functions.map((_, index) => encodeUleb128(index)))),
    ...section(7, vectorOf(exported)),
    ...section(10, vectorOf(bodies)),
  ]);
}

function section(id: number, content: Code): Code {
  return [id, ...encodeUleb128(content.length), ...content];
}

function vectorOf(items: readonly Code[]): Code {
  return [...encodeUleb128(items.length), ...items.flat()];
}

function text(value: string): Code {
  return vectorOf([...new TextEncoder().encode(value)].map((byte) => [byte]));
}
