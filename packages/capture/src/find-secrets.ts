import { conversationRules } from './conversation-rules.ts';
import gitleaks from './gitleaks-rules.json' with { type: 'json' };
import { entropyOf, type SecretRule } from './secret-rule.ts';

/** Where a secret is in a text, in UTF-16 code units. */
export interface FoundSecret {
  kind: string;
  start: number;
  end: number;
}

/** Rules for a certain service come first, because their names say more. */
const rules: readonly SecretRule[] = [
  ...gitleaks.rules.filter(({ kind }) => kind !== 'generic-api-key'),
  ...conversationRules,
  ...gitleaks.rules.filter(({ kind }) => kind === 'generic-api-key'),
];
/** Compiled when a text first contains one of their keywords */
const compiled = new Map<SecretRule, RegExp>();

/** The keys, tokens and passwords in a text, in order and without overlaps. */
export function findSecrets(text: string): FoundSecret[] {
  const lower = text.toLowerCase();
  const found = rules
    .filter(({ keywords }) => keywords.some((keyword) => lower.includes(keyword)))
    .flatMap((rule) => [...matchesOf(rule, text)]);
  return merged(found);
}

function* matchesOf(rule: SecretRule, text: string): Generator<FoundSecret> {
  for (const match of text.matchAll(expressionOf(rule))) {
    const group = rule.group ?? firstGroup(match);
    const secret = match[group];
    const span = match.indices?.[group];
    if (secret && span && isSecret(rule, match[0], secret))
      yield { kind: rule.kind, start: span[0], end: span[1] };
  }
}

function expressionOf(rule: SecretRule): RegExp {
  const known = compiled.get(rule);
  if (known) return known;
  const expression = new RegExp(rule.pattern, `${rule.flags}d`);
  compiled.set(rule, expression);
  return expression;
}

/** As gitleaks does: the first group that matched is the secret. */
function firstGroup(match: RegExpExecArray): number {
  const index = match.findIndex((group, i) => i > 0 && group !== undefined && group !== '');
  return index === -1 ? 0 : index;
}

function isSecret(rule: SecretRule, match: string, secret: string): boolean {
  if (rule.entropy !== undefined && entropyOf(secret) <= rule.entropy) return false;
  if (rule.notInMatch !== undefined && new RegExp(rule.notInMatch, 'i').test(match)) return false;
  if (rule.notSecret !== undefined && new RegExp(rule.notSecret).test(secret)) return false;
  return rule.accepts?.(secret) ?? true;
}

/** Overlapping finds become one, with the name of the first rule in the order of `rules` that found it. */
function merged(found: readonly FoundSecret[]): FoundSecret[] {
  const ordered = found.map((each, rank) => ({ ...each, rank })).sort((a, b) => a.start - b.start);
  const result: (typeof ordered)[number][] = [];
  for (const each of ordered) {
    const last = result.at(-1);
    if (last === undefined || each.start >= last.end) {
      result.push(each);
      continue;
    }
    last.end = Math.max(last.end, each.end);
    if (each.rank < last.rank) {
      last.kind = each.kind;
      last.rank = each.rank;
    }
  }
  return result.map(({ kind, start, end }) => ({ kind, start, end }));
}
