import type { Mutation } from '../mutation.ts';

/** Statements about the adapters of agent frameworks. */
export const frameworkMutations: readonly Mutation[] = [
  {
    breaks: 'frameworks.memories-are-data',
    file: 'packages/adapter/src/memory-block.ts',
    from: '- ${quoted(hit.text)}',
    to: '- "${hit.text}"',
  },
  {
    breaks: 'frameworks.records',
    file: 'packages/adapter/src/session-log.ts',
    from: 'JSON.stringify({ item, id: crypto.randomUUID() })',
    to: 'JSON.stringify({ item })',
  },
  {
    breaks: 'frameworks.store',
    file: 'integrations/langchain/src/mem-relay-store.ts',
    from: 'const replaced = old.flat().map(({ id }) => id);',
    to: 'const replaced: string[] = [];',
  },
  {
    breaks: 'frameworks.never-block',
    file: 'packages/adapter/src/background-writer.ts',
    from: '}, fail)',
    to: '})',
  },
];
