import type { ListNamespacesOperation, MatchCondition } from '@langchain/langgraph-checkpoint';

const operators: Readonly<Record<string, (own: unknown, wanted: unknown) => boolean>> = {
  $eq: (own, wanted) => own === wanted,
  $ne: (own, wanted) => own !== wanted,
  $gt: (own, wanted) => Number(own) > Number(wanted),
  $gte: (own, wanted) => Number(own) >= Number(wanted),
  $lt: (own, wanted) => Number(own) < Number(wanted),
  $lte: (own, wanted) => Number(own) <= Number(wanted),
  $in: (own, wanted) => Array.isArray(wanted) && wanted.includes(own),
  $nin: (own, wanted) => !Array.isArray(wanted) || !wanted.includes(own),
};

/** Whether a value passes a filter, with the meaning that LangGraph's own store gives it. */
export function passes(value: Record<string, unknown>, filter: Record<string, unknown> | undefined): boolean {
  return Object.entries(filter ?? {}).every(([field, wanted]) => {
    const own = value[field];
    if (typeof wanted !== 'object' || wanted === null) return own === wanted;
    const conditions = Object.entries(wanted);
    if (!conditions.every(([name]) => name in operators)) return own === wanted;
    return conditions.every(([name, operand]) => operators[name]!(own, operand));
  });
}

/** The namespaces that match, cut to the maximum depth, each once and sorted. */
export function matchingNamespaces(
  namespaces: readonly string[][],
  { matchConditions = [], maxDepth, limit, offset }: ListNamespacesOperation,
): string[][] {
  const matching = namespaces
    .filter((namespace) => matchConditions.every((condition) => matches(condition, namespace)))
    .map((namespace) => JSON.stringify(namespace.slice(0, maxDepth ?? namespace.length)));
  const distinct = [...new Set(matching)].map((text) => JSON.parse(text) as string[]);
  distinct.sort((a, b) => a.join(':').localeCompare(b.join(':')));
  return distinct.slice(offset ?? 0, (offset ?? 0) + (limit ?? distinct.length));
}

function matches({ matchType, path }: MatchCondition, namespace: readonly string[]): boolean {
  if (path.length > namespace.length) return false;
  const start = matchType === 'prefix' ? 0 : namespace.length - path.length;
  return path.every((part, i) => part === '*' || part === namespace[start + i]);
}
