import { shuffled } from './random.ts';
import type { Namespace, Row } from './rows.ts';
import { leastPadding, type Variant } from './variants.ts';

/** Share of the distinct words of the unknown texts, per text, whose tokens the attacker named correctly. */
function revealed(namespace: Namespace, named: ReadonlyMap<string, string>, unknown: readonly Row[]): number {
  let all = 0;
  let found = 0;
  for (const { terms } of unknown)
    for (const term of terms.keys()) {
      all += 1;
      const token = namespace.tokenOf(term);
      if (token !== undefined && named.get(token) === term) found += 1;
    }
  return found / all;
}

/**
 * What an attacker learns from texts whose rows they know: a token is in exactly the rows whose texts contain its
 * word. Each token is assigned to the word with the most similar occurrences, if that is mutual. Words by token.
 */
export function namedByKnown(known: readonly Pick<Row, 'terms' | 'tokens'>[]): Map<string, string> {
  const termSets = occurrences(known.map(({ terms }) => terms));
  const tokenSets = occurrences(known.map(({ tokens }) => tokens));
  const terms = bestOf(tokenSets, termSets);
  const tokens = bestOf(termSets, tokenSets);
  const named = new Map<string, string>();
  for (const [token, term] of terms) if (tokens.get(term) === token) named.set(token, term);
  return named;
}

/** Share of the words of the unknown texts that the known ones reveal. */
export function knownTexts(namespace: Namespace, known: readonly Row[], unknown: readonly Row[]): number {
  return revealed(namespace, namedByKnown(known), unknown);
}

/** For each token or term, the texts that contain it with their frequency: "3×1" */
function occurrences(texts: readonly ReadonlyMap<string, number>[]): Map<string, Set<string>> {
  const sets = new Map<string, Set<string>>();
  for (const [i, counts] of texts.entries())
    for (const [name, times] of counts) {
      const set = sets.get(name) ?? new Set();
      sets.set(name, set.add(`${i}×${times}`));
    }
  return sets;
}

/** For each entry, the most similar one of the others (Jaccard); none if two are equally similar. */
function bestOf(some: Map<string, Set<string>>, others: Map<string, Set<string>>): Map<string, string> {
  const standing = new Map<string, string[]>();
  for (const [name, set] of others)
    for (const place of set) standing.set(place, [...(standing.get(place) ?? []), name]);
  const best = new Map<string, string>();
  for (const [name, set] of some) {
    const shared = new Map<string, number>();
    for (const place of set)
      for (const other of standing.get(place) ?? []) shared.set(other, (shared.get(other) ?? 0) + 1);
    const scored = [...shared]
      .map(([other, count]) => ({ other, score: count / (set.size + others.get(other)!.size - count) }))
      .sort((a, b) => b.score - a.score);
    if (scored[0] && scored[0].score > (scored[1]?.score ?? 0)) best.set(name, scored[0].other);
  }
  return best;
}

/**
 * What an attacker with write access learns: each word is stored as texts that contain only this word ("tea", "tea!", "tea?"),
 * and its token is the one that their rows share. Padding is drawn separately for each row.
 */
export function chosenWords(
  namespace: Namespace,
  words: readonly string[],
  { padding }: Variant,
  rowsPerWord: number,
  random: () => number,
): number {
  const all = namespace.rows.flatMap((row) => [...row.tokens.keys()]);
  const named = new Map<string, string>();
  for (const word of words) {
    const token = namespace.tokenOf(word);
    if (token === undefined) continue;
    let shared: string[] | undefined;
    for (let i = 0; i < rowsPerWord; i++) {
      const row = new Set([token]);
      while (padding > 0 && row.size < 1 + leastPadding) row.add(all[Math.floor(random() * all.length)]!);
      shared = shared?.filter((each) => row.has(each)) ?? [...row];
    }
    const [guess] = shuffled(shared!, random);
    named.set(guess!, word);
  }
  return revealed(namespace, named, namespace.rows);
}
