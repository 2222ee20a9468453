import { type MemoryToolOptions, memoryToolsOf } from '@memrelay/adapter/memory-tools';
import type { MemRelay } from '@memrelay/sdk';
import { type Tool, tool } from '@openai/agents';

/**
 * Tools with which an agent recalls and remembers on its own: `recall`, and `remember` and `forget` if allowed. Their results are
 * texts; memories in them are quoted as data. A request that the model can correct, and a relayer that is unreachable, are
 * results too. Every other failure is a tool error of the Agents SDK, which the model reads.
 */
export function memoryTools(
  memory: Pick<MemRelay, 'recall' | 'remember' | 'forget'>,
  options: MemoryToolOptions = {},
): Tool[] {
  return memoryToolsOf(memory, options).map(({ name, description, parameters, run }) =>
    tool({
      name,
      description,
      // The form of a schema in which not every field is required
      parameters: { ...parameters, additionalProperties: true },
      strict: false,
      execute: (input: unknown, _context?: unknown, details?: { signal?: AbortSignal | undefined }) =>
        run(input, details?.signal),
    }),
  );
}
