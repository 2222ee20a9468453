import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { currentScan, saveEnvelopes, savePage } from '../../src/upkeep/rows/chain-scan-rows.ts';
import { saveForgotten, saveRestored } from '../../src/upkeep/rows/save-restored.ts';
import { databases, type TestDb } from '../support/databases.ts';
import { indexedCandidate } from '../support/indexed-candidate.ts';

describe.each(databases)('a batch of restored memories on $name', ({ create }) => {
  let database: TestDb;
  let namespace: { accountId: Buffer; namespace: string; tag: Buffer };
  const owner = `0x${'ab'.repeat(32)}`;
  beforeAll(async () => {
    database = await create();
  });
  afterAll(() => database?.drop());
  beforeEach(() => {
    namespace = { accountId: randomBytes(32), namespace: 'n', tag: randomBytes(16) };
  });
  const blobIdOf = (letter: string): string => letter.repeat(43);

  /** Lists a blob with one envelope as found on chain. */
  async function found(letter: string, envelopeId: Buffer): Promise<void> {
    const { accountId, tag } = namespace;
    const blobId = blobIdOf(letter);
    await currentScan(database.db, accountId, owner);
    const blob = { object_id: owner, blob_id: blobId, size: 1_500, end_epoch: 50, certified_epoch: 1 };
    await savePage(database.db, accountId, { epoch: 5, blobs: [blob] });
    const header = { kind: 1, recipientPk: randomBytes(32), wraps: undefined };
    await saveEnvelopes(database.db, accountId, blobId, [{ storedAs: blobId, tag, envelopeId, header }]);
  }

  test('is saved without the memories that exist or were forgotten', async () => {
    const { db } = database;
    const { accountId } = namespace;
    const [existing, forgotten, first, second] = Array.from({ length: 4 }, () => randomBytes(16));
    await found('a', existing!);
    await found('b', forgotten!);
    await found('c', first!);
    await found('d', second!);
    await saveRestored(db, namespace, [indexedCandidate(blobIdOf('a'), existing!)]);
    await saveForgotten(db, namespace, [forgotten!.toString('hex')]);
    const saved = await saveRestored(db, namespace, [
      indexedCandidate(blobIdOf('a'), existing!),
      indexedCandidate(blobIdOf('b'), forgotten!),
      indexedCandidate(blobIdOf('c'), first!),
      indexedCandidate(blobIdOf('d'), second!, { supersedes: [first!.toString('hex')] }),
    ]);
    expect(saved.map(({ candidate }) => candidate.storedAs[0]).sort()).toEqual(['c', 'd']);
    const { rows } = await db.query(
      `SELECT blob_id, (SELECT count(*)::int FROM memory_vector WHERE memory_id = memory.id) AS vectors,
         (SELECT count(*)::int FROM known_text WHERE memory_id = memory.id) AS texts,
         (SELECT next.blob_id FROM memory_successor link JOIN memory next ON next.id = link.successor_id
          WHERE link.envelope_id = memory.envelope_id) AS superseded_by
       FROM memory WHERE account_id = $1 ORDER BY blob_id`,
      [accountId],
    );
    expect(rows).toEqual([
      { blob_id: blobIdOf('a'), vectors: 1, texts: 1, superseded_by: null },
      { blob_id: blobIdOf('c'), vectors: 1, texts: 1, superseded_by: blobIdOf('d') },
      { blob_id: blobIdOf('d'), vectors: 1, texts: 1, superseded_by: null },
    ]);
    const { rows: texts } = await db.query('SELECT 1 FROM known_text WHERE account_id = $1', [accountId]);
    expect(texts).toHaveLength(3);
    const { rows: outcomes } = await db.query(
      'SELECT outcome, count(*)::int AS envelopes FROM chain_envelope WHERE account_id = $1 GROUP BY 1',
      [accountId],
    );
    expect(outcomes).toEqual([{ outcome: 'done', envelopes: 4 }]);
  });

  test('is saved once by two restores at the same time, in whatever order they found it', async () => {
    const batch = Array.from({ length: 12 }, (_, i) =>
      indexedCandidate(`${i}`.padStart(43, 'x'), randomBytes(16)),
    );
    const both = await Promise.all([
      saveRestored(database.db, namespace, batch),
      saveRestored(database.db, namespace, batch.toReversed()),
    ]);
    expect(both.flat()).toHaveLength(12);
  });
});
