import { createHash } from 'node:crypto';
import type { Mutation } from './mutation.ts';

/** `count` mutations in an order that depends only on the seed. */
export function pick(mutations: readonly Mutation[], count: number, seed: string): Mutation[] {
  const rank = ({ breaks, file, from }: Mutation): string =>
    createHash('sha256').update([seed, breaks, file, from].join('\n')).digest('hex');
  return mutations
    .map((mutation) => ({ mutation, rank: rank(mutation) }))
    .sort((a, b) => (a.rank < b.rank ? -1 : 1))
    .slice(0, count)
    .map(({ mutation }) => mutation);
}
