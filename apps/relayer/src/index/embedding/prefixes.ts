import { createHash } from 'node:crypto';

/** What makes questions and documents different for a model. Empty or absent: nothing. */
export interface Prefixes {
  queryPrefix?: string | undefined;
  documentPrefix?: string | undefined;
  /** `input_type` of the provider's request */
  queryInputType?: string | undefined;
  documentInputType?: string | undefined;
}

/**
 * The name of a model that is used with these prefixes: another name for other prefixes, so that earlier vectors become
 * stale.
 */
export function withPrefixes(model: string, prefixes: Prefixes): string {
  const { queryPrefix, documentPrefix, queryInputType, documentInputType } = prefixes;
  const all = [queryPrefix, documentPrefix, queryInputType, documentInputType].map((value) => value ?? '');
  if (all.every((value) => value === '')) return model;
  return `${model}+${createHash('sha256').update(JSON.stringify(all)).digest('hex').slice(0, 8)}`;
}
