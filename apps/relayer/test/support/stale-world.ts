import { randomBytes } from 'node:crypto';
import { parseHeader } from '@memrelay/envelope/header';
import type { OpenRequestHead } from '@memrelay/protocol/sidecar-api';
import { pino } from 'pino';
import type { Caller } from '../../src/accounts/caller.ts';
import type { Db } from '../../src/base/db/db.ts';
import { sha256 } from '../../src/base/sha256.ts';
import { BlobReadError } from '../../src/blobs/aggregator-reads.ts';
import { createAccountVectors } from '../../src/index/embedding/account-vectors.ts';
import { type Embedder, EmbeddingError } from '../../src/index/embedding/embedder.ts';
import { createLexicalEmbedder } from '../../src/index/embedding/lexical-embedder.ts';
import { createTextIndexer } from '../../src/index/index-data.ts';
import { createNamespaceSizes } from '../../src/memories/recall/namespace-sizes.ts';
import type { SearchParts } from '../../src/memories/recall/recall.ts';
import type { BackgroundReindexParts } from '../../src/memories/reindex/background-reindex.ts';
import type { BackgroundRuns } from '../../src/memories/reindex/background-runs.ts';
import type { ReindexParts } from '../../src/memories/reindex/reindex.ts';
import type { StaleNamespace } from '../../src/memories/rows/stale-rows.ts';
import { blindIndex } from './index-parts.ts';
import { insertMemories } from './indexed-memories.ts';
import { sampleEnvelope } from './sample-envelope.ts';

type ReindexWorldParts = ReindexParts &
  Omit<BackgroundReindexParts, 'reindexing'> &
  SearchParts & { reindexing: BackgroundRuns };

const tag = Buffer.alloc(16, 3);
/** A provider rejects texts that contain it */
export const refused = 'unspeakable';

/**
 * Memories with vectors of the lexical embedder of 64 dimensions, at a relayer whose current model has 128. Blobs
 * come from a cache, and the sidecar opens those in `texts`.
 */
export function staleWorld(db: () => Db) {
  const accountId = randomBytes(32);
  const bare = createLexicalEmbedder(128, () => Buffer.alloc(32, 5));
  const provider = { away: false, calls: 0 };
  const embedder: Embedder = {
    ...bare,
    async embed(texts, accounts) {
      provider.calls += 1;
      if (provider.away) throw new EmbeddingError('transient', 'away');
      if (texts.some((text) => text.includes(refused))) throw new EmbeddingError('rejected', 'refused');
      return bare.embed(texts, accounts);
    },
  };
  const vectors = createAccountVectors(128, () => Buffer.alloc(32, 7));
  const namespace: StaleNamespace = { accountId, namespace: 'n', model: embedder.model };
  const blobs = new Map<string, Buffer>();
  const texts = new Map<string, string>();
  const opened: string[] = [];
  const reader = {
    publicKey: 'aa',
    address: '0xa',
    label: '',
    createdAtMs: 0,
    proven: true,
    scope: { perms: 1, allNamespaces: true, tags: [], minEpoch: 0, expiresAtMs: 0 },
  };
  const account = {
    accountId: `0x${accountId.toString('hex')}`,
    initialSharedVersion: '1',
    objectVersion: 1n,
    origin: '0x1',
    owner: '0x1',
    active: true,
    keyEpoch: 0,
    delegates: [reader],
    recoveryPk: undefined,
    stale: false,
  };
  const caller: Caller = {
    account,
    delegate: reader,
    publicKey: 'aa',
    address: '0xa',
    credentials: { encSession: undefined, delegateKey: 'key' },
  };
  const parts = {
    embedder,
    vectors,
    indexer: createTextIndexer({ embedder, vectors, blindIndex }),
    requireEmbedder: () => undefined,
    tagOf: () => tag,
    accounts: { account: async () => account },
    accountWriters: { of: async () => [] },
    writerPublicKeys: [],
    serverAddress: undefined,
    keyRewraps: { of: async () => new Map() },
    verifiedKeys: { mark: () => undefined },
    loggers: { memories: pino({ enabled: false }) },
    blobCache: {
      getMany: async (ids: readonly string[]) => ids.map((id) => blobs.get(id)),
      set: async () => undefined,
    },
    aggregators: { read: async () => Promise.reject(new BlobReadError('unavailable')) },
    sidecar: {
      open: async ({ items }: OpenRequestHead) => {
        const openedTexts = items.map(({ envelope_id }) => texts.get(envelope_id!));
        opened.push(...openedTexts.flatMap((text) => text ?? []));
        return {
          items: openedTexts.map((text) =>
            text === undefined
              ? { ok: false, failure: 'denied', reason: 'not this one' }
              : { ok: true, text_length: Buffer.byteLength(text), created_at: '', signer: 'aa' },
          ),
          payload: Buffer.from(openedTexts.join('')),
        };
      },
    },
  };

  /** Stored before the model was changed. Returns their ids. */
  async function remember(
    some: readonly string[],
    sealed: 'here' | 'by its client' | 'unreadably' = 'here',
  ): Promise<string[]> {
    const ids = await insertMemories(db(), { accountId, namespace: 'n' }, some);
    for (const [i, id] of ids.entries()) {
      const { envelope, envelopeId } = sampleEnvelope();
      if (sealed === 'by its client') randomBytes(32).copy(envelope, 88);
      else
        await db().query(
          `INSERT INTO namespace_key (account_id, tag, key_epoch, server_set, recipient_pk, wraps, mac, period)
           VALUES ($1, $2, 0, 's', $3, '', '', 0) ON CONFLICT DO NOTHING`,
          [accountId, tag, Buffer.from(parseHeader(envelope, envelope.length).recipientPk)],
        );
      const blobId = randomBytes(32).toString('base64url');
      blobs.set(blobId, envelope);
      if (sealed !== 'unreadably') texts.set(envelopeId.toString('hex'), some[i]!);
      await db().query(
        'UPDATE memory SET blob_id = $2, envelope_id = $3, envelope_sha256 = $4 WHERE id = $1',
        [id, blobId, envelopeId, sha256(envelope)],
      );
    }
    return ids;
  }
  /** Models of a memory's vectors */
  async function modelsOf(id: string): Promise<string[]> {
    const { rows } = await db().query<{ embedding_model: string }>(
      'SELECT DISTINCT embedding_model FROM memory_vector WHERE memory_id = $1 ORDER BY 1',
      [id],
    );
    return rows.map(({ embedding_model }) => embedding_model);
  }
  const context = () =>
    ({ ...parts, db: db(), namespaceSizes: createNamespaceSizes(db()) }) as unknown as ReindexWorldParts;
  return {
    accountId,
    place: namespace,
    caller,
    account,
    context,
    remember,
    modelsOf,
    provider,
    blobs,
    texts,
    opened,
  };
}
