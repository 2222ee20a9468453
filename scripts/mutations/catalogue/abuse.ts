import type { Mutation } from '../mutation.ts';

/** Statements about callers that want more than their share, or more than they may see. */
export const abuseMutations: readonly Mutation[] = [
  {
    breaks: 'routes.audit-tampering',
    file: 'apps/relayer/src/audit/audit-log.ts',
    from: 'signatures: (isSigned ? signers : []).map',
    to: 'signatures: signers.map',
  },
  {
    breaks: 'webhooks.private-addresses',
    file: 'packages/process/src/guarded-fetch.ts',
    from: 'if (addresses.some(({ address }) => isPrivateAddress(address)))',
    to: 'if (addresses.length === 0)',
  },
  {
    breaks: 'webhooks.scope',
    file: 'apps/relayer/src/webhooks/webhook-access.ts',
    from: "return readable.has(tag) ? undefined : 'not_in_scope';",
    to: 'return undefined;',
  },
  {
    breaks: 'webhooks.signatures',
    file: 'packages/sdk/src/webhooks.ts',
    from: 'if (!(differs <= toleranceSeconds))',
    to: 'if (Number.isNaN(differs))',
  },
  {
    breaks: 'webhooks.events',
    file: 'apps/relayer/src/webhooks/rows/delivery-rows.ts',
    from: 'ORDER BY next_at LIMIT $1 FOR UPDATE SKIP LOCKED',
    to: 'ORDER BY next_at LIMIT $1',
  },
  {
    breaks: 'requests.known-keys',
    file: 'apps/relayer/src/api/auth/address-limit.ts',
    from: 'if (credential === undefined ||',
    to: 'if (credential !== undefined ||',
  },
  {
    breaks: 'requests.forwarded-warning',
    file: 'apps/relayer/src/api/auth/forwarded-warning.ts',
    from: '    warned = true;\n',
    to: '',
  },
  {
    breaks: 'account.proven-first',
    file: 'apps/relayer/src/api/auth/find-caller.ts',
    from: 'if (proven.length === 1)',
    to: 'if (proven.length === -1)',
  },
  {
    breaks: 'recall.only-matches',
    file: 'apps/relayer/src/memories/recall/matching.ts',
    from: ': !match.stale && 1 - match.distance > minScore;',
    to: ': !match.stale;',
  },
  {
    breaks: 'manual.opaque-bytes',
    file: 'apps/relayer/src/memories/remember/remember-manual.ts',
    from: 'const note = opaque ? opaqueNote : {};',
    to: 'const note = {};',
  },
  {
    breaks: 'blob.read-sandbox',
    file: 'apps/blobstore/src/http/read-headers.ts',
    from: ", 'content-security-policy': 'sandbox' }",
    to: ' }',
  },
];
