import type { MemRelay } from '@memrelay/sdk/mem-relay';
import type { Acknowledged } from './steady-writer.ts';

/** Recalls everything that a steady writer stored, and counts what is missing and what is returned more than once. */
export async function countFound(
  client: Pick<MemRelay, 'recall'>,
  expected: readonly Acknowledged[],
): Promise<{ lost: number; duplicates: number }> {
  let lost = 0;
  let duplicates = 0;
  for (const namespace of namespacesOf(expected)) {
    const { results } = await client.recall('sentence of the drill', {
      namespace,
      minScore: -1,
      limit: 100,
    });
    for (const { text } of expected.filter((memory) => memory.namespace === namespace)) {
      const times = results.filter((hit) => hit.text === text).length;
      if (times === 0) lost += 1;
      else duplicates += times - 1;
    }
  }
  return { lost, duplicates };
}

export const namespacesOf = (memories: readonly Acknowledged[]): string[] => [
  ...new Set(memories.map(({ namespace }) => namespace)),
];
