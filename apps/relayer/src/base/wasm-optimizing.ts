import { setFlagsFromString } from 'node:v8';

/** Whether V8 optimizes WebAssembly that runs often. A flag of the whole process, read when a function is compiled. */
let enabled = true;

export function isOptimizingWasm(): boolean {
  return enabled;
}

/** In a thread, set it back afterwards: `isOptimizingWasm` knows only of this thread. */
export function setOptimizingWasm(on: boolean): void {
  for (const name of ['wasm-tier-up', 'wasm-dynamic-tiering'])
    setFlagsFromString(`--${on ? '' : 'no-'}${name}`);
  enabled = on;
}
