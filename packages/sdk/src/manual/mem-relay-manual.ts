import { portablePrimitives } from '@memrelay/envelope/portable-primitives';
import type { Primitives } from '@memrelay/envelope/primitives';
import type { CredentialFile } from '@memrelay/protocol/credential-file';
import { embeddingChunks, searchedQuery } from '@memrelay/protocol/embedding-chunks';
import { defaultNamespace, limits } from '@memrelay/protocol/limits';
import type { MemoriesResponse } from '@memrelay/protocol/memory-lists';
import { credentialOptions } from '../credentials.ts';
import { eachMemory } from '../memory-pages.ts';
import { checkIdempotencyKey, connect, parsePackageId } from '../options.ts';
import { untilAborted } from '../wire/abort.ts';
import { camelKeys } from '../wire/camel-keys.ts';
import type { SessionSource } from '../wire/enc-session.ts';
import { MemRelayError } from '../wire/errors.ts';
import { type Connection, callRelayer } from '../wire/request.ts';
import { parsePrivateKey } from '../wire/signer.ts';
import type { MemoryEntry } from '../wire/types.ts';
import { uuidV4 } from '../wire/uuid.ts';
import { mapBounded } from './bounded.ts';
import { createEmbeddingEndpoint, type EmbeddingEndpoint } from './embedding-endpoint.ts';
import { keySessions } from './key-session.ts';
import { checkedDimension, connectManual, type ManualParts } from './manual-parts.ts';
import type {
  ManualAccepted,
  ManualListOptions,
  ManualOptions,
  ManualOutcome,
  ManualRecallOptions,
  ManualRecallResult,
  ManualRememberOptions,
} from './manual-types.ts';
import { recallSealed } from './recall.ts';
import { rememberSealed } from './remember.ts';

/** Uploads of one call at a time: each may hold a memory of a megabyte several times over. */
const writesAtOnce = 4;

/**
 * A client that embeds and encrypts by itself: the relayer stores and finds what it cannot read, and gets neither text
 * nor question nor the key of the provider. What it is told instead stands in docs/manual-mode.md.
 *
 * Methods reject with `MemRelayError`, or with `signal.reason` when the caller aborts. Calls may overlap. Keep one client:
 * it makes one key for each namespace and key epoch, and readers pay for each. `destroy` it when it is no longer needed.
 */
export class MemRelayManual {
  readonly #connection: Connection;
  readonly #options: ManualOptions;
  readonly #endpoint: EmbeddingEndpoint | undefined;
  readonly #primitives: Primitives;
  readonly #sessions: SessionSource;
  readonly #seed: Uint8Array;
  #parts: Promise<ManualParts> | undefined;

  private constructor(options: ManualOptions) {
    this.#options = { ...options, packageId: parsePackageId(options.packageId) };
    this.#connection = connect(options);
    this.#endpoint = options.embedding && createEmbeddingEndpoint(options.embedding);
    this.#primitives = options.primitives ?? portablePrimitives;
    this.#sessions = keySessions(this.#connection, options.wallet);
    this.#seed = parsePrivateKey(options.key);
  }

  /** Makes a client; nothing is sent yet. Throws `invalid_argument`. */
  static create(options: ManualOptions): MemRelayManual {
    return new MemRelayManual(options);
  }

  /** Makes a client from the content of a credential file; `options` win. Throws `invalid_credentials`. */
  static fromCredentials(file: CredentialFile, options: Partial<ManualOptions> = {}): MemRelayManual {
    const { packageId } = file;
    return new MemRelayManual({
      ...options,
      packageId,
      ...credentialOptions(file, options),
    } as ManualOptions);
  }

  /** The delegate public key, 64 lower-case hex characters: memories are signed by it */
  get publicKey(): string {
    return this.#connection.publicKey;
  }

  /**
   * Embeds and seals a text, and resolves when it is stored. Of many texts each has an outcome of its own, in their order;
   * with an `idempotencyKey` the second text has that key with `.1` behind it, and so on.
   */
  rememberManual(text: string, options?: ManualRememberOptions): Promise<ManualAccepted>;
  rememberManual(texts: readonly string[], options?: ManualRememberOptions): Promise<ManualOutcome[]>;
  async rememberManual(
    input: string | readonly string[],
    options: ManualRememberOptions = {},
  ): Promise<ManualAccepted | ManualOutcome[]> {
    if (typeof input === 'string') return this.#remember(input, options, options.idempotencyKey);
    const { idempotencyKey } = options;
    return mapBounded(input, writesAtOnce, async (text, i): Promise<ManualOutcome> => {
      const key = idempotencyKey === undefined || i === 0 ? idempotencyKey : `${idempotencyKey}.${i}`;
      try {
        return await this.#remember(text, options, key);
      } catch (error) {
        if (error instanceof MemRelayError) return { status: 'failed', error };
        throw error;
      }
    });
  }

  /** Embeds a question, finds the nearest memories and opens them here. What could not be read is in `dropped`. */
  async recallManual(query: string, options: ManualRecallOptions = {}): Promise<ManualRecallResult> {
    checkText('query', query, limits.queryBytes);
    const { endpoint, parts, dimension } = await this.#embedding(options.signal);
    const [vector] = await endpoint.embed([searchedQuery(query).text], dimension, options.signal);
    const { trustedWriters, trustRelayer } = this.#options;
    const question = {
      vector: vector!,
      embeddingModel: endpoint.model,
      namespace: this.#namespaceOf(options),
    };
    const reading = { ...options, trustedWriters, trustRelayer };
    return recallSealed(this.#connection, parts, this.#primitives, question, reading);
  }

  /** What is stored, newest first and without texts; pages are fetched as the loop goes on. */
  memories(options: ManualListOptions = {}): AsyncGenerator<MemoryEntry, void, undefined> {
    const namespace = options.allNamespaces ? undefined : this.#namespaceOf(options);
    return eachMemory(async (cursor) => {
      const body = { namespace, cursor, limit: options.limit };
      const call = { method: 'POST', path: '/api/memories', body, signal: options.signal } as const;
      return camelKeys((await callRelayer<MemoriesResponse>(this.#connection, call)).value);
    });
  }

  /** Overwrites the keys and drops the session; every later call throws `client_destroyed`. */
  destroy(): void {
    this.#connection.signer.destroy();
    this.#connection.sessions.release();
    this.#sessions.release();
    this.#seed.fill(0);
    void this.#parts?.then(
      ({ unwrapper }) => unwrapper.destroy(),
      () => undefined,
    );
  }

  async #remember(
    text: string,
    options: ManualRememberOptions,
    idempotencyKey: string = uuidV4(),
  ): Promise<ManualAccepted> {
    checkText('text', text, limits.textBytes);
    checkIdempotencyKey(idempotencyKey);
    const { endpoint, parts, dimension } = await this.#embedding(options.signal);
    const vectors = await endpoint.embed(embeddingChunks(text), dimension, options.signal);
    // Again, because `destroy` may have run meanwhile, and zeros would sign as another key
    this.#connection.signer.assertUsable();
    const write = {
      text,
      namespace: this.#namespaceOf(options),
      vectors,
      embeddingModel: endpoint.model,
      idempotencyKey,
    };
    return rememberSealed(this.#connection, parts, { p: this.#primitives, seed: this.#seed }, write, options);
  }

  /** The provider, and what its vectors must be like. Throws `embedding_not_configured`, `embedding_mismatch`. */
  async #embedding(signal: AbortSignal | undefined) {
    this.#connection.signer.assertUsable();
    const endpoint = this.#endpoint;
    if (!endpoint)
      throw new MemRelayError(
        'embedding_not_configured',
        'Manual mode needs a provider of embeddings of your own: pass `embedding` with its baseUrl, and its apiKey where it wants one. The embedder that needs none is keyed by the relayer and works in relayer mode only.',
      );
    const parts = await untilAborted(this.#connected(), signal);
    return {
      endpoint,
      parts,
      dimension: checkedDimension(parts.network, endpoint, this.#options.embedding!),
    };
  }

  #connected(): Promise<ManualParts> {
    if (!this.#parts) {
      this.#parts = connectManual(this.#connection, this.#options, this.#primitives, this.#sessions);
      this.#parts.catch(() => {
        this.#parts = undefined;
      });
    }
    return this.#parts;
  }

  #namespaceOf({ namespace }: { namespace?: string | undefined }): string {
    return namespace ?? this.#options.namespace ?? defaultNamespace;
  }
}

/** Throws `invalid_argument` for what the relayer would refuse in relayer mode, where it sees it. */
function checkText(name: string, text: string, maxBytes: number): void {
  const refuse = (message: string): never => {
    throw new MemRelayError('invalid_argument', `${name} ${message}.`);
  };
  if (!text.isWellFormed()) refuse('must be well-formed Unicode');
  if (text.trim() === '') refuse('must not be empty or only white space');
  if (new TextEncoder().encode(text).length > maxBytes) refuse(`must be at most ${maxBytes} bytes of UTF-8`);
}
