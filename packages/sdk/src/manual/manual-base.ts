import { portablePrimitives } from '@memrelay/envelope/portable-primitives';
import type { Primitives } from '@memrelay/envelope/primitives';
import { defaultNamespace } from '@memrelay/protocol/limits';
import type { MemoriesResponse } from '@memrelay/protocol/memory-lists';
import { eachMemory } from '../memory-pages.ts';
import { connect, parsePackageId } from '../options.ts';
import { untilAborted } from '../wire/abort.ts';
import { camelKeys } from '../wire/camel-keys.ts';
import type { SessionSource } from '../wire/enc-session.ts';
import { MemRelayError } from '../wire/errors.ts';
import { type Connection, callRelayer } from '../wire/request.ts';
import { parsePrivateKey } from '../wire/signer.ts';
import type { MemoryEntry } from '../wire/types.ts';
import { createEmbeddingEndpoint, type EmbeddingEndpoint } from './embedding-endpoint.ts';
import { keySessions } from './key-session.ts';
import { checkedDimension, connectManual, type ManualParts } from './manual-parts.ts';
import type { ManualListOptions, ManualOptions } from './manual-types.ts';

/** An embedding provider that fits the relayer. */
export interface FittingEndpoint {
  endpoint: EmbeddingEndpoint;
  /** Numbers per vector */
  dimension: number;
}

/** What the clients that encrypt locally share: the connection, the keys, and the parts made on first use. */
export interface ManualBase {
  readonly options: ManualOptions;
  readonly connection: Connection;
  readonly p: Primitives;
  /** The delegate's private key */
  readonly seed: Uint8Array;
  /** Reads and checks the relayer's network on the first call. Throws like `connectManual`. */
  parts(signal: AbortSignal | undefined): Promise<ManualParts>;
  /** The configured provider, if any. Throws `embedding_mismatch`. */
  endpointFor(parts: ManualParts): FittingEndpoint | undefined;
  namespaceOf(options: { namespace?: string | undefined }): string;
  /** The stored memories without texts, page by page */
  memories(options: ManualListOptions): AsyncGenerator<MemoryEntry, void, undefined>;
  destroy(): void;
}

/** Sends nothing. Throws `invalid_argument`. */
export function createManualBase(given: ManualOptions): ManualBase {
  const options = { ...given, packageId: parsePackageId(given.packageId) };
  const connection = connect(options);
  const endpoint = options.embedding && createEmbeddingEndpoint(options.embedding);
  const p = options.primitives ?? portablePrimitives;
  const sessions: SessionSource = keySessions(connection, options.wallet);
  const seed = parsePrivateKey(options.key);
  let made: Promise<ManualParts> | undefined;

  function connected(): Promise<ManualParts> {
    if (!made) {
      made = connectManual(connection, options, p, sessions);
      made.catch(() => {
        made = undefined;
      });
    }
    return made;
  }

  const namespaceOf: ManualBase['namespaceOf'] = ({ namespace }) =>
    namespace ?? options.namespace ?? defaultNamespace;

  return {
    options,
    connection,
    p,
    seed,
    async parts(signal) {
      connection.signer.assertUsable();
      return untilAborted(connected(), signal);
    },
    endpointFor: ({ network }) =>
      endpoint && { endpoint, dimension: checkedDimension(network, endpoint, options.embedding!) },
    namespaceOf,
    memories(list) {
      const namespace = list.allNamespaces ? undefined : namespaceOf(list);
      return eachMemory(async (cursor) => {
        const body = { namespace, cursor, limit: list.limit };
        const call = { method: 'POST', path: '/api/memories', body, signal: list.signal } as const;
        return camelKeys((await callRelayer<MemoriesResponse>(connection, call)).value);
      });
    },
    destroy() {
      connection.signer.destroy();
      connection.sessions.release();
      sessions.release();
      seed.fill(0);
      void made?.then(
        ({ unwrapper }) => unwrapper.destroy(),
        () => undefined,
      );
    },
  };
}

/** Throws `invalid_argument` for texts that the relayer would reject in relayer mode, where it sees them. */
export function checkText(name: string, text: string, maxBytes: number): void {
  const refuse = (message: string): never => {
    throw new MemRelayError('invalid_argument', `${name} ${message}.`);
  };
  if (!text.isWellFormed()) refuse('must be well-formed Unicode');
  if (text.trim() === '') refuse('must not be empty or only white space');
  if (new TextEncoder().encode(text).length > maxBytes) refuse(`must be at most ${maxBytes} bytes of UTF-8`);
}
