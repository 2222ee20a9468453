import { clientVariables, knownVariables, ownPrefixes } from '@memrelay/protocol/variables';
import { type Variables, variables } from './variables.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** Everything that is wrong with the environment, one line each, by variable name. Values are never echoed. */
export class ConfigError extends Error {
  override name = 'ConfigError';
  readonly problems: readonly string[];
  constructor(problems: readonly string[]) {
    super(`the configuration is not usable:\n${problems.map((problem) => `  ${problem}`).join('\n')}`);
    this.problems = problems;
  }
}

/**
 * Reads and checks the environment in one place. Throws `ConfigError` with every problem at once; `warnings` name
 * variables that look like ours and are not known.
 */
export function readVariables(environment: Environment): { values: Variables; warnings: string[] } {
  const present = Object.fromEntries(Object.entries(environment).filter(([, value]) => value?.trim()));
  const result = variables.safeParse(present);
  if (!result.success) {
    throw new ConfigError(
      result.error.issues.map((issue) => {
        const name = String(issue.path[0]);
        return present[name] === undefined ? `${name} is required` : `${name}: ${issue.message}`;
      }),
    );
  }
  return { values: result.data, warnings: unknownVariables(Object.keys(present)) };
}

function unknownVariables(names: string[]): string[] {
  return names
    .filter((name) => ownPrefixes.some((prefix) => name.startsWith(prefix)))
    .filter((name) => !knownVariables.includes(name))
    .map((name) => {
      const near = nearest(
        name,
        knownVariables.filter((known) => !clientVariables.includes(known as never)),
      );
      return `${name} is not a known variable${near ? `; did you mean ${near}?` : ''}`;
    });
}

function nearest(name: string, candidates: readonly string[]): string | undefined {
  let best: { candidate: string; distance: number } | undefined;
  for (const candidate of candidates) {
    const distance = editDistance(name, candidate);
    if (distance <= 4 && distance < (best?.distance ?? 5)) best = { candidate, distance };
  }
  return best?.candidate;
}

/** Levenshtein distance, one row at a time. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++)
      next[j] = Math.min(next[j - 1]! + 1, row[j]! + 1, row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1));
    row = next;
  }
  return row[b.length]!;
}
