import { noQuestion, questionOf } from '@memrelay/text-index/question';
import { tokenizerVersion } from '@memrelay/text-index/words/terms';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Caller } from '../../src/accounts/caller.ts';
import { vectorSpace } from '../../src/index/embedding/vector-space.ts';
import { deleteMemories } from '../../src/jobs/rows/forget-rows.ts';
import { clearSuspicion, markLost } from '../../src/jobs/rows/unreadable.ts';
import { beginReindex, startReindexing } from '../../src/memories/reindex/background-reindex.ts';
import { takeLease } from '../../src/memories/reindex/lease.ts';
import { reindex } from '../../src/memories/reindex/reindex.ts';
import { firstId, reindexStep } from '../../src/memories/reindex/reindex-namespace.ts';
import { readNamespaceSize, searchMemories } from '../../src/memories/rows/search-rows.ts';
import { countStale, saveReindexed } from '../../src/memories/rows/stale-rows.ts';
import { databases, type TestDb } from '../support/databases.ts';
import { blindIndex } from '../support/index-parts.ts';
import { refused, staleWorld } from '../support/stale-world.ts';

/** Stale memories after a change of the embedding model, and how they are re-embedded. */

const former = 'lexical-v3-64';

describe.each(databases)('on $name', ({ create }) => {
  let opened: TestDb;
  let world: ReturnType<typeof staleWorld>;
  beforeAll(async () => {
    opened = await create();
  });
  afterAll(() => opened?.drop());
  beforeEach(() => {
    world = staleWorld(() => opened.db);
  });
  const stale = () => countStale(opened.db, world.accountId, ['n'], world.place.model);
  const run = (cursor?: string) =>
    reindex(world.context(), world.caller, { namespace: 'n', ...(cursor ? { cursor } : {}) });
  async function searched(words: string) {
    const { accountId, place: namespace } = world;
    const { embedder, vectors, tagOf } = world.context();
    const [vector] = await embedder.embed([words], [accountId]);
    const size = await readNamespaceSize(opened.db, accountId, 'n', namespace.model);
    const query = {
      ...namespace,
      vector: vectors.mapOf(accountId).apply(vector!),
      question: blindIndex.questionTokens(accountId, tagOf('', ''), questionOf(words, true)),
      limit: 10,
      includePending: false,
    };
    const { matches } = await searchMemories(opened.db, query, size);
    return { matches, stale: size.stale };
  }

  test('finds a stale memory by its words, and after re-embedding by its vector too', async () => {
    const [id] = await world.remember(['The harbour opens at dawn.', 'A bakery.']);
    // The words of a search are keyed by the tag that the texts were indexed with
    await opened.db.query('UPDATE memory SET tokens = $2::text::bigint[] WHERE id = $1', [
      id!,
      `{${blindIndex.questionTokens(world.accountId, Buffer.alloc(16, 3), questionOf('harbour opens dawn', false)).terms.join()}}`,
    ]);
    const before = await searched('harbour');
    expect(before.stale).toBe(2);
    expect(before.matches).toMatchObject([{ id, distance: 1, near: false, stale: true }]);
    expect(await run()).toMatchObject({ reindexed: 2, stale_count: 0 });
    const after = await searched('harbour');
    expect(after.stale).toBe(0);
    expect(after.matches[0]).toMatchObject({ id, near: true });
    expect(after.matches[0]!.stale).toBeUndefined();
    expect(after.matches[0]!.distance).toBeLessThan(1);
    expect(await world.modelsOf(id!)).toEqual([world.place.model]);
  });

  /** Gives a memory the tokens that tokenizer 1 made of its words. */
  async function storeFormerTerms(id: string, terms: string[]): Promise<void> {
    const { accountId } = world;
    const tokens = blindIndex.questionTokens(accountId, Buffer.alloc(16, 3), { ...noQuestion, terms }).terms;
    await opened.db.query(
      `UPDATE memory SET tokens = $3::text::bigint[], token_version = 1 WHERE account_id = $1 AND id = $2`,
      [accountId, id, `{${tokens.join()}}`],
    );
  }

  test('indexes words of a former tokenizer again, without embedding, and finds them before and after', async () => {
    const texts = ['Die Häuser sind alt.', 'The colour is faded.', '서울에서 만나요', 'Видел собаку вчера'];
    const formerTerms = [
      ['hauser', 'alt'],
      ['colour', 'fade'],
      ['서울에서', '만나요'],
      ['видел', 'собаку', 'вчера'],
    ];
    const ids = await world.remember(texts);
    await run();
    for (const [i, id] of ids.entries()) await storeFormerTerms(id, formerTerms[i]!);
    expect(await stale()).toBe(4);
    for (const [question, i] of [
      ['Häuser', 0],
      ['colour', 1],
      ['서울에서', 2],
      ['собаку', 3],
    ] as const) {
      const { matches, stale: reported } = await searched(question);
      expect(reported).toBe(4);
      const steps = matches.find(({ id }) => id === ids[i])!.words!.steps;
      expect(Math.max(...steps)).toBe(1);
    }
    const { calls } = world.provider;
    expect(await run()).toMatchObject({ reindexed: 4, stale_count: 0 });
    expect(world.provider.calls).toBe(calls);
    const { rows } = await opened.db.query(
      'SELECT DISTINCT token_version AS version FROM memory WHERE account_id = $1',
      [world.accountId],
    );
    expect(rows).toEqual([{ version: tokenizerVersion }]);
    for (const [question, i] of [
      ['Haus', 0],
      ['color', 1],
      ['서울', 2],
      ['собаки', 3],
    ] as const) {
      const found = (await searched(question)).matches.filter(({ words }) =>
        words!.steps.some((step) => step > 0),
      );
      expect(found.map(({ id }) => id)).toEqual([ids[i]]);
    }
  });

  test('a recall indexes words of a former tokenizer again in the background', async () => {
    const [id] = await world.remember(['The library.']);
    await run();
    await storeFormerTerms(id!, ['librari']);
    const context = world.context();
    context.reindexing = await startReindexing(opened.db);
    beginReindex(context, withSession(session(Date.now())), 'n');
    await expect.poll(stale, { timeout: 10_000 }).toBe(0);
    await context.reindexing.close();
  });

  test('a pass re-embeds many memories in steps, and a second pass does nothing', async () => {
    const ids = await world.remember(Array.from({ length: 40 }, (_, i) => `Note ${i} of the orchard.`));
    const answer = await run();
    expect(answer).toMatchObject({ reindexed: 40, stale_count: 0 });
    expect(answer.next_cursor).toBeUndefined();
    expect(world.provider.calls).toBe(3);
    for (const id of [ids[0]!, ids[39]!]) expect(await world.modelsOf(id)).toEqual([world.place.model]);
    expect(await run()).toMatchObject({ reindexed: 0, stale_count: 0 });
    expect(world.provider.calls).toBe(3);
  });

  test('reports failures with their reason, continues with the others and does not retry forever', async () => {
    const [gone] = await world.remember(['Its blob is gone.']);
    for (const [blobId] of world.blobs) world.blobs.delete(blobId);
    await opened.db.query("UPDATE memory SET created_at = now() - interval '1 hour' WHERE id = $1", [gone!]);
    const [denied] = await world.remember(['Nobody may read this.'], 'unreadably');
    const [own] = await world.remember(['A secret of its client.'], 'by its client');
    const [refusal] = await world.remember([`An ${refused} text.`]);
    const [good] = await world.remember(['All is well.']);
    const answer = await run();
    expect(answer).toMatchObject({ reindexed: 1, stale_count: 3 });
    const reasons = Object.fromEntries(answer.failed!.map(({ id, reason }) => [id, reason]));
    expect(reasons).toEqual({
      [gone!]: 'unreadable',
      [denied!]: 'not_opened',
      [own!]: 'client_encrypted',
      [refusal!]: 'embedding_rejected',
    });
    // Only its client has seen the text, and its vector stays
    expect(world.opened).not.toContain('A secret of its client.');
    expect(await world.modelsOf(own!)).toEqual([former]);
    expect(await world.modelsOf(good!)).toEqual([world.place.model]);
    // They are not retried after recalls for a while; an explicit request retries them
    const { calls } = world.provider;
    const lease = await takeLease(opened.db, world.accountId, 'n');
    const options = { after: firstId, exceptTried: true, leaseToken: lease!.token };
    const none = { reindexed: 0, failed: [], after: undefined };
    expect(await reindexStep(world.context(), world.caller, world.place, options)).toEqual(none);
    await lease!.release();
    expect(world.provider.calls).toBe(calls);
    expect((await run()).failed).toHaveLength(3);
  });

  test('an unavailable provider changes nothing, and the next call continues', async () => {
    const [id] = await world.remember(['The library closes late.']);
    world.provider.away = true;
    await expect(run()).rejects.toMatchObject({ code: 'embedding_unavailable' });
    expect(await world.modelsOf(id!)).toEqual([former]);
    world.provider.away = false;
    expect(await run()).toMatchObject({ reindexed: 1, stale_count: 0 });
  });

  test('only one run holds the lease, and a run that lost it writes nothing', async () => {
    const [id] = await world.remember(['The railway.']);
    const lease = await takeLease(opened.db, world.accountId, 'n');
    expect(await takeLease(opened.db, world.accountId, 'n')).toBeUndefined();
    const [data] = await world
      .context()
      .indexer.indexTexts([{ accountId: world.accountId, tag: Buffer.alloc(16), text: 'The railway.' }]);
    const save = (token: string) => saveReindexed(opened.db, world.place, token, [{ id: id!, data: data! }]);
    expect(await save('00000000-0000-4000-8000-000000000000')).toBeUndefined();
    await opened.db.query("UPDATE reindex_lease SET lease_until = now() - interval '1 second'");
    expect(await save(lease!.token)).toBeUndefined();
    expect(await world.modelsOf(id!)).toEqual([former]);
    // The next run takes over from one that died
    const next = await takeLease(opened.db, world.accountId, 'n');
    expect(await save(next!.token)).toEqual([id]);
    expect(await world.modelsOf(id!)).toEqual([world.place.model]);
    await lease!.release();
    expect(await takeLease(opened.db, world.accountId, 'n')).toBeUndefined();
    await next!.release();
  });

  const ttlMin = 10;
  const session = (creationTimeMs: number): string =>
    Buffer.from(JSON.stringify({ creationTimeMs, ttlMin })).toString('base64');
  const withSession = (encSession: string | undefined): Caller => ({
    ...world.caller,
    credentials: { encSession, delegateKey: undefined },
  });

  async function behind(callers: readonly Caller[], context = world.context()): Promise<void> {
    context.reindexing = await startReindexing(opened.db);
    for (const caller of callers) beginReindex(context, caller, 'n');
    await context.reindexing.close();
  }

  test('a recall with a valid session re-embeds in the background, and any other recall does not', async () => {
    await world.remember(Array.from({ length: 20 }, (_, i) => `Note ${i} of the bakery.`));
    await behind([world.caller, withSession(undefined), withSession('no session')]);
    expect(await stale()).toBe(20);
    await behind([withSession(session(Date.now() - ttlMin * 60_000 - 1))]);
    expect(await stale()).toBe(20);
    const context = world.context();
    context.reindexing = await startReindexing(opened.db);
    // Each recall requests it
    for (const _ of [1, 2, 3]) beginReindex(context, withSession(session(Date.now())), 'n');
    await expect.poll(stale, { timeout: 10_000 }).toBe(0);
    await context.reindexing.close();
    expect(world.opened).toHaveLength(20);
    expect((await opened.db.query('SELECT 1 FROM reindex_lease')).rows).toEqual([]);
  });

  test('stops when the caller loses permission to read', async () => {
    await world.remember(['The observatory.']);
    const context = world.context();
    context.accounts = { account: async () => ({ ...world.account, delegates: [] }) } as never;
    await behind([withSession(session(Date.now()))], context);
    expect([await stale(), world.opened]).toEqual([1, []]);
  });
});

describe.each(databases.filter(({ name }) => name === 'postgres'))(
  'concurrent changes, on $name',
  ({ create }) => {
    let opened: TestDb;
    beforeAll(async () => {
      opened = await create();
    });
    afterAll(() => opened?.drop());

    /** A memory that is being re-embedded, and a concurrent `other` change that waits for its row. */
    async function reindexedDuring(
      other: (world: ReturnType<typeof staleWorld>, id: string) => Promise<unknown>,
    ) {
      const { db } = opened;
      const world = staleWorld(() => db);
      const [id] = await world.remember(['The harbour.']);
      const lease = await takeLease(db, world.accountId, 'n');
      const text = { accountId: world.accountId, tag: Buffer.alloc(16), text: 'The harbour.' };
      const [data] = await world.context().indexer.indexTexts([text]);
      let done: Promise<unknown> | undefined;
      await db.transaction(async (tx) => {
        await saveReindexed(tx, world.place, lease!.token, [{ id: id!, data: data! }]);
        done = other(world, id!);
        const waiting = async () =>
          (
            await db.query(
              "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
            )
          ).rows.length;
        await expect.poll(waiting).toBe(1);
      });
      await lease!.release();
      return { world, id: id!, result: await done };
    }

    test('leave no vector of a forgotten memory', async () => {
      const { world, id } = await reindexedDuring(({ accountId }, forgotten) => {
        const namespace = { accountId, namespace: 'n', tag: Buffer.alloc(16) };
        return opened.db.transaction((tx) => deleteMemories(tx, namespace, [forgotten]));
      });
      expect(await world.modelsOf(id)).toEqual([]);
    });

    test('remove a lost memory from the search, and keep its new vectors until it is found', async () => {
      const { world, id, result } = await reindexedDuring(async ({ accountId }, gone) => {
        const { rows } = await opened.db.query<{ blob_id: string; end_epoch: number | null }>(
          'SELECT blob_id, end_epoch FROM memory WHERE id = $1',
          [gone],
        );
        const { blob_id, end_epoch } = rows[0]!;
        const watched = { accountId, id: gone, blobId: blob_id, endEpoch: end_epoch ?? undefined };
        return markLost(opened.db, watched, 'missing');
      });
      expect(result).toBe(true);
      expect(await world.modelsOf(id)).toEqual([]);
      expect(await clearSuspicion(opened.db, { accountId: world.accountId, id })).toBe(true);
      expect(await world.modelsOf(id)).toEqual([world.place.model]);
    });
  },
);

test('gives vectors of one model that cannot be compared different names', () => {
  expect(vectorSpace('text-embedding-3-small', 1536, 1)).toBe('text-embedding-3-small');
  expect(vectorSpace('lexical-v2-64', 64, 1)).toBe('lexical-v2-64');
  const names = [
    vectorSpace('m', 1536, 1),
    vectorSpace('m', 512, 1),
    vectorSpace('m', 512, 2),
    vectorSpace('m', 1536, 2),
  ];
  expect(new Set(names).size).toBe(4);
});
