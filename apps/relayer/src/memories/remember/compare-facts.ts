import type { Fact } from '../../language/facts/fact.ts';
import { wordsKey } from '../../language/facts/same-words.ts';
import type { KnownMemory } from '../recall/neighbours.ts';

/** A fact that becomes a memory. */
export interface NewFact extends Fact {
  replaces: readonly KnownMemory[];
}

export interface Comparison {
  kept: NewFact[];
  /** Already stated by a memory */
  unchanged: { text: string; memory: KnownMemory }[];
}

/**
 * Splits facts into new ones and those that a nearby memory already states, in the same words or in the model's
 * judgement. `near` has the memories near each fact. Claims of the model about any other memory are ignored, and the fact
 * is kept: they are mistakes or were injected.
 */
export function compareFacts(facts: readonly Fact[], near: readonly (readonly KnownMemory[])[]): Comparison {
  const kept: NewFact[] = [];
  const unchanged: Comparison['unchanged'] = [];
  for (const [i, fact] of facts.entries()) {
    const key = wordsKey(fact.text);
    const { relation } = fact;
    const meant = near[i]!.find(({ id }) => id === relation?.memoryId);
    const same =
      near[i]!.find(({ text }) => wordsKey(text) === key) ??
      (relation?.is === 'restates' ? meant : undefined);
    if (same) unchanged.push({ text: fact.text, memory: same });
    else kept.push({ ...fact, replaces: meant ? [meant] : [] });
  }
  return { kept, unchanged };
}

/** Removes facts in the same words: keeps the first position and the highest importance. */
export function distinctFacts(facts: readonly Fact[]): Fact[] {
  const byWords = new Map<string, Fact>();
  for (const fact of facts) {
    const key = wordsKey(fact.text);
    const first = byWords.get(key);
    const importance = Math.max(first?.importance ?? 0, fact.importance);
    byWords.set(key, { ...(first ?? fact), importance });
  }
  return [...byWords.values()];
}
