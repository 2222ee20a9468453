import { envelopeKind } from '@memrelay/envelope/header';
import { ApiError } from '@memrelay/protocol/errors';
import type { RestoreRequest, RestoreResponse } from '@memrelay/protocol/restore';
import type { AccountDirectory, AccountSnapshot } from '../../accounts/account-directory.ts';
import type { AccountWriters } from '../../accounts/account-writers.ts';
import type { Caller, Permission } from '../../accounts/caller.ts';
import { requireDecryptCredential } from '../../accounts/decrypt-credential.ts';
import {
  hasPermission,
  permissionBits,
  requireFreshAccount,
  requirePermission,
} from '../../accounts/require-permission.ts';
import type { AuditLog } from '../../audit/audit-log.ts';
import type { Secrets } from '../../base/config/secrets.ts';
import type { Db } from '../../base/db/db.ts';
import { hexToBytes } from '../../base/db/hex.ts';
import type { BlobCache } from '../../blobs/blob-cache.ts';
import { contextTokens, isExpired } from '../../index/context-tokens.ts';
import { EmbeddingError } from '../../index/embedding/embedder.ts';
import type { IndexData, TextIndexer } from '../../index/index-data.ts';
import type { AccountNamespace } from '../../jobs/rows/forgotten-objects.ts';
import { textHash } from '../../jobs/rows/known-texts.ts';
import { statementsOf } from '../../jobs/rows/save-embedded.ts';
import type { NamespaceKeys } from '../../keys/namespace-keys.ts';
import type { NamespaceTags } from '../../memories/reading/scope-namespaces.ts';
import { hasUntried, scanStartedAt } from '../rows/chain-scan-rows.ts';
import {
  type Candidate,
  candidates,
  countFound,
  databaseTime,
  type OpenedCandidate,
  saveOutcome,
  trustName,
} from '../rows/restore-rows.ts';
import { keepTombstone, saveForgotten, saveRestored } from '../rows/save-restored.ts';
import { type OpenCandidateParts, openCandidates } from './open-candidates.ts';
import { type ChainScanParts, type RestoreFailure, scanChain } from './scan-chain.ts';

/** Read and opened at once: each may have 1.5 MiB */
const batchSize = 16;
/** Time limit of one call, so that it ends before the client times out; the next call continues. */
const scanMs = 10_000;
const restoreMs = 20_000;
const reportedFailures = 100;

export interface RestoreParts extends ChainScanParts, OpenCandidateParts, NamespaceTags {
  db: Db;
  audit: Pick<AuditLog, 'append'>;
  accounts: Pick<AccountDirectory, 'writersEver'>;
  accountWriters: Pick<AccountWriters, 'remember' | 'refresh'>;
  aggregators: ChainScanParts['aggregators'] & OpenCandidateParts['aggregators'];
  blobCache: Pick<BlobCache, 'delete'>;
  indexer: Pick<TextIndexer, 'indexTexts'>;
  namespaceKeys: Pick<NamespaceKeys, 'keep'>;
  /** Throws `llm_not_configured` where texts cannot be embedded */
  requireEmbedder(): void;
  secrets: Pick<Secrets, 'indexKey'>;
  sidecar: ChainScanParts['sidecar'] & OpenCandidateParts['sidecar'];
  /** Public halves of the relayer's writer keys, hex */
  writerPublicKeys: readonly string[];
}

/**
 * Rebuilds a namespace from what its owner holds on chain, at most `limit` memories per call (decisions.md, "Restore").
 * Scans everything before it restores anything, so that forgotten memories stay forgotten. Indexes only what a trusted
 * key has signed; the rest is counted. Throws `ApiError`.
 */
export async function restore(
  parts: RestoreParts,
  caller: Caller,
  { namespace, limit, trusted_writers = [] }: RestoreRequest,
): Promise<RestoreResponse> {
  requireFreshAccount(caller);
  requireDecryptCredential(parts, caller);
  const { account } = caller;
  const tag = Buffer.from(parts.tagOf(account.origin, namespace));
  requirePermission(caller, 'read', tag);
  // Naming a trusted writer allows a caller to store anything signed by it, so WRITE is required
  if (trusted_writers.length > 0) requirePermission(caller, 'write', tag);
  parts.requireEmbedder();
  const ns = { accountId: hexToBytes(account.accountId), namespace, tag };
  // Before the work, which takes many transactions and may be cut off
  await parts.db.transaction((tx) =>
    parts.audit.append(tx, ns.accountId, {
      action: 'memories.restored',
      actor: caller.publicKey,
      detail: { tag: tag.toString('hex'), limit, trusted_writers: [...trusted_writers] },
    }),
  );
  const started = performance.now();
  const before = await databaseTime(parts.db);
  const failed: RestoreFailure[] = [];
  const run: RestoreRun = { parts, caller, ns, before, failed, deadline: started + restoreMs };
  const writers = trusted([
    ...parts.writerPublicKeys,
    ...delegatesWith('write', account, tag),
    ...(await parts.accounts.writersEver(account.accountId, tag)),
    ...trusted_writers,
  ]);
  // A tombstone forgets memories: WRITE alone permits neither to sign one nor to vouch for its signer
  const named = hasPermission(caller, 'forget', tag) ? trusted_writers : [];
  const forgetting = trusted([...parts.writerPublicKeys, ...delegatesWith('forget', account, tag), ...named]);
  let restored = 0;
  /** False if time ran out before everything listed was examined */
  const pass = async (since: Date | undefined): Promise<boolean> => {
    const limits = { deadline: started + scanMs, before, since };
    if (!(await scanChain(parts, account, ns, limits, failed))) return false;
    if (!(await applyTombstones(run, forgetting))) return false;
    restored += await restoreMemories(run, writers, limit - restored);
    return true;
  };
  const untried = async (): Promise<boolean> =>
    (await hasUntried(parts.db, ns)) || (await countFound(parts.db, ns, writers.name)).untried > 0;
  // A continued restore first finishes what was listed, then lists the objects again
  const continues = await untried();
  let isComplete = await pass(continues ? undefined : before);
  if (continues && isComplete && !(await untried())) isComplete = await pass(before);
  const counts = await countFound(parts.db, ns, writers.name);
  const asOf = await scanStartedAt(parts.db, ns.accountId);
  return {
    restored,
    skipped: counts.settled - restored,
    total: counts.total,
    namespace,
    owner: account.owner,
    ...(asOf ? { as_of: asOf.toISOString() } : {}),
    ...(counts.unverified > 0 ? { unverified: counts.unverified } : {}),
    ...(failed.length > 0 ? { failed: failed.slice(0, reportedFailures) } : {}),
    ...(!isComplete || counts.untried > 0 ? { more: true as const } : {}),
  };
}

interface RestoreRun {
  parts: RestoreParts;
  caller: Caller;
  ns: AccountNamespace;
  /** When the call began: it does not retry what failed after that */
  before: Date;
  failed: RestoreFailure[];
  deadline: number;
}

/** Trusted signers, hex. */
interface TrustedSigners {
  signers: readonly string[];
  /** Identifies the set */
  name: string;
}

function trusted(keys: readonly string[]): TrustedSigners {
  const signers = [...new Set(keys)];
  return { signers, name: trustName(signers) };
}

/**
 * Public keys of the delegates with this permission in the namespace. A recall trusts delegates of other namespaces
 * too, because the index leads it to what it opens; a restore does not.
 */
function delegatesWith(permission: Permission, { delegates }: AccountSnapshot, tag: Buffer): string[] {
  return delegates.flatMap(({ scope, publicKey }) => {
    if (!scope || (scope.perms & permissionBits[permission]) === 0) return [];
    return scope.allNamespaces || scope.tags.includes(tag.toString('hex')) ? [publicKey] : [];
  });
}

/** Runs before memories are restored. False if time ran out before the last one. */
async function applyTombstones(run: RestoreRun, forgetting: TrustedSigners): Promise<boolean> {
  const { parts, ns } = run;
  for (;;) {
    const batch = await next(run, envelopeKind.tombstone, forgetting, batchSize);
    if (batch.length === 0) return true;
    for (const tombstone of await openBatch(run, envelopeKind.tombstone, batch, forgetting)) {
      const gone = await saveForgotten(parts.db, ns, tombstone.supersedes);
      await keepTombstone(parts.db, ns, run.caller.account.owner, tombstone);
      await parts.blobCache.delete(gone);
      await saveOutcome(parts.db, ns.accountId, [tombstone.candidate.storedAs], 'done');
    }
    if (performance.now() > run.deadline) return false;
  }
}

async function restoreMemories(run: RestoreRun, writers: TrustedSigners, limit: number): Promise<number> {
  let restored = 0;
  while (restored < limit) {
    // Listed once for many batches, because it reads everything that was found in the namespace
    const listed = await next(run, envelopeKind.memory, writers, limit - restored);
    if (listed.length === 0) break;
    for (let i = 0; i < listed.length; i += batchSize) {
      if (performance.now() > run.deadline) return restored;
      const opened = await openBatch(run, envelopeKind.memory, listed.slice(i, i + batchSize), writers);
      restored += await index(run, await withoutExpired(run, opened));
    }
  }
  return restored;
}

function next({ parts, ns, before }: RestoreRun, kind: number, { name }: TrustedSigners, limit: number) {
  return candidates(parts.db, ns, { kind, before, trust: name, limit });
}

/** Returns those that opened, and records the outcome of the others. */
async function openBatch(
  run: RestoreRun,
  kind: number,
  batch: readonly Candidate[],
  { signers, name }: TrustedSigners,
): Promise<OpenedCandidate[]> {
  const { parts, caller, ns } = run;
  const opened: OpenedCandidate[] = [];
  for (const result of await openCandidates(parts, caller, ns, signers, kind, batch, run.deadline)) {
    if ('envelope' in result) {
      opened.push(result);
      continue;
    }
    const { candidate, reason } = result;
    if (reason === 'untrusted_signer')
      await saveOutcome(parts.db, ns.accountId, [candidate.storedAs], 'unverified', name);
    else await noteFailure(run, candidate, reason);
  }
  return opened;
}

/** Memories whose time has passed are not restored, and not read again. */
async function withoutExpired(
  { parts, ns }: RestoreRun,
  opened: readonly OpenedCandidate[],
): Promise<OpenedCandidate[]> {
  const { expired = [], current = [] } = Object.groupBy(opened, ({ context }) =>
    isExpired(context) ? 'expired' : 'current',
  );
  const storedAs = expired.map(({ candidate }) => candidate.storedAs);
  if (storedAs.length > 0) await saveOutcome(parts.db, ns.accountId, storedAs, 'done');
  return current;
}

/** A recall must trust the signers of restored memories too, even if they are no longer delegates. */
async function rememberWriters({ parts, ns }: RestoreRun, opened: readonly OpenedCandidate[]): Promise<void> {
  const others = new Set(
    opened.map(({ signer }) => signer).filter((signer) => !parts.writerPublicKeys.includes(signer)),
  );
  for (const signer of others)
    await parts.accountWriters.remember(parts.db, ns.accountId, Buffer.from(signer, 'hex'));
  if (others.size > 0) parts.accountWriters.refresh(ns.accountId);
}

/** Only key pairs of this relayer, because no one else seals to them. */
async function keepKeys({ parts, caller }: RestoreRun, opened: readonly OpenedCandidate[]): Promise<void> {
  const own = opened.filter(({ signer }) => parts.writerPublicKeys.includes(signer));
  const byKey = new Map(
    own.map((memory) => [Buffer.from(memory.header.recipientPk).toString('hex'), memory]),
  );
  for (const { header, createdAt } of byKey.values())
    await parts.namespaceKeys.keep(caller.account.accountId, header, new Date(createdAt));
}

async function noteFailure({ parts, ns, failed }: RestoreRun, { storedAs }: Candidate, reason: string) {
  failed.push({ blob_id: storedAs, reason });
  await saveOutcome(parts.db, ns.accountId, [storedAs], 'failed', reason);
}

/** Embeds and saves memories. Returns the number of new ones. Throws `embedding_unavailable`. */
async function index(run: RestoreRun, opened: readonly OpenedCandidate[]): Promise<number> {
  const { parts, ns } = run;
  const { accountId, tag } = ns;
  if (opened.length === 0) return 0;
  let data: IndexData[];
  try {
    data = await parts.indexer.indexTexts(opened.map(({ text }) => ({ accountId, tag, text })));
  } catch (error) {
    if (!(error instanceof EmbeddingError)) throw error;
    if (error.kind === 'transient') throw new ApiError('embedding_unavailable', { cause: error });
    // One text that the provider rejects must not fail the others: each is tried alone
    if (opened.length > 1) {
      let saved = 0;
      for (const memory of opened) saved += await index(run, [memory]);
      return saved;
    }
    await noteFailure(run, opened[0]!.candidate, 'embedding_rejected');
    return 0;
  }
  await rememberWriters(run, opened);
  await keepKeys(run, opened);
  const { indexKey } = parts.secrets;
  const tokens = contextTokens({ indexSecret: indexKey, accountId, tag });
  const indexed = opened.map((restored, i) => ({
    restored,
    textHash: restored.context?.expires_at ? undefined : textHash(indexKey, accountId, tag, restored.text),
    context: tokens.columnsOf(restored.context),
    data: data[i]!,
  }));
  let saved = 0;
  for (const group of statementsOf(indexed)) saved += (await saveRestored(parts.db, ns, group)).length;
  return saved;
}
