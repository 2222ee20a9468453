/** How often each label occurs, and how often two occur together, in texts. */
export interface Occurrences {
  labels: readonly string[];
  /** Square roots of shares of the texts; the diagonal has the labels themselves */
  together: readonly Float64Array[];
}

/** Square roots, because the deviation of a count grows with its root. `size`: rows of the table, at least one for each label. */
export function occurrencesOf(texts: readonly (readonly string[])[], size: number): Occurrences {
  const counts = new Map<string, number>();
  for (const labels of texts) for (const label of labels) counts.set(label, (counts.get(label) ?? 0) + 1);
  const labels = [...counts].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)).map(([label]) => label);
  const place = new Map(labels.map((label, i) => [label, i]));
  const together = Array.from({ length: size }, () => new Float64Array(size));
  for (const each of texts)
    for (const one of each) for (const other of each) together[place.get(one)!]![place.get(other)!]! += 1;
  for (const row of together) for (let j = 0; j < row.length; j++) row[j] = Math.sqrt(row[j]! / texts.length);
  return { labels, together };
}

const maxSweeps = 40;

/**
 * Guesses which token belongs to which label from how often they occur, alone and together, in the attacked rows and in
 * texts that the attacker knows from elsewhere: matches by rank, then swaps pairs as long as the two tables become more
 * alike. `known`: labels of tokens that the attacker is sure of.
 */
export function matchByFrequency(
  attacked: readonly (readonly string[])[],
  auxiliary: readonly (readonly string[])[],
  known: ReadonlyMap<string, string>,
  withPairs: boolean,
): Map<string, string> {
  const size = Math.max(new Set(attacked.flat()).size, new Set(auxiliary.flat()).size);
  const tokens = occurrencesOf(attacked, size);
  const labels = occurrencesOf(auxiliary, size);
  const assigned = startingMatch(tokens.labels, labels.labels, known, size);
  const fixed = new Set([...known.keys()].map((token) => tokens.labels.indexOf(token)));
  const rowCost = (i: number, label: number): number => {
    let sum = (tokens.together[i]![i]! - labels.together[label]![label]!) ** 2;
    for (let j = 0; j < size; j++)
      if (j !== i) sum += (tokens.together[i]![j]! - labels.together[label]![assigned[j]!]!) ** 2;
    return sum;
  };
  for (let sweep = 0, better = withPairs; better && sweep < maxSweeps; sweep++) {
    better = false;
    for (let i = 0; i < size; i++)
      for (let j = i + 1; j < size; j++) {
        if (fixed.has(i) || fixed.has(j)) continue;
        const [one, other] = [assigned[i]!, assigned[j]!];
        const before = rowCost(i, one) + rowCost(j, other);
        [assigned[i], assigned[j]] = [other, one];
        if (rowCost(i, other) + rowCost(j, one) < before - 1e-12) better = true;
        else [assigned[i], assigned[j]] = [one, other];
      }
  }
  const matched = tokens.labels.flatMap((token, i) => {
    const label = labels.labels[assigned[i]!];
    return label === undefined ? [] : [[token, label] as const];
  });
  // Some known labels may not occur in the other texts
  return new Map([...matched, ...known]);
}

/** By rank, except those that are known. Indexes of labels by index of token; each label is used once. */
function startingMatch(
  tokens: readonly string[],
  labels: readonly string[],
  known: ReadonlyMap<string, string>,
  size: number,
): number[] {
  const place = new Map(labels.map((label, i) => [label, i]));
  const assigned = tokens.map((token) => place.get(known.get(token) ?? '') ?? -1);
  const used = new Set(assigned);
  const free = Array.from({ length: size }, (_, i) => i).filter((i) => !used.has(i));
  return Array.from({ length: size }, (_, i) => {
    const own = assigned[i] ?? -1;
    return own >= 0 ? own : free.shift()!;
  });
}
