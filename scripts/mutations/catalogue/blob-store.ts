import type { Mutation } from '../mutation.ts';

export const blobStoreMutations: readonly Mutation[] = [
  {
    breaks: 'blob.limit.default-epochs',
    file: 'apps/blobstore/src/http/store-query.ts',
    from: "query.get('epochs') ?? '1'",
    to: "query.get('epochs') ?? '2'",
  },
  {
    breaks: 'blob.invalid-epochs',
    file: 'apps/blobstore/src/http/store-query.ts',
    from: 'if (epochs < 1 || epochs > maxEpochsAhead)',
    to: 'if (epochs > maxEpochsAhead)',
  },
  {
    breaks: 'blob.limit.max-epochs',
    file: 'apps/blobstore/src/http/store-query.ts',
    from: 'if (epochs < 1 || epochs > maxEpochsAhead)',
    to: 'if (epochs < 1)',
  },
  {
    breaks: 'blob.put.deletable',
    file: 'apps/blobstore/src/http/store-query.ts',
    from: "if (flagOf(query, 'deletable') && permanent) throw invalidBlobPersistence();",
    to: '',
  },
  {
    breaks: 'blob.put.encoding-type',
    file: 'apps/blobstore/src/http/store-query.ts',
    from: "query.get('encoding_type') ?? 'RS2'",
    to: "'RS2'",
  },
  {
    breaks: 'blob.put.deletable-default',
    file: 'apps/blobstore/src/http/store-query.ts',
    from: "const permanent = flagOf(query, 'permanent');",
    to: "const permanent = !flagOf(query, 'deletable');",
  },
  {
    breaks: 'blob.ranges',
    file: 'apps/blobstore/src/http/byte-range.ts',
    from: 'if (range.start > range.end || range.end >= totalBytes)',
    to: 'if (range.start > range.end)',
  },
  {
    breaks: 'blob.byte-range',
    file: 'apps/blobstore/src/http/byte-range.ts',
    from: "last === '' ? totalBytes - 1 : Number(last)",
    to: "last === '' ? totalBytes - 1 : Number(last) - 1",
  },
  {
    breaks: 'blob.attribute-headers',
    file: 'apps/blobstore/src/http/allowed-headers.ts',
    from: `  'link',
`,
    to: `  'link',
  'x-anything',
`,
  },
  {
    breaks: 'blob.cors-expose',
    file: 'apps/blobstore/src/http/cors.ts',
    from: "'ETag, Content-Range, X-Quilt-Patch-Identifier'",
    to: "'ETag, Content-Range'",
  },
  {
    breaks: 'blob.jwt.once',
    file: 'apps/blobstore/src/auth/replay-cache.ts',
    from: 'if (used.has(jti)) throw tokenAlreadyUsed();',
    to: '',
  },
  {
    breaks: 'blob.jwt.algorithms',
    file: 'apps/blobstore/src/auth/read-token.ts',
    from: '{ algorithms: [algorithm] }',
    to: '{}',
  },
  {
    breaks: 'blob.jwt.verify-upload',
    file: 'apps/blobstore/src/auth/check-upload.ts',
    from: 'if (epochs !== undefined && asked !== epochs) {',
    to: 'if (epochs !== undefined && asked < epochs) {',
  },
  {
    breaks: 'blob.jwt',
    file: 'apps/blobstore/src/auth/check-upload.ts',
    from: 'if (size !== undefined && bytes !== size) {',
    to: 'if (size !== undefined && bytes > size) {',
  },
  {
    breaks: 'blob.put.certified',
    file: 'apps/blobstore/src/publisher/store-decision.ts',
    from: 'permanent.endEpoch >= wish.targetEpoch',
    to: 'permanent.endEpoch > wish.targetEpoch',
  },
  {
    breaks: 'blob.put.force',
    file: 'apps/blobstore/src/publisher/store-decision.ts',
    from: 'if (!wish.force && wish.permanent &&',
    to: 'if (wish.permanent &&',
  },
  {
    breaks: 'blob.put.reuse-resources',
    file: 'apps/blobstore/src/publisher/store-decision.ts',
    from: "if (!wish.reuseResources) return { kind: 'register' };",
    to: "if (wish.reuseResources || !wish.reuseResources) return { kind: 'register' };",
  },
];
