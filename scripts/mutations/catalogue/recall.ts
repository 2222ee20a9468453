import type { Mutation } from '../mutation.ts';

export const recallMutations: readonly Mutation[] = [
  {
    breaks: 'fields.scoring-weights',
    file: 'apps/relayer/src/memories/recall/ranking.ts',
    from: '2 ** (-ageDays / halfLifeDays)',
    to: '1',
  },
  {
    breaks: 'fields.min-score',
    file: 'apps/relayer/src/memories/recall/ranking.ts',
    from: 'scored.filter(({ score }) => score >= least)',
    to: 'scored',
  },
  {
    breaks: 'fields.score',
    file: 'apps/relayer/src/memories/recall/ranking.ts',
    from: 'score: wanted ? score : undefined',
    to: 'score: undefined',
  },
  {
    breaks: 'fields.limit',
    file: 'apps/relayer/src/memories/recall/ranking.ts',
    from: '.slice(0, request.limit)',
    to: '.slice(0, request.limit - 1)',
  },
  {
    breaks: 'account.lists-in-scope',
    file: 'apps/relayer/src/memories/reading/scope-namespaces.ts',
    from: 'return names.filter(isReadable);',
    to: 'return names;',
  },
  {
    breaks: 'account.forget-by-relayer',
    file: 'apps/relayer/src/memories/forget/forget.ts',
    from: `  if (everything) return forgetEverything(parts, caller);
  const ns = accountNamespace(parts, caller, namespace);
  requirePermission(caller, 'forget', ns.tag);`,
    to: `  if (everything) return forgetEverything(parts, caller);
  const ns = accountNamespace(parts, caller, namespace);`,
  },
  {
    breaks: 'routes.declared',
    file: 'apps/relayer/src/api/auth/register-auth.ts',
    from: 'requireScope(caller, signedRouteOf(request));',
    to: '',
  },
  {
    breaks: 'routes.forget-everything',
    file: 'apps/relayer/src/memories/forget/forget.ts',
    from: "if (namespacesWith(caller, 'forget') !== 'all') throw new ApiError('insufficient_scope');",
    to: '',
  },
  {
    breaks: 'restore.unverified',
    file: 'apps/relayer/src/upkeep/restore/restore.ts',
    from: `    ...trusted_writers,
`,
    to: '',
  },
  {
    breaks: 'rest.outbox-sealed',
    file: 'packages/envelope/src/at-rest.ts',
    from: 'return lengthPrefixed([position.jobId, position.account, position.namespace, position.column]);',
    to: 'return lengthPrefixed([position.jobId]);',
  },
  {
    breaks: 'rest.blind-token',
    file: 'packages/envelope/src/at-rest.ts',
    from: 'utf8(stem)).slice(0, 8)',
    to: 'utf8(stem)).slice(0, 7)',
  },
  {
    breaks: 'rest.index-labels',
    file: 'packages/envelope/src/at-rest.ts',
    from: "const info = lengthPrefixed(['memrelay-index-v1', purpose, account, ...within]);",
    to: "const info = lengthPrefixed(['memrelay-index-v1', purpose, ...within]);",
  },
  {
    breaks: 'rest.secret-rotation',
    file: 'packages/envelope/src/at-rest.ts',
    from: 'filter((id) => !ring.byId.has(id))',
    to: 'filter(() => false)',
  },
  {
    breaks: 'rest.idempotency-scope',
    file: 'apps/relayer/src/jobs/rows/idempotency-rows.ts',
    from: 'WHERE account_id = $1 AND delegate_pk = $2 AND route = $3 AND key_hash = $4',
    to: 'WHERE account_id = $1 AND delegate_pk <> $2 AND route = $3 AND key_hash = $4',
  },
  {
    breaks: 'relayer.service.blob-cache',
    file: 'apps/relayer/src/blobs/blob-cache.ts',
    from: 'blobIds.map((blobId) => entries.get(blobId))',
    to: 'blobIds.toReversed().map((blobId) => entries.get(blobId))',
  },
  {
    breaks: 'config.race-after',
    file: 'apps/relayer/src/blobs/race.ts',
    from: 'setTimeout(startNext, options.afterMs)',
    to: 'setTimeout(startNext, 150)',
  },
  {
    breaks: 'config.race-zero',
    file: 'apps/relayer/src/blobs/race.ts',
    from: 'if (options.afterMs === 0) startNext();',
    to: 'if (options.afterMs === -1) startNext();',
  },
  {
    breaks: 'blob.cdn-404',
    file: 'apps/relayer/src/blobs/aggregator-reads.ts',
    from: '(fresh && status === 404)',
    to: 'false',
  },
  {
    breaks: 'jobs.states',
    file: 'apps/relayer/src/jobs/rows/save-progress.ts',
    from: "UPDATE memory_job SET status = 'failed', attempts = attempts + 1",
    to: "UPDATE memory_job SET status = 'running', attempts = attempts + 1",
  },
  {
    breaks: 'auth.nonce-or-nothing',
    file: 'apps/relayer/src/api/rows/table-nonces.ts',
    from: `        failure = error as Error;
        throw error;`,
    to: `        failure = error as Error;
        return 'fresh';`,
  },
];
