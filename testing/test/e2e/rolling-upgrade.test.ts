import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { extractFormerVersion } from '../../src/former-version.ts';
import { runMemrelay } from '../../src/memrelay-command.ts';
import { createTestBackend, type TestBackend } from '../../src/test-backend.ts';
import { startTestNetwork, type TestNetwork } from '../../src/test-network.ts';
import { createTestOwner, type TestOwner } from '../../src/test-owner.ts';
import { startTestRelayer, type TestRelayer } from '../../src/test-relayer.ts';

/**
 * Tests an upgrade without downtime: the relayer of the version before the newest migration keeps serving while and after the
 * tables are updated, also next to one of the new version.
 */
const hasPostgres =
  process.env.MEMRELAY_TEST_DATABASE_URL !== undefined && process.env.MEMRELAY_TEST_BACKEND !== 'embedded';
const former = hasPostgres ? extractFormerVersion() : { missing: 'there is no Postgres' };
const isThere = !('missing' in former);

describe.skipIf(!isThere)(
  `an upgrade from the former version${isThere ? '' : ` (${former.missing})`}`,
  () => {
    let network: TestNetwork;
    let backend: TestBackend;
    let owner: TestOwner;
    let old: TestRelayer;
    let updated: TestRelayer | undefined;

    beforeAll(async () => {
      if (!isThere) return;
      [network, backend] = await Promise.all([startTestNetwork(), createTestBackend()]);
      [old, owner] = await Promise.all([
        startTestRelayer(network, { ...backend, entry: former.relayerEntry }),
        createTestOwner(network),
      ]);
    });
    afterAll(async () => {
      await Promise.all([old?.stop(), updated?.stop()]);
      await Promise.all([network?.close(), backend?.drop()]);
      if (isThere) former.remove();
    });

    /** Everything that reads or writes tables, on one relayer. */
    async function useAll(relayer: TestRelayer, label: string): Promise<void> {
      const client = owner.client(relayer.url);
      const namespace = `notes of ${label}`;
      const texts = ['Ada keeps bees.', 'Ben plays chess.', 'Cleo sails.'];
      const { jobIds } = await client.rememberBulk(texts.map((text) => ({ text, namespace })));
      const outcomes = await client.waitForJobs(jobIds);
      expect(outcomes.map(({ status }) => status)).toEqual(['done', 'done', 'done']);
      const { results } = await client.recall('Who keeps bees?', { namespace, limit: 1 });
      expect(results.map(({ text }) => text)).toEqual(['Ada keeps bees.']);
      await client.forget({ namespace, ids: [jobIds[1]!] });
      const after = await client.recall('chess', { namespace, minScore: -1, limit: 10 });
      expect(after.results.map(({ text }) => text).sort()).toEqual(['Ada keeps bees.', 'Cleo sails.']);
      expect((await client.namespaces()).map((each) => each.namespace)).toContain(namespace);
      expect((await client.stats()).memoryCount).toBeGreaterThan(0);
      await client.restore({ namespace });
      client.destroy();
    }

    test('lets one of two runners update the tables while the former version serves', async () => {
      await useAll(old, 'the former version');
      const environment = { DATABASE_URL: backend.databaseUrl };
      const [writing, ...ends] = await Promise.all([
        useAll(old, 'the update'),
        runMemrelay(['relayer', 'migrate'], environment),
        runMemrelay(['relayer', 'migrate'], environment),
      ]);
      expect(writing).toBeUndefined();
      const newest = isThere ? former.newestMigration : '';
      expect(ends.map(({ stdout, stderr }) => stdout + stderr).sort()).toEqual([
        `Applied ${newest}.\n`,
        'The tables are up to date.\n',
      ]);
    });

    test('keeps the former version working on the new tables, alone and next to the new version', async () => {
      await useAll(old, 'the former version on new tables');
      updated = await startTestRelayer(network, backend);
      await Promise.all([useAll(old, 'the old one of both'), useAll(updated, 'the new one of both')]);
      for (const { url } of [old, updated]) {
        const client = owner.client(url);
        for (const label of ['the former version', 'the old one of both', 'the new one of both']) {
          const { results } = await client.recall('bees', { namespace: `notes of ${label}`, minScore: -1 });
          expect(results.map(({ text }) => text)).toContain('Ada keeps bees.');
        }
        client.destroy();
      }
      // The former version may not start on tables that it does not know
      await old.stop();
      await expect(old.start()).rejects.toThrow(/belong to another version/);
    });
  },
);
