import type { Mutation } from '../mutation.ts';

export const accountMutations: readonly Mutation[] = [
  {
    breaks: 'account.approve-future',
    file: 'apps/localnet/src/move/account-approval.ts',
    from: `  if (epoch > account.key_epoch) return false;
`,
    to: '',
  },
  {
    breaks: 'account.approve-future',
    file: 'contracts/sources/account.move',
    from: 'if (epoch > account.key_epoch) return false;',
    to: 'if (epoch > account.key_epoch + 1) return false;',
  },
  {
    breaks: 'account.approve-order',
    file: 'apps/localnet/src/move/account-approval.ts',
    from: `  if (!account.active) return false;
`,
    to: '',
  },
  {
    breaks: 'account.negative-localnet',
    file: 'apps/localnet/src/move/account-approval.ts',
    from: `  if (id.length !== identityLength) return false;
`,
    to: '',
  },
  {
    breaks: 'account.negative-localnet',
    file: 'apps/localnet/src/move/account-approval.ts',
    from: `  if (Buffer.compare(id.subarray(0, tagStart), origin) !== 0) return false;
`,
    to: '',
  },
  {
    breaks: 'account.approve-clockless',
    file: 'apps/localnet/src/move/account-approval.ts',
    from: 'endOfTime = 0xffff_ffff_ffff_ffffn',
    to: 'endOfTime = 0n',
  },
  {
    breaks: 'account.narrowing-bumps',
    file: 'apps/localnet/src/move/account-scope.ts',
    from: `    endsBefore(scope.expires_at_ms, old.expires_at_ms) ||
`,
    to: '',
  },
  {
    breaks: 'account.narrowing-bumps',
    file: 'apps/localnet/src/move/account-ownership.ts',
    from: `  account.active = false;
  bump(account);`,
    to: '  account.active = false;',
  },
  {
    breaks: 'account.empty-tags',
    file: 'apps/localnet/src/move/account-scope.ts',
    from: '(scope.all_namespaces || hasTag(scope, tag))',
    to: '(scope.all_namespaces || scope.tags.length === 0 || hasTag(scope, tag))',
  },
  {
    breaks: 'account.add-checks',
    file: 'apps/localnet/src/move/account-delegates.ts',
    from: `  check(address !== account.owner, 'delegate_is_owner', at);
`,
    to: '',
  },
  {
    breaks: 'account.add-checks',
    file: 'apps/localnet/src/move/account-delegates.ts',
    from: `  check(!isSmallOrderEd25519(publicKey), 'small_order_key', at);
`,
    to: '',
  },
  {
    breaks: 'account.add-proof',
    file: 'apps/localnet/src/move/account-delegates.ts',
    from: `  check(provesConsent(proof, delegate.publicKey, object.id), 'bad_proof', 'add_delegate_key_scoped');
`,
    to: '',
  },
  {
    breaks: 'account.remove',
    file: 'apps/localnet/src/move/account-delegates.ts',
    from: `  account.scopes = account.scopes.filter(({ key }) => removed.every(({ address }) => address !== key));
`,
    to: '',
  },
  {
    breaks: 'account.transfer',
    file: 'apps/localnet/src/move/account-ownership.ts',
    from: `  account.delegate_keys = [];
  account.scopes = [];
  account.recovery_pk`,
    to: '  account.recovery_pk',
  },
  {
    breaks: 'account.one-per-origin',
    file: 'apps/localnet/src/move/account-ownership.ts',
    from: `  check(context.fields.get(registry.accounts.id, name) === undefined, 'account_exists', 'new_account');
`,
    to: '',
  },
  {
    breaks: 'account.prune',
    file: 'apps/localnet/src/move/account-delegates.ts',
    from: "check(expired.length > 0, 'nothing_expired', 'prune_expired');",
    to: 'checkOwner(account, context);',
  },
  {
    breaks: 'account.events',
    file: 'apps/localnet/src/move/account-ownership.ts',
    from: `  emit(context, object, 'KeyEpochRotated', {});
`,
    to: '',
  },
  {
    breaks: 'sessions.time',
    file: 'apps/sidecar/src/seal/session.ts',
    from: 'maxClockAheadMs = 60_000',
    to: 'maxClockAheadMs = 600_000',
  },
  {
    breaks: 'sessions.package',
    file: 'apps/sidecar/src/seal/session.ts',
    from: "if (fields.packageId !== packageId) throw refuse('wrong_package');",
    to: '',
  },
  {
    breaks: 'requests.content-encoding',
    file: 'apps/relayer/src/api/auth/auth-headers.ts',
    from: "encoding.toLowerCase() !== 'identity'",
    to: "encoding.toLowerCase() === 'gzip'",
  },
  {
    breaks: 'requests.repeated-header',
    file: 'apps/relayer/src/api/auth/auth-headers.ts',
    from: `    if (seen.has(name)) throw new ApiError('invalid_auth_header', { details: { header: name } });
`,
    to: '',
  },
  {
    breaks: 'requests.account-id-form',
    file: 'packages/protocol/src/signing.ts',
    from: 'accountId: addressPattern',
    to: 'accountId: /^(?:0x)?[0-9a-fA-F]{64}$/',
  },
  {
    breaks: 'requests.body-bounded',
    file: 'apps/relayer/src/api/auth/request-body.ts',
    from: `if (length > limits.bytes) stop(new ApiError('payload_too_large'));
    else chunks.push(chunk);`,
    to: 'chunks.push(chunk);',
  },
  {
    breaks: 'requests.length-first',
    file: 'apps/relayer/src/api/auth/request-body.ts',
    from: "if (length > limitBytes) throw new ApiError('payload_too_large');",
    to: '',
  },
  {
    breaks: 'requests.nonce-key',
    file: 'apps/relayer/src/api/nonces/nonce-store.ts',
    from: "Buffer.from(publicKey + nonce.replaceAll('-', ''), 'hex')",
    to: 'Buffer.from(publicKey + nonce)',
  },
  {
    breaks: 'requests.account-answered',
    file: 'apps/relayer/src/api/auth/register-auth.ts',
    from: 'reply.header(headers.accountId, caller.account.accountId);',
    to: '',
  },
  {
    breaks: 'requests.account-answered-sdk',
    file: 'packages/sdk/src/wire/answer.ts',
    from: 'if (call.signed && account !== null &&',
    to: 'if (call.signed && account === "" &&',
  },
  {
    breaks: 'sdk.pins-package',
    file: 'packages/sdk/src/options.ts',
    from: 'if (config.packageId?.toLowerCase() === packageId) return packageId;',
    to: 'if (packageId !== "") return packageId;',
  },
  {
    breaks: 'outbound.blob-id-form',
    file: 'packages/protocol/src/fields.ts',
    from: '/^(?:[A-Za-z0-9_-]{43}|[A-Za-z0-9_-]{50})$/',
    to: '/^[A-Za-z0-9_.\\/-]{43,50}$/',
  },
  {
    breaks: 'outbound.blob-id-form',
    file: 'apps/relayer/src/blobs/aggregator-reads.ts',
    from: '    requireBlobId(blobId);\n    const delays = retryDelaysMs',
    to: '    const delays = retryDelaysMs',
  },
];
