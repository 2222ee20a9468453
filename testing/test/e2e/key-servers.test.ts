import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { EncServerConfig } from '@memrelay/protocol/enc-servers';
import { presentKeyServers } from 'memrelay/doctor/account-checks';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createTestBackend, type TestBackend } from '../../src/test-backend.ts';
import { startTestNetwork, type TestNetwork } from '../../src/test-network.ts';
import { createTestOwner, type TestOwner } from '../../src/test-owner.ts';
import { startTestRelayer, type TestRelayer } from '../../src/test-relayer.ts';

/** Tests relayers with key servers other than the network's pair, and changes of key servers. */

let network: TestNetwork;
let backend: TestBackend;
let owner: TestOwner;
let pair: EncServerConfig[];
let committee: EncServerConfig;
const started: TestRelayer[] = [];

beforeAll(async () => {
  network = await startTestNetwork();
  owner = await createTestOwner(network);
  pair = network.info.keyServers.map(({ objectId, weight }) => ({ objectId, weight }));
  const { objectId, weight, aggregatorUrl } = network.info.committee;
  committee = { objectId, weight, aggregatorUrl };
});
afterAll(() => network?.close());
beforeEach(async () => {
  backend = await createTestBackend();
  await setCommittee({ down: [], apiKey: null });
});
afterEach(async () => {
  await Promise.all(started.splice(0).map((relayer) => relayer.stop()));
  await backend.drop();
});

async function start(environment: NodeJS.ProcessEnv): Promise<TestRelayer> {
  const relayer = await startTestRelayer(network, { ...backend, environment });
  started.push(relayer);
  return relayer;
}

async function stopAll(): Promise<void> {
  for (const relayer of started.splice(0)) await relayer.stop();
}

async function setCommittee(body: { down?: number[]; apiKey?: { name: string; key: string } | null }) {
  const token = (await readFile(join(network.paths.localnet, 'admin.token'), 'utf8')).trim();
  const response = await fetch(`${network.chainUrl}/admin/committee`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: JSON.stringify(body),
  });
  expect(response.status).toBe(200);
}

const json = (value: unknown): string => JSON.stringify(value);

async function remember({ url }: TestRelayer, text: string, namespace: string): Promise<void> {
  const client = owner.client(url);
  const { jobId } = await client.remember(text, { namespace });
  await client.waitForJob(jobId);
}

async function recalled({ url }: TestRelayer, namespace: string) {
  // Each client has its own session, so its key servers are asked again
  const client = owner.client(url, { maxAttempts: 1 });
  const { results, droppedCount } = await client.recall('memory', { minScore: -1, namespace, limit: 20 });
  return { texts: results.map(({ text }) => text).sort(), droppedCount };
}

/** What `memrelay doctor` reports about the account's keys. */
async function doctorOf({ url }: TestRelayer) {
  const client = owner.client(url);
  return presentKeyServers({ client, account: await client.account() }).run();
}

// Each test boots several times and shares the processors with all other tests
describe('a committee', { timeout: 120_000 }, () => {
  test('serves memories while three of its five members respond, and only with its API key', async () => {
    const apiKey = randomBytes(16).toString('hex');
    await setCommittee({ down: [0], apiKey: { name: 'X-Api-Key', key: apiKey } });
    const named = json([{ ...committee, apiKeyName: 'X-Api-Key', apiKey }]);
    const relayer = await start({ ENC_SERVER_CONFIGS: named, ENC_THRESHOLD: '1' });
    await remember(relayer, 'a memory for the committee', 'committee');
    expect(await recalled(relayer, 'committee')).toEqual({ texts: ['a memory for the committee'] });
    expect(await doctorOf(relayer)).toMatchObject({ state: 'ok' });

    const config = await (await fetch(`${relayer.url}/config`)).json();
    expect(config).toMatchObject({ encServerConfigs: [committee], encThreshold: 1 });
    expect(json(config) + relayer.logs()).not.toContain(apiKey);

    await setCommittee({ down: [0, 1, 4] });
    await expect(recalled(relayer, 'committee')).rejects.toMatchObject({ code: 'decrypt_unavailable' });
    await setCommittee({ down: [1, 4] });
    expect(await recalled(relayer, 'committee')).toEqual({ texts: ['a memory for the committee'] });

    await stopAll();
    const keyless = await start({ ENC_SERVER_CONFIGS: json([committee]) });
    await expect(recalled(keyless, 'committee')).rejects.toMatchObject({ code: 'decrypt_unavailable' });
  });

  test('is required in addition to an independent server when the threshold demands it', async () => {
    const relayer = await start({ ENC_SERVER_CONFIGS: json([committee, pair[0]]), ENC_THRESHOLD: '2' });
    await remember(relayer, 'a memory for both', 'mixed');
    await setCommittee({ down: [0, 1, 2] });
    await expect(recalled(relayer, 'mixed')).rejects.toMatchObject({ code: 'decrypt_unavailable' });
    await setCommittee({ down: [] });
    expect(await recalled(relayer, 'mixed')).toEqual({ texts: ['a memory for both'] });
  });

  test('mixed up with independent servers stops the boot and names the variable to change', async () => {
    const { aggregatorUrl, ...without } = committee;
    const wrong: [NodeJS.ProcessEnv, RegExp][] = [
      [{ ENC_SERVER_CONFIGS: json([without]) }, /ENC_SERVER_CONFIGS: .*requires aggregatorUrl/],
      [{ ENC_KEY_SERVERS: committee.objectId }, /ENC_SERVER_CONFIGS: .*requires aggregatorUrl/],
      [
        { ENC_SERVER_CONFIGS: json([{ ...pair[0], aggregatorUrl }]) },
        /ENC_SERVER_CONFIGS: .*should not have aggregatorUrl/,
      ],
      [
        { ENC_HISTORICAL_SETS: json([{ servers: [without], threshold: 1 }]) },
        /ENC_HISTORICAL_SETS: .*requires aggregatorUrl/,
      ],
      [{ ENC_SERVER_CONFIGS: json([committee]), ENC_THRESHOLD: '3' }, /ENC_THRESHOLD must be at most 1/],
    ];
    await Promise.all(
      wrong.map(([environment, words]) => expect(start(environment), words.source).rejects.toThrow(words)),
    );
  });
});

describe('replaced key servers', { timeout: 180_000 }, () => {
  const namespace = 'two sets';
  const apiKey = randomBytes(16).toString('hex');
  const now = () => ({ ENC_SERVER_CONFIGS: json([{ ...committee, apiKeyName: 'X-Key', apiKey }]) });
  const past = () => json([{ servers: pair, threshold: 2 }]);

  test('keep all memories readable if listed in ENC_HISTORICAL_SETS, and lose none otherwise', async () => {
    const first = await start({});
    await remember(first, 'an old memory', namespace);
    await stopAll();

    const forgetful = await start(now());
    await remember(forgetful, 'a new memory', namespace);
    expect(await recalled(forgetful, namespace)).toEqual({ texts: ['a new memory'], droppedCount: 1 });
    expect(await doctorOf(forgetful)).toMatchObject({
      state: 'warning',
      detail: '1 of 2 are for former key servers',
    });
    const warning = forgetful
      .logs()
      .split('\n')
      .find((line) => line.includes('name them in ENC_HISTORICAL_SETS'));
    expect(warning).toContain('memories of 1 namespace are wrapped');
    // The value proposed in the log can be used in the variable unchanged
    const proposed = [JSON.parse(JSON.parse(warning!).entry)];
    expect(proposed).toEqual([{ servers: expect.arrayContaining(pair), threshold: 2 }]);
    await stopAll();

    const mindful = await start({ ...now(), ENC_HISTORICAL_SETS: json(proposed) });
    await remember(mindful, 'a newer memory', namespace);
    const texts = ['a new memory', 'a newer memory', 'an old memory'];
    expect(await recalled(mindful, namespace)).toEqual({ texts });
    expect(mindful.logs()).not.toContain('ENC_HISTORICAL_SETS');
    await stopAll();

    // New keys use only the current set: the new memories are readable without the past sets
    const again = await start(now());
    expect(await recalled(again, namespace)).toEqual({
      texts: ['a new memory', 'a newer memory'],
      droppedCount: 1,
    });
    await stopAll();

    // Back to the pair, now configured by the deprecated list instead of the default
    const committees = json([{ servers: [{ ...committee, apiKeyName: 'X-Key', apiKey }], threshold: 1 }]);
    const listed = { ENC_KEY_SERVERS: pair.map(({ objectId }) => objectId).join(',') };
    const back = await start({ ...listed, ENC_HISTORICAL_SETS: committees });
    expect(await recalled(back, namespace)).toEqual({ texts });
    expect(back.logs()).toContain('ENC_KEY_SERVERS is deprecated');
    expect(json(await (await fetch(`${back.url}/config`)).json()) + back.logs()).not.toContain(apiKey);
  });

  test('are logged and ignored when they no longer exist on chain', async () => {
    const gone = { objectId: `0x${'e'.repeat(64)}`, weight: 1 };
    const historical = json([{ servers: [gone], threshold: 1 }, ...JSON.parse(past())]);
    const relayer = await start({ ...now(), ENC_HISTORICAL_SETS: historical });
    expect(relayer.logs()).toContain('key servers in ENC_HISTORICAL_SETS cannot be read from the chain');
    await remember(relayer, 'a memory', 'gone');
    expect(await recalled(relayer, 'gone')).toEqual({ texts: ['a memory'] });
  });
});
