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
