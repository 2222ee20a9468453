import { type StructuredToolInterface, tool } from '@langchain/core/tools';
import { type MemoryToolClient, type MemoryToolOptions, memoryToolsOf } from '@memrelay/adapter/memory-tools';

/**
 * Tools with which an agent recalls and remembers on its own: `recall`, and `remember` and `forget` if allowed. Their results are
 * texts; memories in them are quoted as data. A request that the model can correct, and a relayer that is unreachable, are
 * results too. Every other failure is thrown.
 */
export function memoryTools(
  memory: MemoryToolClient,
  options: MemoryToolOptions = {},
): StructuredToolInterface[] {
  return memoryToolsOf(memory, options).map(({ name, description, parameters, run }) =>
    tool((input: unknown, config?: { signal?: AbortSignal }) => run(input, config?.signal), {
      name,
      description,
      schema: parameters,
    }),
  );
}
