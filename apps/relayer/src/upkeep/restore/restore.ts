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
import type { Secrets } from '../../base/config/secrets.ts';
import type { Db } from '../../base/db/db.ts';
import { hexToBytes } from '../../base/db/hex.ts';
import type { BlobCache } from '../../blobs/blob-cache.ts';
import { EmbeddingError } from '../../index/embedding/embedder.ts';
import type { IndexData, TextIndexer } from '../../index/index-data.ts';
import type { Place } from '../../jobs/rows/forgotten-objects.ts';
import { textHash } from '../../jobs/rows/known-texts.ts';
import type { NamespaceKeys } from '../../keys/namespace-keys.ts';
import type { NamespaceTags } from '../../memories/reading/scope-namespaces.ts';
import { hasUntried, lookStartedAt } from '../rows/chain-scan-rows.ts';
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
import { type ChainScanParts, lookOnChain, type RestoreFailure } from './look-on-chain.ts';
import { type OpenFoundParts, openFound } from './open-found.ts';

/** Read and opened at once: each may have 1.5 MiB */
const batchSize = 16;
/** Of one call, so that it ends before its caller gives up; the next one goes on. */
const lookMs = 10_000;
const restoreMs = 20_000;
const failuresTold = 100;

export interface RestoreParts extends ChainScanParts, OpenFoundParts, NamespaceTags {
  db: Db;
  accounts: Pick<AccountDirectory, 'writersEver'>;
  accountWriters: Pick<AccountWriters, 'remember' | 'refresh'>;
  aggregators: ChainScanParts['aggregators'] & OpenFoundParts['aggregators'];
  blobCache: Pick<BlobCache, 'delete'>;
  indexer: Pick<TextIndexer, 'indexTexts'>;
  namespaceKeys: Pick<NamespaceKeys, 'keep'>;
  /** Throws `llm_not_configured` where texts cannot be embedded */
  requireEmbedder(): void;
  secrets: Pick<Secrets, 'indexKey'>;
  sidecar: ChainScanParts['sidecar'] & OpenFoundParts['sidecar'];
  /** Public halves of the relayer's writer keys, hex */
  writerPublicKeys: readonly string[];
}

/**
 * Rebuilds a namespace from what its owner holds on chain, at most `limit` memories in a call (decisions.md, "Restore").
 * All that is there is looked at before anything is restored, so that what was forgotten stays so. Only what a believed
 * key has signed is indexed; the rest is counted. Throws `ApiError`.
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
  // Whoever names a writer could store what it signed: that takes the right to write
  if (trusted_writers.length > 0) requirePermission(caller, 'write', tag);
  parts.requireEmbedder();
  const place = { accountId: hexToBytes(account.accountId), namespace, tag };
  const started = performance.now();
  const before = await databaseTime(parts.db);
  const failed: RestoreFailure[] = [];
  const work: Work = { parts, caller, place, before, failed, deadline: started + restoreMs };
  const writers = trusted([
    ...parts.writerPublicKeys,
    ...delegatesWith('write', account, tag),
    ...(await parts.accounts.writersEver(account.accountId, tag)),
    ...trusted_writers,
  ]);
  // A tombstone forgets: WRITE alone neither signs one nor vouches for who did
  const named = hasPermission(caller, 'forget', tag) ? trusted_writers : [];
  const forgetting = trusted([...parts.writerPublicKeys, ...delegatesWith('forget', account, tag), ...named]);
  let restored = 0;
  /** False when time ran out before all that is listed was looked at */
  const pass = async (since: Date | undefined): Promise<boolean> => {
    const limits = { deadline: started + lookMs, before, since };
    if (!(await lookOnChain(parts, account, place, limits, failed))) return false;
    if (!(await applyTombstones(work, forgetting))) return false;
    restored += await restoreMemories(work, writers, limit - restored);
    return true;
  };
  const untried = async (): Promise<boolean> =>
    (await hasUntried(parts.db, place)) || (await countFound(parts.db, place, writers.name)).untried > 0;
  // A call that continues goes on with what was listed, and lists again once nothing of that is left
  const continues = await untried();
  let isThrough = await pass(continues ? undefined : before);
  if (continues && isThrough && !(await untried())) isThrough = await pass(before);
  const counts = await countFound(parts.db, place, writers.name);
  const asOf = await lookStartedAt(parts.db, place.accountId);
  return {
    restored,
    skipped: counts.settled - restored,
    total: counts.total,
    namespace,
    owner: account.owner,
    ...(asOf ? { as_of: asOf.toISOString() } : {}),
    ...(counts.unverified > 0 ? { unverified: counts.unverified } : {}),
    ...(failed.length > 0 ? { failed: failed.slice(0, failuresTold) } : {}),
    ...(!isThrough || counts.untried > 0 ? { more: true as const } : {}),
  };
}

interface Work {
  parts: RestoreParts;
  caller: Caller;
  place: Place;
  /** When the call began: what failed in it is not tried again by it */
  before: Date;
  failed: RestoreFailure[];
  deadline: number;
}

/** Whose signatures are believed, hex. */
interface Trusted {
  signers: readonly string[];
  /** Another for others */
  name: string;
}

function trusted(keys: readonly string[]): Trusted {
  const signers = [...new Set(keys)];
  return { signers, name: trustName(signers) };
}

/** Public keys. Unlike a recall, which the index leads to what it opens, a restore asks for the very namespace. */
function delegatesWith(permission: Permission, { delegates }: AccountSnapshot, tag: Buffer): string[] {
  return delegates.flatMap(({ scope, publicKey }) => {
    if (!scope || (scope.perms & permissionBits[permission]) === 0) return [];
    return scope.allNamespaces || scope.tags.includes(tag.toString('hex')) ? [publicKey] : [];
  });
}

/** Before any memory. False when time ran out before the last one. */
async function applyTombstones(work: Work, forgetting: Trusted): Promise<boolean> {
  const { parts, place } = work;
  for (;;) {
    const batch = await next(work, envelopeKind.tombstone, forgetting, batchSize);
    if (batch.length === 0) return true;
    for (const tombstone of await openBatch(work, envelopeKind.tombstone, batch, forgetting)) {
      const gone = await saveForgotten(parts.db, place, tombstone.supersedes);
      await keepTombstone(parts.db, place, work.caller.account.owner, tombstone);
      await parts.blobCache.delete(gone);
      await saveOutcome(parts.db, place.accountId, tombstone.candidate.storedAs, 'done');
    }
    if (performance.now() > work.deadline) return false;
  }
}

async function restoreMemories(work: Work, writers: Trusted, limit: number): Promise<number> {
  const { parts, place } = work;
  let restored = 0;
  while (restored < limit && performance.now() < work.deadline) {
    const batch = await next(work, envelopeKind.memory, writers, Math.min(batchSize, limit - restored));
    if (batch.length === 0) break;
    const opened = await openBatch(work, envelopeKind.memory, batch, writers);
    for (const memory of await index(work, opened)) {
      restored += 1;
      await saveOutcome(parts.db, place.accountId, memory.candidate.storedAs, 'done');
    }
  }
  return restored;
}

function next({ parts, place, before }: Work, kind: number, { name }: Trusted, limit: number) {
  return candidates(parts.db, place, { kind, before, trust: name, limit });
}

/** Those that opened; what became of the others is noted. */
async function openBatch(
  work: Work,
  kind: number,
  batch: readonly Candidate[],
  { signers, name }: Trusted,
): Promise<OpenedCandidate[]> {
  const { parts, caller, place } = work;
  const opened: OpenedCandidate[] = [];
  for (const result of await openFound(parts, caller, place, signers, kind, batch, work.deadline)) {
    if ('envelope' in result) {
      opened.push(result);
      continue;
    }
    const { candidate, reason } = result;
    if (reason === 'untrusted_signer')
      await saveOutcome(parts.db, place.accountId, candidate.storedAs, 'unverified', name);
    else await noteFailure(work, candidate, reason);
  }
  return opened;
}

/** Who signed what is restored is believed by a recall as well, also when it is a delegate no more. */
async function rememberWriters({ parts, place }: Work, opened: readonly OpenedCandidate[]): Promise<void> {
  const others = new Set(
    opened.map(({ signer }) => signer).filter((signer) => !parts.writerPublicKeys.includes(signer)),
  );
  for (const signer of others)
    await parts.accountWriters.remember(parts.db, place.accountId, Buffer.from(signer, 'hex'));
  if (others.size > 0) parts.accountWriters.refresh(place.accountId);
}

/** The pairs of this relayer, which alone sealed to them. */
async function keepKeys({ parts, caller }: Work, opened: readonly OpenedCandidate[]): Promise<void> {
  const own = opened.filter(({ signer }) => parts.writerPublicKeys.includes(signer));
  const byKey = new Map(
    own.map((memory) => [Buffer.from(memory.header.recipientPk).toString('hex'), memory]),
  );
  for (const { header, createdAt } of byKey.values())
    await parts.namespaceKeys.keep(caller.account.accountId, header, new Date(createdAt));
}

async function noteFailure({ parts, place, failed }: Work, { storedAs }: Candidate, reason: string) {
  failed.push({ blob_id: storedAs, reason });
  await saveOutcome(parts.db, place.accountId, storedAs, 'failed', reason);
}

/** Embeds and saves; returns those that are new. Throws `embedding_unavailable`. */
async function index(work: Work, opened: readonly OpenedCandidate[]): Promise<OpenedCandidate[]> {
  const { parts, place } = work;
  const { accountId, tag } = place;
  if (opened.length === 0) return [];
  let data: IndexData[];
  try {
    data = await parts.indexer.indexTexts(opened.map(({ text }) => ({ accountId, tag, text })));
  } catch (error) {
    if (!(error instanceof EmbeddingError)) throw error;
    if (error.kind === 'transient') throw new ApiError('embedding_unavailable', { cause: error });
    // One text that the provider refuses must not fail its neighbours: each is tried alone
    if (opened.length > 1) {
      const alone: OpenedCandidate[] = [];
      for (const memory of opened) alone.push(...(await index(work, [memory])));
      return alone;
    }
    await noteFailure(work, opened[0]!.candidate, 'embedding_rejected');
    return [];
  }
  await rememberWriters(work, opened);
  await keepKeys(work, opened);
  const saved: OpenedCandidate[] = [];
  for (const [i, memory] of opened.entries()) {
    const hash = textHash(parts.secrets.indexKey, accountId, tag, memory.text);
    if (await saveRestored(parts.db, place, memory, hash, data[i]!)) saved.push(memory);
    else await saveOutcome(parts.db, accountId, memory.candidate.storedAs, 'done');
  }
  return saved;
}
