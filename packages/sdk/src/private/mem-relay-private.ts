import { permissions } from '@memrelay/chain/account-bcs';
import { privateNamespaceTag } from '@memrelay/envelope/namespace-tag';
import type { CredentialFile } from '@memrelay/protocol/credential-file';
import { embeddingChunks, searchedQuery } from '@memrelay/protocol/embedding-chunks';
import { limits } from '@memrelay/protocol/limits';
import { credentialOptions } from '../credentials.ts';
import { type ForgetOptions, type Forgotten, forget } from '../forget.ts';
import { maxAccountAgeMs } from '../manual/account-state.ts';
import { checkText, createManualBase, type ManualBase } from '../manual/manual-base.ts';
import type { ManualAccepted, ManualListOptions, ManualOutcome } from '../manual/manual-types.ts';
import { rememberEach } from '../manual/outcomes.ts';
import { rememberSealed } from '../manual/remember.ts';
import { checkIdempotencyKey } from '../options.ts';
import { callRelayer } from '../wire/request.ts';
import type { MemoryEntry } from '../wire/types.ts';
import { uuidV4 } from '../wire/uuid.ts';
import { broadDelegates } from './broad-delegates.ts';
import { sealedContextOf } from './private-context.ts';
import { indexDataOf } from './private-index.ts';
import { recallPrivate } from './private-recall.ts';
import type {
  PrivateOptions,
  PrivateRecallOptions,
  PrivateRecallResult,
  PrivateRememberOptions,
} from './private-types.ts';
import { createSecretSource, ownRights, type PrivatePlace, type SecretSource } from './secret-source.ts';

/**
 * A client of private namespaces: it encrypts, embeds and turns texts and questions into keyed tokens itself. The relayer
 * stores and searches without texts, questions, words or usable vectors, and gets no credential that decrypts.
 * docs/private-mode.md lists what it still learns.
 *
 * Without `embedding` it searches by words alone. Methods reject with `MemRelayError`, or with `signal.reason` when the
 * caller aborts. Reuse one client: it asks the key servers once per session and epoch. `destroy` it when it is no longer
 * needed.
 */
export class MemRelayPrivate {
  readonly #base: ManualBase;
  readonly #secrets: SecretSource;
  readonly #warn: PrivateOptions['onWarning'];
  readonly #warned = new Set<string>();
  /** Namespaces that the relayer has confirmed to be private */
  readonly #private = new Map<string, Promise<unknown>>();

  private constructor(options: PrivateOptions) {
    this.#base = createManualBase(options);
    this.#secrets = createSecretSource(this.#base);
    this.#warn = options.onWarning;
  }

  /** Creates a client without sending anything. Throws `invalid_argument`. */
  static create(options: PrivateOptions): MemRelayPrivate {
    return new MemRelayPrivate(options);
  }

  /** Creates a client from the content of a credential file; `options` take precedence. Throws `invalid_credentials`. */
  static fromCredentials(file: CredentialFile, options: Partial<PrivateOptions> = {}): MemRelayPrivate {
    const { packageId } = file;
    return new MemRelayPrivate({
      ...options,
      packageId,
      ...credentialOptions(file, options),
    } as PrivateOptions);
  }

  /** The delegate public key, 64 lower-case hex characters. Its private half signs the memories */
  get publicKey(): string {
    return this.#base.connection.publicKey;
  }

  /**
   * Seals and indexes a text, and resolves when it is stored. The namespace becomes private with its first memory; throws
   * `namespace_not_empty` if it already has others. Several texts have separate outcomes, in their order; with an
   * `idempotencyKey` the second text uses that key with `.1` appended, and so on.
   */
  remember(text: string, options?: PrivateRememberOptions): Promise<ManualAccepted>;
  remember(texts: readonly string[], options?: PrivateRememberOptions): Promise<ManualOutcome[]>;
  async remember(
    input: string | readonly string[],
    options: PrivateRememberOptions = {},
  ): Promise<ManualAccepted | ManualOutcome[]> {
    if (typeof input === 'string') return this.#remember(input, options, options.idempotencyKey);
    return rememberEach(input, options.idempotencyKey, (text, key) => this.#remember(text, options, key));
  }

  /** Finds memories by the words of a question, and by its vector if a provider is configured, and opens them here. */
  async recall(query: string, options: PrivateRecallOptions = {}): Promise<PrivateRecallResult> {
    checkText('query', query, limits.queryBytes);
    const place = await this.#place(options);
    const keys = await this.#secrets.keysFor(place, options.signal);
    const fitting = this.#base.endpointFor(place.parts);
    const [vector] = fitting
      ? await fitting.endpoint.embed([searchedQuery(query).text], fitting.dimension, options.signal)
      : [];
    const embedded = vector && {
      vector: keys.vectorMap(vector.length).apply(vector),
      model: fitting!.endpoint.model,
    };
    return recallPrivate(this.#base, place, keys, { query, embedded }, options);
  }

  /** The stored memories, newest first and without texts; pages are fetched as the loop advances. */
  memories(options: ManualListOptions = {}): AsyncGenerator<MemoryEntry, void, undefined> {
    return this.#base.memories(options);
  }

  /** Deletes memories permanently, by ids or a whole namespace. Their blobs remain until the owner deletes them. */
  forget(options: ForgetOptions = {}): Promise<Forgotten> {
    return forget(this.#base.connection, options, this.#base.options.namespace);
  }

  /** Overwrites the keys and drops the session; every later call throws `client_destroyed`. */
  destroy(): void {
    this.#base.destroy();
    this.#secrets.destroy();
  }

  async #remember(
    text: string,
    options: PrivateRememberOptions,
    idempotencyKey: string = uuidV4(),
  ): Promise<ManualAccepted> {
    checkText('text', text, limits.textBytes);
    checkIdempotencyKey(idempotencyKey);
    const place = await this.#place(options);
    await this.#makePrivate(place.namespace);
    const context = sealedContextOf(options);
    const write = { text, namespace: place.namespace, idempotencyKey };
    const { connection, p, seed } = this.#base;
    const send = (
      fields: Pick<Parameters<typeof rememberSealed>[3], 'vectors' | 'embeddingModel' | 'private'>,
    ) => {
      // Checked again: `destroy` may have run in the meantime, and a zeroed key would sign as another key
      connection.signer.assertUsable();
      return rememberSealed(connection, place.parts, { p, seed }, { ...write, ...fields }, options);
    };
    // Only a reader can open the search secret. A reader's client adds the index data later
    if (!ownRights(this.#base, place.state, place.tag, permissions.read))
      return send({
        vectors: [],
        embeddingModel: undefined,
        private: { context, searchId: undefined, body: { needs_index: true } },
      });
    const keys = await this.#secrets.keysFor(place, options.signal);
    const fitting = this.#base.endpointFor(place.parts);
    const vectors = fitting
      ? await fitting.endpoint.embed(embeddingChunks(text), fitting.dimension, options.signal)
      : [];
    const fields = {
      session: context.session,
      speaker: context.speaker,
      happenedAt: context.happened_at,
      tags: context.tags,
      expiresAt: context.expires_at,
    };
    return send({
      vectors: vectors.map((vector) => keys.vectorMap(vector.length).apply(vector)),
      embeddingModel: fitting?.endpoint.model,
      private: { context, searchId: keys.searchId, body: { private: indexDataOf(keys, text, fields) } },
    });
  }

  async #place(options: {
    namespace?: string | undefined;
    signal?: AbortSignal | undefined;
  }): Promise<PrivatePlace> {
    const parts = await this.#base.parts(options.signal);
    const state = await parts.account.read(maxAccountAgeMs, options.signal);
    const namespace = this.#base.namespaceOf(options);
    for (const warning of broadDelegates(state.account, this.publicKey, this.#base.connection.clock.now())) {
      if (this.#warned.has(warning.publicKey)) continue;
      this.#warned.add(warning.publicKey);
      this.#warn?.(warning);
    }
    return { parts, state, namespace, tag: privateNamespaceTag(this.#base.p, state.origin, namespace) };
  }

  #makePrivate(namespace: string): Promise<unknown> {
    const known = this.#private.get(namespace);
    if (known) return known;
    const call = { method: 'POST', path: '/api/namespaces/private', body: { namespace } } as const;
    const made = callRelayer(this.#base.connection, call);
    this.#private.set(namespace, made);
    made.catch(() => this.#private.delete(namespace));
    return made;
  }
}
