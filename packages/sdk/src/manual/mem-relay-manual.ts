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

/** Parallel uploads of one call. Limited because each may hold several copies of a one-megabyte memory. */
const writesAtOnce = 4;

/**
 * A client that embeds and encrypts locally: the relayer stores and searches data that it cannot read, and receives no texts,
 * no questions and no provider key. docs/manual-mode.md lists what the relayer still learns.
 *
 * Methods reject with `MemRelayError`, or with `signal.reason` when the caller aborts. Calls may overlap. Reuse one client:
 * it creates one key per namespace and key epoch, and each key costs readers time. `destroy` it when it is no longer needed.
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

  /** Creates a client without sending anything. Throws `invalid_argument`. */
  static create(options: ManualOptions): MemRelayManual {
    return new MemRelayManual(options);
  }

  /** Creates a client from the content of a credential file; `options` take precedence. Throws `invalid_credentials`. */
  static fromCredentials(file: CredentialFile, options: Partial<ManualOptions> = {}): MemRelayManual {
    const { packageId } = file;
    return new MemRelayManual({
      ...options,
      packageId,
      ...credentialOptions(file, options),
    } as ManualOptions);
  }

  /** The delegate public key, 64 lower-case hex characters. Its private half signs the memories */
  get publicKey(): string {
    return this.#connection.publicKey;
  }

  /**
   * Embeds and seals a text, and resolves when it is stored. Multiple texts have separate outcomes, in their order; with an
   * `idempotencyKey` the second text uses that key with `.1` appended, and so on.
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

  /** Embeds a question, finds the nearest memories and opens them here. Unreadable matches are in `dropped`. */
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

  /** The stored memories, newest first and without texts; pages are fetched as the loop advances. */
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
    // Checked again: `destroy` may have run in the meantime, and a zeroed key would sign as another key
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

  /** The provider and the required dimension of its vectors. Throws `embedding_not_configured`, `embedding_mismatch`. */
  async #embedding(signal: AbortSignal | undefined) {
    this.#connection.signer.assertUsable();
    const endpoint = this.#endpoint;
    if (!endpoint)
      throw new MemRelayError(
        'embedding_not_configured',
        'Manual mode needs your own embedding provider: pass `embedding` with its baseUrl, and its apiKey if it requires one. The embedder that needs no provider is keyed by the relayer and works only in relayer mode.',
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

/** Throws `invalid_argument` for texts that the relayer would reject in relayer mode, where it sees them. */
function checkText(name: string, text: string, maxBytes: number): void {
  const refuse = (message: string): never => {
    throw new MemRelayError('invalid_argument', `${name} ${message}.`);
  };
  if (!text.isWellFormed()) refuse('must be well-formed Unicode');
  if (text.trim() === '') refuse('must not be empty or only white space');
  if (new TextEncoder().encode(text).length > maxBytes) refuse(`must be at most ${maxBytes} bytes of UTF-8`);
}
