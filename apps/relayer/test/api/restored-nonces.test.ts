import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createNonceEpoch, maxAheadSeconds } from '../../src/api/rows/nonce-epoch.ts';
import { refuseFormerRequests } from '../../src/api/rows/restored-nonces.ts';
import { databases, type TestDb } from '../support/databases.ts';

const store = { identity: 'redis/run/0/mark', server: 'redis/run' };

describe.each(databases)('a restored database on $name', ({ create }) => {
  let database: TestDb;
  beforeAll(async () => {
    database = await create();
  });
  afterAll(() => database.drop());

  const claimed = async () => {
    const epoch = createNonceEpoch({ db: database.db, log: pino({ enabled: false }) });
    const claim = await epoch.claim(store);
    await epoch.close();
    if ('holder' in claim) throw new Error('another store is in use');
    return claim;
  };
  const restored = (stoppedAt: number) =>
    database.db.transaction((tx) => refuseFormerRequests(tx, stoppedAt));

  it('accepts only requests signed after those that its former relayers may have accepted', async () => {
    const stoppedAt = 1_800_000_000;
    // Empty
    expect(await restored(stoppedAt)).toBe(stoppedAt + maxAheadSeconds);
    expect(await claimed()).toMatchObject({ changed: true, acceptsAfter: stoppedAt + maxAheadSeconds });
    // With the record of a relayer on the same store
    expect((await claimed()).changed).toBe(false);
    await restored(stoppedAt + 1_000);
    expect(await claimed()).toMatchObject({
      changed: true,
      acceptsAfter: stoppedAt + 1_000 + maxAheadSeconds,
    });
  });

  it('never accepts earlier requests than before', async () => {
    const { acceptsAfter } = await claimed();
    expect(await restored(1_000)).toBe(acceptsAfter);
    expect((await claimed()).acceptsAfter).toBe(acceptsAfter);
  });

  it('does not wait for relayers that only the backup knows', async () => {
    await database.db.query(
      "INSERT INTO nonce_user (relayer_id, server, seen_at) VALUES ('00000000-0000-4000-8000-000000000000', 'redis/other', now())",
    );
    await restored(1_000);
    expect((await claimed()).changed).toBe(true);
  });
});
