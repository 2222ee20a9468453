/**
 * Environment variables that make a Node process use less memory, at the price of some throughput: for a laptop, where several
 * parts run side by side. Node's own default lets the young generation grow to 48 MB, which a process fills while it starts
 * and keeps; glibc keeps freed memory in up to eight arenas per core. Values in `environment` win.
 */
export function smallMemory({ NODE_OPTIONS = '', MALLOC_ARENA_MAX }: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return {
    NODE_OPTIONS: `--max-semi-space-size=${semiSpaceMiB} ${NODE_OPTIONS}`.trim(),
    MALLOC_ARENA_MAX: MALLOC_ARENA_MAX || '1',
  };
}

/** The young generation is three times as large. */
const semiSpaceMiB = 2;
