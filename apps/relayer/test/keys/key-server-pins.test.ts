import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ConfigError } from '../../src/base/config/config-error.ts';
import { pinKeyServers } from '../../src/keys/key-server-pins.ts';
import { databases, type TestDb } from '../support/databases.ts';

const id = () => `0x${randomBytes(32).toString('hex')}`;
const server = (objectId = id(), publicKey = randomBytes(96).toString('hex')) => ({
  objectId,
  weight: 1,
  publicKey,
});

describe.each(databases)('pins of key servers on $name', ({ create }) => {
  let database: TestDb;
  beforeAll(async () => {
    database = await create();
  });
  afterAll(() => database.drop());

  test('accept the same servers in any order, at two concurrent boots', async () => {
    const [packageId, servers] = [id(), [server(), server()]];
    const boot = () => pinKeyServers(database.db, packageId, servers);
    await Promise.all([boot(), boot()]);
    await pinKeyServers(database.db, packageId, servers.toReversed());
  });

  test('stop every boot with another public key under a known id, and name the fix', async () => {
    const [packageId, known] = [id(), server()];
    await pinKeyServers(database.db, packageId, [known]);
    const changed = server(known.objectId);
    for (const _boot of [1, 2]) {
      const refused = await pinKeyServers(database.db, packageId, [server(), changed]).catch(
        (error) => error,
      );
      expect(refused).toBeInstanceOf(ConfigError);
      expect(refused.message).toContain(known.objectId);
      expect(refused.message).toContain('key_server_pin');
    }
    await pinKeyServers(database.db, packageId, [known]);
  });

  test('are separate for each package', async () => {
    const known = server();
    await pinKeyServers(database.db, id(), [known]);
    await pinKeyServers(database.db, id(), [server(known.objectId)]);
  });
});
