import { findSecrets } from './find-secrets.ts';
import { withoutPrivateSections } from './private-sections.ts';

/** How many secrets of a kind were found. Never the secrets. */
export interface SecretCount {
  kind: string;
  count: number;
}

export interface PreparedText {
  text: string;
  masked: readonly SecretCount[];
  /** `<private>` sections that were removed */
  privateSections: number;
}

export interface PrepareOptions {
  /** Default true. Private sections are removed in any case */
  maskSecrets?: boolean | undefined;
}

/** A text as it may be captured without anyone asking: without private sections, with masks instead of secrets. */
export function prepareText(text: string, { maskSecrets = true }: PrepareOptions = {}): PreparedText {
  const open = withoutPrivateSections(text);
  if (!maskSecrets) return { text: open.text, masked: [], privateSections: open.sections };
  const found = findSecrets(open.text);
  let masked = '';
  let from = 0;
  for (const { kind, start, end } of found) {
    masked += `${open.text.slice(from, start)}[masked: ${kind}]`;
    from = end;
  }
  return {
    text: masked + open.text.slice(from),
    masked: countKinds(found),
    privateSections: open.sections,
  };
}

/** What looks like a secret in a text, by kind. */
export function countSecrets(text: string): SecretCount[] {
  return countKinds(findSecrets(text));
}

/** Adds up counts of several texts. */
export function addCounts(counts: readonly SecretCount[]): SecretCount[] {
  const sums = new Map<string, number>();
  for (const { kind, count } of counts) sums.set(kind, (sums.get(kind) ?? 0) + count);
  return [...sums].map(([kind, count]) => ({ kind, count }));
}

/** "2 secrets (password, aws-access-token)", "3 secrets (2 password, jwt)" */
export function countedSecrets(counts: readonly SecretCount[]): string {
  const total = counts.reduce((sum, { count }) => sum + count, 0);
  const kinds = counts.map(({ kind, count }) => (count === 1 ? kind : `${count} ${kind}`)).join(', ');
  return `${total === 1 ? '1 secret' : `${total} secrets`} (${kinds})`;
}

function countKinds(found: readonly { kind: string }[]): SecretCount[] {
  return addCounts(found.map(({ kind }) => ({ kind, count: 1 })));
}
