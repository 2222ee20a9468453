import { type MemoryToolClient, type MemoryToolOptions, memoryToolsOf } from '@memrelay/adapter/memory-tools';
import { jsonSchema, type ToolSet, tool } from 'ai';

/**
 * Tools with which a model recalls and remembers on its own: `recall`, and `remember` and `forget` if allowed. Their results are
 * texts; memories in them are quoted as data. A request that the model can correct, and a relayer that is unreachable, are
 * results too. Every other failure is a tool error of the AI SDK.
 */
export function memoryTools(memory: MemoryToolClient, options: MemoryToolOptions = {}): ToolSet {
  return Object.fromEntries(
    memoryToolsOf(memory, options).map(({ name, description, parameters, run }) => [
      name,
      tool({
        description,
        inputSchema: jsonSchema<Record<string, unknown>>(parameters),
        execute: (input, { abortSignal }) => run(input, abortSignal),
      }),
    ]),
  );
}
