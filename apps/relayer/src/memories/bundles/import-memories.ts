import { indexKey, keyedHash } from '@memrelay/envelope/at-rest';
import { EnvelopeError } from '@memrelay/envelope/envelope-error';
import { envelopeKind, parseHeader } from '@memrelay/envelope/header';
import { contextOf, unknownFieldsOf } from '@memrelay/envelope/meta';
import { nodePrimitives } from '@memrelay/envelope/node-primitives';
import { type OpenedEnvelope, openWithSecret } from '@memrelay/envelope/open-envelope';
import type { ImportRequest, ImportResponse, ImportResult } from '@memrelay/protocol/bundles';
import { newNamespaceField, textField } from '@memrelay/protocol/fields';
import { limits } from '@memrelay/protocol/limits';
import type { AccountSnapshot } from '../../accounts/account-directory.ts';
import type { Caller } from '../../accounts/caller.ts';
import { requireDecryptCredential } from '../../accounts/decrypt-credential.ts';
import type { ExpiredDelegates } from '../../accounts/expired-delegates.ts';
import { readerOf } from '../../accounts/reader.ts';
import { requireFreshAccount, requirePermission } from '../../accounts/require-permission.ts';
import { createPauses } from '../../base/concurrency/pauses.ts';
import type { Secrets } from '../../base/config/secrets.ts';
import type { Db } from '../../base/db/db.ts';
import { hexToBytes } from '../../base/db/hex.ts';
import { mappedVectors } from '../../index/bare-vectors.ts';
import { contextTokens, isExpired } from '../../index/context-tokens.ts';
import type { AccountVectors } from '../../index/embedding/account-vectors.ts';
import type { Embedder } from '../../index/embedding/embedder.ts';
import type { Pipeline } from '../../jobs/pipeline.ts';
import type { Backlog } from '../../jobs/queue/backlog.ts';
import type { Outbox } from '../../jobs/queue/outbox.ts';
import type { StorageBudget } from '../../jobs/queue/storage-budget.ts';
import { insertJobs, type NewJob } from '../../jobs/rows/accept-jobs.ts';
import { keptTexts, textHash } from '../../jobs/rows/known-texts.ts';
import { insertSuccessors } from '../../jobs/rows/successors.ts';
import type { NamespaceKeys } from '../../keys/namespace-keys.ts';
import { sealJob, standardImportance } from '../../keys/seal-job.ts';
import type { SidecarClient } from '../../sidecar/sidecar-client.ts';
import type { NamespaceTags } from '../reading/scope-namespaces.ts';
import { type SignerParts, trustedSigners } from '../reading/trusted-signers.ts';
import { unusedEnvelopeIds } from '../rows/key-rows.ts';

type Item = ImportRequest['memories'][number];

/** A memory of a bundle that may be stored here. */
interface AcceptedMemory {
  index: number;
  opened: OpenedEnvelope;
  textHash: Buffer;
}

const ownText = textField(limits.textBytes);

export interface ImportParts extends SignerParts, NamespaceTags {
  db: Db;
  backlog: Backlog;
  embedder: Pick<Embedder, 'model' | 'dimension'>;
  expiredDelegates: ExpiredDelegates;
  namespaceKeys: Pick<NamespaceKeys, 'current'>;
  outbox: Pick<Outbox, 'seal'>;
  pipeline: Pick<Pipeline, 'wakeEmbedding'>;
  secrets: Secrets;
  /** Address of the server key, if one is configured */
  serverAddress: string | undefined;
  sidecar: Pick<SidecarClient, 'open'>;
  vectors: AccountVectors;
  /** Throws `llm_not_configured` if texts cannot be embedded */
  requireEmbedder(): void;
  storageBudget: StorageBudget;
}

/**
 * Imports memories of a bundle. Each is opened with its own secret and must be signed by a key that this account trusts
 * or that the caller vouches for. It is then sealed again under the account's own key and stored like any memory, with
 * its dates, its successors and, if the model is the same, its vectors. A text that is already stored is not stored
 * again. Throws `ApiError`; a rejected memory is reported in its result and does not affect the others.
 */
export async function importMemories(
  parts: ImportParts,
  caller: Caller,
  { memories, trusted_writers = [] }: ImportRequest,
): Promise<ImportResponse> {
  requireFreshAccount(caller);
  requireDecryptCredential(parts, caller);
  parts.requireEmbedder();
  await requireCredential(parts, caller);
  const accountId = hexToBytes(caller.account.accountId);
  const trust = new Set([...(await trustedSigners(parts, caller.account)), ...trusted_writers]);
  const results: ImportResult[] = new Array(memories.length);
  const accepted: AcceptedMemory[] = [];
  const pause = createPauses();
  for (const [index, item] of memories.entries()) {
    await pause();
    const opened = open(item, trust);
    if ('status' in opened) results[index] = opened;
    else accepted.push({ index, opened, textHash: hashOf(parts, caller, opened) });
  }
  const kept = await keptTexts(
    parts.db,
    accountId,
    accepted.map((each) => each.textHash),
  );
  const fresh = accepted.filter(({ index, textHash }) => {
    const id = kept.get(textHash.toString('hex'));
    if (id !== undefined) results[index] = { status: 'known', id };
    return id === undefined;
  });
  if (fresh.length > 0) {
    await parts.backlog.admit(accountId, fresh.length);
    const account = await parts.expiredDelegates.pruned(caller.account);
    const idHere = (sourceId: Uint8Array): Buffer => importedId(parts.secrets.indexKey, accountId, sourceId);
    const ids = fresh.map(({ opened }) => idHere(opened.header.envelopeId));
    const names = ids.map((id) => id.toString('hex'));
    const free = new Set(await unusedEnvelopeIds(parts.db, accountId, names));
    const replaced = fresh.map(({ opened }) =>
      (opened.meta.supersedes ?? []).map((id) => idHere(Buffer.from(id, 'hex'))),
    );
    const jobs: NewJob[] = [];
    for (const [i, each] of fresh.entries()) {
      await pause();
      // A memory that occurs twice gets the id once
      const envelopeId = free.delete(names[i]!) ? ids[i] : undefined;
      const sealing = { envelopeId, supersedes: replaced[i]! };
      jobs.push(await jobOf(parts, caller, account, each, memories, sealing));
    }
    await parts.storageBudget.admit(
      accountId,
      jobs.reduce((sum, { envelope }) => sum + envelope.length, 0),
    );
    const successions = jobs.map(({ id }, i) => ({
      accountId,
      successorId: id,
      envelopeIds: replaced[i]!,
    }));
    await parts.db.transaction(async (tx) => {
      await insertJobs(tx, jobs, 'queued');
      await insertSuccessors(tx, successions);
    });
    parts.pipeline.wakeEmbedding();
    for (const [i, { id }] of jobs.entries()) results[fresh[i]!.index] = { status: 'running', job_id: id };
  }
  return {
    results,
    job_ids: results.flatMap((result) => (result.status === 'running' ? result.job_id : [])),
    owner: caller.account.owner,
  };
}

/** Checks the credential as for a read, although nothing of this account is opened with it. */
async function requireCredential(parts: ImportParts, caller: Caller): Promise<void> {
  const head = { ...readerOf(caller, parts.serverAddress), trusted_signers: [], items: [] };
  await parts.sidecar.open(head, [], caller.credentials);
}

/** Returns the memory, or why it is rejected. */
function open({ envelope, secret }: Item, trust: ReadonlySet<string>): OpenedEnvelope | ImportResult {
  const bytes = Buffer.from(envelope, 'base64');
  try {
    const header = parseHeader(bytes, bytes.length);
    if (header.kind !== envelopeKind.memory) return { status: 'failed', reason: 'not_a_memory' };
    const opened = openWithSecret(nodePrimitives, { header, bytes }, hexToBytes(secret), trust);
    if (!newNamespaceField.safeParse(opened.meta.ns).success)
      return { status: 'failed', reason: 'bad_namespace' };
    if (isExpired(contextOf(opened.meta))) return { status: 'failed', reason: 'expired' };
    if (!ownText.safeParse(opened.text).success) return { status: 'failed', reason: 'bad_text' };
    return opened;
  } catch (error) {
    if (!(error instanceof EnvelopeError)) throw error;
    if (error.reason === 'untrusted_signer')
      return { status: 'unverified', signer: Buffer.from(error.signer!).toString('hex') };
    return { status: 'failed', reason: error.reason };
  }
}

/**
 * Throws `insufficient_scope` for a key that may not write to the namespace or not read all of it, because the result
 * reveals whether a text is already stored.
 */
function hashOf(parts: ImportParts, caller: Caller, { meta, text }: OpenedEnvelope): Buffer {
  const tag = parts.tagOf(caller.account.origin, meta.ns);
  requirePermission(caller, 'write', tag);
  requirePermission(caller, 'read', tag, { keyEpoch: 0 });
  return textHash(parts.secrets.indexKey, hexToBytes(caller.account.accountId), tag, text);
}

async function jobOf(
  parts: ImportParts,
  caller: Caller,
  account: AccountSnapshot,
  { index, opened, textHash }: AcceptedMemory,
  items: readonly Item[],
  { envelopeId, supersedes }: { envelopeId: Buffer | undefined; supersedes: readonly Buffer[] },
): Promise<NewJob> {
  const { meta, text } = opened;
  const { importance = meta.importance ?? standardImportance, vectors } = items[index]!;
  const accountId = hexToBytes(account.accountId);
  const tag = parts.tagOf(account.origin, meta.ns);
  const key = await parts.namespaceKeys.current(account, tag);
  const context = contextOf(meta);
  const job = sealJob(parts, caller, {
    kind: envelopeKind.memory,
    account,
    namespace: meta.ns,
    keyEpoch: account.keyEpoch,
    key,
    envelopeId,
    meta: {
      created_at: meta.created_at,
      ...(meta.occurred_at === undefined ? {} : { occurred_at: meta.occurred_at }),
      importance,
      ...(supersedes.length > 0 ? { supersedes: supersedes.map((id) => id.toString('hex')) } : {}),
      ...context,
      ...unknownFieldsOf(meta),
    },
    text,
  });
  const { dimension, model } = parts.embedder;
  const path = `memories.${index}.vectors.values`;
  return {
    ...job,
    outbox: parts.outbox.seal({ id: job.id, accountId, namespace: meta.ns }, text),
    textHash: context?.expires_at ? undefined : textHash,
    context: contextTokens({ indexSecret: parts.secrets.indexKey, accountId, tag }).columnsOf(context),
    ...(vectors?.model === model
      ? {
          imported: {
            model,
            vectors: mappedVectors(parts.vectors.mapOf(accountId), dimension, vectors.values, path),
          },
        }
      : {}),
  };
}

/**
 * The envelope id of an imported memory in this account. It is derived from the source id, so that `supersedes` works
 * whichever of the two memories is imported first. Linking the two ids takes the server's index key. It has the form of a random UUID, like all envelope ids (security.md).
 */
function importedId(secret: Uint8Array, accountId: Buffer, sourceId: Uint8Array): Buffer {
  const key = indexKey(secret, 'imported-id', accountId.toString('hex'));
  const id = Buffer.from(keyedHash(key, sourceId)).subarray(0, 16);
  id[6] = (id[6]! & 0x0f) | 0x40;
  id[8] = (id[8]! & 0x3f) | 0x80;
  return id;
}
