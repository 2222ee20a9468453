import type { CredentialFile } from '@memrelay/protocol/credential-file';
import type { RememberAccepted, RememberManualResponse } from '@memrelay/protocol/memories';
import type { NamespacesResponse, StatsResponse } from '@memrelay/protocol/memory-lists';
import type { AccountInfo, HealthInfo, PublicConfig, VersionInfo } from '@memrelay/protocol/service-info';
import { findCredentials } from '#credentials';
import { type Analyzed, type AnalyzeOptions, analyze, type FactsPreview, previewFacts } from './analyze.ts';
import { type AskEvent, type AskOptions, type AskResult, ask, askStream } from './ask.ts';
import type { AuditClient } from './audit.ts';
import { rememberInChunks } from './bulk.ts';
import type { ExportClient } from './bundle/export-bundle.ts';
import type { ImportClient } from './bundle/import-bundle.ts';
import { contextBody } from './context-body.ts';
import { credentialOptions } from './credentials.ts';
import { type ForgetOptions, type Forgotten, forget, forgetEverything } from './forget.ts';
import { pollJob, pollJobs, readAllJobs, readJob } from './jobs.ts';
import { type AccountKey, type RewrapOptions, type Rewrapped, readKeys, rewrapKeys } from './keys.ts';
import { eachMemory, readPage } from './memory-pages.ts';
import { connect, parsePackageId, pinnedPackage } from './options.ts';
import { waitForJob, waitForJobs } from './polling.ts';
import { type Profile, type ProfileOptions, profileBody } from './profile.ts';
import { recall, recallByVector } from './recall.ts';
import { type Reindexed, type ReindexOptions, reindex } from './reindex.ts';
import { type Restored, type RestoreOptions, restore } from './restore.ts';
import * as single from './single-memory.ts';
import { rememberManualBody } from './vector-bodies.ts';
import type { WebhookClient } from './webhooks.ts';
import { type CamelKeys, camelKeys } from './wire/camel-keys.ts';
import { type Connection, callOnce, callRelayer } from './wire/request.ts';
import type * as types from './wire/types.ts';
import { write } from './write.ts';

/**
 * A client that acts as one delegate key of one account at one relayer.
 *
 * Methods reject with `MemRelayError` (errors.ts), or with `signal.reason` when the caller aborts; which calls
 * are retried is documented in retry.ts. Calls may overlap. `destroy` it when the key is no longer needed.
 */
export class MemRelay {
  readonly #connection: Connection;
  readonly #namespace: string | undefined;
  readonly #write = <T>(path: string, body: unknown, options: types.WriteOptions): Promise<T> =>
    write<T>(this.#connection, path, body, options);
  #packageId: string | undefined;

  private constructor(options: types.MemRelayOptions) {
    this.#packageId = options.packageId === undefined ? undefined : parsePackageId(options.packageId);
    this.#connection = connect(options);
    this.#namespace = options.namespace;
  }

  /** Creates a client without sending anything. Throws `invalid_argument`. */
  static create(options: types.MemRelayOptions): MemRelay {
    return new MemRelay(options);
  }

  /**
   * Creates a client from the content of a credential file; `overrides` take precedence. Throws `invalid_credentials`, also
   * if the private and public key in the file do not match.
   */
  static fromCredentials(file: CredentialFile, overrides: Partial<types.MemRelayOptions> = {}): MemRelay {
    return new MemRelay(credentialOptions(file, overrides));
  }

  /**
   * Creates a client with the credentials of this machine: those at the path `credentials`, else of a sign-in, else of the
   * local system. The other options take precedence over them. Throws `invalid_credentials`; always in a browser.
   */
  static async connect({ credentials, ...overrides }: types.ConnectOptions = {}): Promise<MemRelay> {
    return MemRelay.fromCredentials(await findCredentials(credentials), overrides);
  }

  /** The delegate public key, 64 lower-case hex characters */
  get publicKey(): string {
    return this.#connection.publicKey;
  }

  get accountId(): string {
    return this.#connection.accountId;
  }

  /** Stores a text. Resolves when the relayer has durably accepted it; storing continues in the background. */
  async remember(text: string, options: types.RememberOptions = {}): Promise<types.RememberResult> {
    const body = { text, namespace: options.namespace ?? this.#namespace, ...contextBody(options) };
    return camelKeys(await this.#write<RememberAccepted>('/api/remember', body, options));
  }

  /** `remember`, then `waitForJob`. */
  async rememberAndWait(
    text: string,
    options: types.RememberOptions & types.JobWaitOptions = {},
  ): Promise<types.StoredMemory> {
    const { jobId } = await this.remember(text, options);
    return this.waitForJob(jobId, options);
  }

  /**
   * Stores many texts, in as few requests as their number and size allow; `jobIds` are in the order of the items.
   * If a later request fails, the error's `details` contain `acceptedJobIds` and the `idempotencyKey` with which the same call
   * can be repeated without storing anything twice.
   */
  rememberBulk(
    items: readonly types.RememberItem[],
    options: types.WriteOptions = {},
  ): Promise<{ jobIds: string[] }> {
    const send = (body: unknown, idempotencyKey: string) =>
      this.#write<{ job_ids: string[] }>('/api/remember/bulk', body, { ...options, idempotencyKey });
    return rememberInChunks(items, this.#namespace, options.idempotencyKey, send);
  }

  /** `rememberBulk`, then `waitForJobs`. */
  async rememberBulkAndWait(
    items: readonly types.RememberItem[],
    options: types.WriteOptions & types.JobsWaitOptions = {},
  ): Promise<types.JobOutcome[]> {
    const { jobIds } = await this.rememberBulk(items, options);
    return this.waitForJobs(jobIds, options);
  }

  /** Finds memories by meaning and returns their texts, nearest first. */
  async recall(query: string, options: types.RecallOptions = {}): Promise<types.RecallResult> {
    return recall(this.#connection, await this.#sessionPackage(options.signal), query, this.#named(options));
  }

  /** Extracts the facts of a text and stores each as a separate memory. Known facts are returned as such instead. */
  async analyze(text: string, options: AnalyzeOptions = {}): Promise<Analyzed> {
    return analyze(this.#connection, await this.#sessionPackage(options.signal), text, this.#named(options));
  }

  /** The facts that `analyze` would store. Stores nothing. */
  async previewFacts(text: string, options: AnalyzeOptions = {}): Promise<FactsPreview> {
    const packageId = await this.#sessionPackage(options.signal);
    return previewFacts(this.#connection, packageId, text, this.#named(options));
  }

  /** Answers a question from the memories and cites them. */
  async ask(question: string, options: AskOptions = {}): Promise<AskResult> {
    return ask(this.#connection, await this.#sessionPackage(options.signal), question, this.#named(options));
  }

  /** Like `ask`, streamed; the last event is the complete answer. */
  async *askStream(question: string, options: AskOptions = {}): AsyncGenerator<AskEvent, void, undefined> {
    const packageId = await this.#sessionPackage(options.signal);
    yield* askStream(this.#connection, packageId, question, this.#named(options));
  }

  /** The state of one job. Throws `job_not_found`. */
  async job(id: string, options: types.CallOptions = {}): Promise<types.Job> {
    return (await readJob(this.#connection, id, { signal: options.signal })).value;
  }

  /** Waits until a job is done. Throws `JobFailedError`, `JobTimeoutError`, `job_not_found`. */
  waitForJob = (id: string, options: types.JobWaitOptions = {}): Promise<types.StoredMemory> =>
    waitForJob(id, pollJob(this.#connection, id, options), options);

  /** The state of many jobs, in the requested order, duplicates kept; unknown ones are `not_found`. */
  jobs = (ids: readonly string[], options: types.CallOptions = {}): Promise<types.JobOutcome[]> =>
    readAllJobs(this.#connection, ids, options);

  /**
   * Waits until all jobs have ended, successfully or not, and returns their outcomes in the requested order. Throws
   * `JobTimeoutError`, whose `jobs` contain the last known states.
   */
  waitForJobs = (ids: readonly string[], options: types.JobsWaitOptions = {}): Promise<types.JobOutcome[]> =>
    waitForJobs(ids, pollJobs(this.#connection, options), options);

  /** Retries a failed job. Throws `job_not_failed` if it is running or done, `job_not_found`. */
  retryJob = (id: string, options: types.CallOptions = {}): Promise<types.RememberResult> =>
    this.#post<RememberAccepted>(`/api/remember/${encodeURIComponent(id)}/retry`, {}, options);

  /** The stored memories, newest first, texts if asked for; pages are fetched as the loop advances. */
  memories = (options: types.MemoriesOptions = {}): AsyncGenerator<types.MemoryEntry, void, undefined> =>
    eachMemory((cursor) => this.memoriesPage({ ...options, cursor }));

  /** One page of `memories`. Throws `invalid_request` for a cursor of another list. */
  memoriesPage(options: types.MemoriesPageOptions = {}): Promise<types.MemoriesPage> {
    return readPage(this.#connection, this.#named(options), () => this.#sessionPackage(options.signal));
  }

  /** One memory with its text and its versions. Throws `memory_not_found`. */
  async memory(id: string, options: single.MemoryOptions = {}): Promise<single.SingleMemory> {
    return single.readMemory(this.#connection, await this.#sessionPackage(options.signal), id, options);
  }

  /** Stores a text that supersedes a memory and keeps its fields, like `remember`. Throws `memory_not_found`. */
  replace(id: string, text: string, options: single.ReplaceOptions = {}): Promise<types.RememberResult> {
    return single.replaceMemory(this.#connection, this.#sessionPackage(options.signal), id, text, options);
  }

  /** Short facts about a subject, or the most important ones, with the memories that state them. */
  async profile(options: ProfileOptions = {}): Promise<Profile> {
    return camelKeys(await this.#read('/api/profile', profileBody(this.#named(options)), options));
  }

  /** The namespaces that this key may read, with their contents. */
  namespaces = async (options: types.CallOptions = {}): Promise<types.NamespaceEntry[]> =>
    (await this.#post<NamespacesResponse>('/api/namespaces', {}, options)).namespaces;

  /** Counts of everything that this key may read: memories, bytes, jobs. */
  stats = (options: types.CallOptions = {}): Promise<types.Stats> =>
    this.#post<StatsResponse>('/api/stats', {}, options);

  /** Deletes memories permanently, by ids or a whole namespace. Their blobs remain until the owner deletes them. */
  forget = (options: ForgetOptions = {}): Promise<Forgotten> =>
    forget(this.#connection, options, this.#namespace);

  /** Deletes everything of the account permanently, in all namespaces. Requires a key that may forget in all of them. */
  forgetEverything = (options: types.CallOptions = {}): Promise<Forgotten> =>
    forgetEverything(this.#connection, options);

  /** Stores bytes that the caller encrypted. Throws `invalid_argument` if no reader can decrypt them and not `opaque`. */
  async rememberManual(input: types.RememberManualInput): Promise<types.ManualMemory> {
    const packageId = () => this.#sessionPackage(input.signal);
    const body = await rememberManualBody(this.#named(input), this, packageId);
    return camelKeys(await this.#write<RememberManualResponse>('/api/remember/manual', body, input));
  }

  /** Finds blobs by the caller's vector; the caller fetches and decrypts them. */
  recallManual = (input: types.RecallManualInput): Promise<types.RecallManualResult> =>
    recallByVector(this.#connection, this.#namespace, input);

  /** The keys that memories are sealed to, in the namespaces that this key may read. */
  keys = (options: types.CallOptions = {}): Promise<AccountKey[]> => readKeys(this.#connection, options);

  /** A page of the account's audit log, not checked; `audit.ts` reads and checks all of it. */
  auditPage: AuditClient['auditPage'] = ({ cursor: after = '0', limit, signal }) =>
    this.#get(`/api/audit?cursor=${after}&limit=${limit}`, signal, false);

  /** A call of `webhooks.ts`, sent once. */
  webhookCall: WebhookClient['webhookCall'] = (...call) => callOnce(this.#connection, ...call);

  /** Wraps keys for the relayer's current key servers, some per call: continue with `next` as `after`. */
  async rewrapKeys(options: RewrapOptions = {}): Promise<Rewrapped> {
    return rewrapKeys(this.#connection, await this.#sessionPackage(options.signal), options);
  }

  /** A part of an export as the relayer returns it; `bundle/export-bundle.ts` combines all parts into a bundle. */
  exportPage: ExportClient['exportPage'] = (request, options = {}) =>
    this.#read('/api/export', request, options);

  /** Memories of a bundle, as `bundle/import-bundle.ts` sends them. */
  importPage: ImportClient['importPage'] = (request, options = {}) =>
    this.#read('/api/import', request, options);

  /** Rebuilds a namespace from the owner's blobs on chain, repeating the request until nothing is left. */
  restore = (options: RestoreOptions = {}): Promise<Restored> =>
    restore((body) => this.#read('/api/restore', body, options), this.#named(options));

  /** Re-embeds the memories of an earlier embedding model of the relayer, repeating the request until nothing is left. */
  reindex = (options: ReindexOptions = {}): Promise<Reindexed> =>
    reindex((body) => this.#read('/api/reindex', body, options), this.#named(options));

  /** Whose account this is and what this delegate key may do: a check of credentials that stores nothing. */
  account = async (options: types.CallOptions = {}): Promise<types.Account> =>
    camelKeys(await this.#get<AccountInfo>('/api/account', options.signal, false));

  /** `GET /health`, unsigned. */
  health = ({ signal }: types.CallOptions = {}): Promise<HealthInfo> => this.#get('/health', signal);

  /** `GET /version`, unsigned. */
  version = ({ signal }: types.CallOptions = {}): Promise<VersionInfo> => this.#get('/version', signal);

  /**
   * `GET /config`, unsigned. The first package id seen is pinned; throws `package_mismatch` when the relayer names
   * a different one.
   */
  async config(options: types.CallOptions = {}): Promise<PublicConfig> {
    const config = await this.#get<PublicConfig>('/config', options.signal);
    this.#packageId = pinnedPackage(this.#packageId, config);
    return config;
  }

  /** Overwrites the key and drops the session; every later call throws `client_destroyed`. */
  destroy(): void {
    this.#connection.signer.destroy();
    this.#connection.sessions.release();
  }

  #named<O extends { namespace?: string | undefined }>(options: O): O {
    return { ...options, namespace: options.namespace ?? this.#namespace };
  }

  async #post<T>(path: string, body: unknown, { signal }: types.CallOptions): Promise<CamelKeys<T>> {
    return camelKeys((await callRelayer<T>(this.#connection, { method: 'POST', path, body, signal })).value);
  }

  /** A call that decrypts: it carries a session. */
  async #read<T>(path: string, body: unknown, { signal }: types.CallOptions): Promise<T> {
    const sessionPackageId = await this.#sessionPackage(signal);
    const call = { method: 'POST', path, body, sessionPackageId, signal } as const;
    return (await callRelayer<T>(this.#connection, call)).value;
  }

  async #get<T>(path: string, signal: AbortSignal | undefined, unsigned = true): Promise<T> {
    return (await callRelayer<T>(this.#connection, { method: 'GET', path, unsigned, signal })).value;
  }

  async #sessionPackage(signal: AbortSignal | undefined): Promise<string> {
    return this.#packageId ?? (await this.config({ signal })).packageId.toLowerCase();
  }
}
