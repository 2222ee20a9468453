import type { CredentialFile } from '@memrelay/protocol/credential-file';
import { embeddingChunks, searchedQuery } from '@memrelay/protocol/embedding-chunks';
import { limits } from '@memrelay/protocol/limits';
import { credentialOptions } from '../credentials.ts';
import { checkIdempotencyKey } from '../options.ts';
import { MemRelayError } from '../wire/errors.ts';
import type { MemoryEntry } from '../wire/types.ts';
import { uuidV4 } from '../wire/uuid.ts';
import { checkText, createManualBase, type ManualBase } from './manual-base.ts';
import type {
  ManualAccepted,
  ManualListOptions,
  ManualOptions,
  ManualOutcome,
  ManualRecallOptions,
  ManualRecallResult,
  ManualRememberOptions,
} from './manual-types.ts';
import { rememberEach } from './outcomes.ts';
import { recallSealed } from './recall.ts';
import { rememberSealed } from './remember.ts';

/**
 * A client that embeds and encrypts locally: the relayer stores and searches data that it cannot read, and receives no texts,
 * no questions and no provider key. docs/manual-mode.md lists what the relayer still learns.
 *
 * Methods reject with `MemRelayError`, or with `signal.reason` when the caller aborts. Calls may overlap. Reuse one client:
 * it creates one key per namespace and key epoch, and each key costs readers time. `destroy` it when it is no longer needed.
 */
export class MemRelayManual {
  readonly #base: ManualBase;

  private constructor(options: ManualOptions) {
    this.#base = createManualBase(options);
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
    return this.#base.connection.publicKey;
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
    return rememberEach(input, options.idempotencyKey, (text, key) => this.#remember(text, options, key));
  }

  /** Embeds a question, finds the nearest memories and opens them here. Unreadable matches are in `dropped`. */
  async recallManual(query: string, options: ManualRecallOptions = {}): Promise<ManualRecallResult> {
    checkText('query', query, limits.queryBytes);
    const { endpoint, parts, dimension } = await this.#embedding(options.signal);
    const [vector] = await endpoint.embed([searchedQuery(query).text], dimension, options.signal);
    const { connection, p } = this.#base;
    const { trustedWriters, trustRelayer } = this.#base.options;
    const question = {
      vector: vector!,
      embeddingModel: endpoint.model,
      namespace: this.#base.namespaceOf(options),
    };
    const reading = { ...options, trustedWriters, trustRelayer };
    return recallSealed(connection, parts, p, question, reading);
  }

  /** The stored memories, newest first and without texts; pages are fetched as the loop advances. */
  memories(options: ManualListOptions = {}): AsyncGenerator<MemoryEntry, void, undefined> {
    return this.#base.memories(options);
  }

  /** Overwrites the keys and drops the session; every later call throws `client_destroyed`. */
  destroy(): void {
    this.#base.destroy();
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
    this.#base.connection.signer.assertUsable();
    const write = {
      text,
      namespace: this.#base.namespaceOf(options),
      vectors,
      embeddingModel: endpoint.model,
      idempotencyKey,
    };
    return rememberSealed(this.#base.connection, parts, this.#base, write, options);
  }

  /** The provider and the required dimension of its vectors. Throws `embedding_not_configured`, `embedding_mismatch`. */
  async #embedding(signal: AbortSignal | undefined) {
    this.#base.connection.signer.assertUsable();
    if (!this.#base.options.embedding)
      throw new MemRelayError(
        'embedding_not_configured',
        'Manual mode needs your own embedding provider: pass `embedding` with its baseUrl, and its apiKey if it requires one. The embedder that needs no provider is keyed by the relayer and works only in relayer mode.',
      );
    const parts = await this.#base.parts(signal);
    return { parts, ...this.#base.endpointFor(parts)! };
  }
}
