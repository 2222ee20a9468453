import { toHex } from '@memrelay/protocol/bytes';
import { GeneralError, InternalError, NoAccessError, SealClient } from '@mysten/seal';
import { Ed25519Keypair } from '@mysten/sui/keypairs/ed25519';
import { bls12_381 } from '@noble/curves/bls12-381.js';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { DecryptionKeys } from '../src/key-servers/fetch-key.ts';
import { deriveMasterKey, masterPublicKey } from '../src/key-servers/master-key.ts';
import { combineShares, isTrueShare, shareKey } from '../src/key-servers/secret-shares.ts';
import { identityPoint, sealUserKey } from '../src/key-servers/user-key.ts';
import { approveAll, packageId, startKeyServerWorld } from './key-server-world.ts';

let world: Awaited<ReturnType<typeof startKeyServerWorld>>;
const owner = new Ed25519Keypair();
const id = new Uint8Array(56).fill(3);
const secret = new TextEncoder().encode('what only the owner may read');

beforeAll(async () => {
  world = await startKeyServerWorld();
});
afterAll(() => world.app.close());
beforeEach(() => {
  world.state.allow = (sender) => sender === owner.toSuiAddress();
  world.state.rewrite = (_path, answer) => answer;
  world.keyServers.committee.setDown([]);
  world.keyServers.committee.requireApiKey(undefined);
});

function committeeEntry(more: { apiKeyName?: string; apiKey?: string } = {}) {
  const { objectId, weight, aggregatorUrl } = world.keyServers.committee.info(world.baseUrl);
  return { objectId, weight, aggregatorUrl, ...more };
}

function client(serverConfigs: ConstructorParameters<typeof SealClient>[0]['serverConfigs']): SealClient {
  return new SealClient({ suiClient: world.suiClient, serverConfigs, verifyKeyServers: true });
}

const independent = (n: number) => ({ objectId: world.keyServers.servers[n]!.objectId, weight: 1 });

async function roundTrip(
  serverConfigs: Parameters<typeof client>[0],
  threshold: number,
  signer = owner,
): Promise<Uint8Array> {
  const { encryptedObject } = await client(serverConfigs).encrypt({
    threshold,
    packageId,
    id: toHex(id),
    data: secret,
  });
  const sessionKey = await world.session(signer);
  const txBytes = await approveAll([id]);
  return client(serverConfigs).decrypt({ data: encryptedObject, sessionKey, txBytes });
}

describe('the unmodified Seal client with a committee', () => {
  it('reads and writes with only the committee', async () => {
    const servers = await client([committeeEntry()]).getKeyServers();
    expect([...servers.values()]).toMatchObject([
      { serverType: 'Committee', url: `${world.baseUrl}/committee` },
    ]);
    expect(await roundTrip([committeeEntry()], 1)).toEqual(secret);
  });

  it('reads and writes with the committee and an independent server, when both are required', async () => {
    expect(await roundTrip([committeeEntry(), independent(0)], 2)).toEqual(secret);
    world.keyServers.committee.setDown([0, 1, 2]);
    await expect(roundTrip([committeeEntry(), independent(0)], 2)).rejects.toThrow(InternalError);
    expect(await roundTrip([committeeEntry(), independent(0), independent(1)], 2)).toEqual(secret);
  });

  it('gets several keys with one request', async () => {
    const ids = [1, 2, 3].map((byte) => new Uint8Array(56).fill(byte));
    const committee = client([committeeEntry()]);
    const sealed = await Promise.all(
      ids.map((each) => committee.encrypt({ threshold: 1, packageId, id: toHex(each), data: each })),
    );
    const sessionKey = await world.session(owner);
    const txBytes = await approveAll(ids);
    await committee.fetchKeys({ ids: ids.map((each) => toHex(each)), txBytes, sessionKey, threshold: 1 });
    world.state.allow = () => false;
    for (const [i, { encryptedObject: data }] of sealed.entries()) {
      expect(await committee.decrypt({ data, sessionKey, txBytes })).toEqual(ids[i]);
    }
  });

  it.each([[[3, 4]], [[0, 1]], [[0, 4]], [[2, 3]]])('works with the members %j stopped', async (down) => {
    world.keyServers.committee.setDown(down);
    expect(await roundTrip([committeeEntry()], 1)).toEqual(secret);
  });

  it('fails as unavailable, not as denied, with three members stopped', async () => {
    world.keyServers.committee.setDown([0, 2, 4]);
    await expect(roundTrip([committeeEntry()], 1)).rejects.toThrow(InternalError);
    world.keyServers.committee.setDown([0, 2]);
    expect(await roundTrip([committeeEntry()], 1)).toEqual(secret);
  });

  it('is denied by the members, even when two of them are stopped', async () => {
    const stranger = new Ed25519Keypair();
    world.state.evaluations = 0;
    await expect(roundTrip([committeeEntry()], 1, stranger)).rejects.toThrow(NoAccessError);
    expect(world.state.evaluations).toBe(5);
    world.keyServers.committee.setDown([0, 1]);
    await expect(roundTrip([committeeEntry()], 1, stranger)).rejects.toThrow(NoAccessError);
  });

  it.each<[string, (keys: DecryptionKeys['decryption_keys']) => unknown]>([
    ['no key', () => []],
    ['its share of another identity', ([key]) => [{ ...key, id: key!.id.toReversed() }]],
    ['a share that is not its own', ([key]) => [{ ...key, encrypted_key: key!.encrypted_key.toReversed() }]],
    ['no points', ([key]) => [{ ...key, encrypted_key: ['AAAA', 'AAAA'] }]],
  ])('works without a member that responds with %s', async (_what, lie) => {
    const lying = new Set(['0', '3']);
    world.state.rewrite = (path, answer) => {
      const member = /members\/(\d)/.exec(path)?.[1];
      if (!member || !lying.has(member)) return answer;
      return { decryption_keys: lie((answer as DecryptionKeys).decryption_keys) };
    };
    expect(await roundTrip([committeeEntry()], 1)).toEqual(secret);
    lying.add('4');
    await expect(roundTrip([committeeEntry()], 1)).rejects.toThrow(InternalError);
  });

  it('passes a gateway only with the configured API key', async () => {
    world.keyServers.committee.requireApiKey({ name: 'X-Seal-Key', key: 'the key' });
    await expect(roundTrip([committeeEntry()], 1)).rejects.toThrow(GeneralError);
    const wrong = committeeEntry({ apiKeyName: 'X-Seal-Key', apiKey: 'another' });
    await expect(roundTrip([wrong], 1)).rejects.toThrow(GeneralError);
    const right = committeeEntry({ apiKeyName: 'X-Seal-Key', apiKey: 'the key' });
    expect(await roundTrip([right], 1)).toEqual(secret);
  });

  it('rejects a committee without aggregatorUrl, and an independent server with one', async () => {
    const { aggregatorUrl, ...without } = committeeEntry();
    await expect(client([without]).getKeyServers()).rejects.toThrow('requires aggregatorUrl');
    await expect(client([{ ...independent(0), aggregatorUrl }]).getKeyServers()).rejects.toThrow(
      'should not have aggregatorUrl',
    );
  });
});

describe('the aggregator', () => {
  it('has no proof of possession, nor do its members', async () => {
    const { objectId } = committeeEntry();
    for (const path of ['/committee', '/committee/members/0']) {
      const url = `${world.baseUrl}${path}/v1/service?service_id=${objectId}`;
      const response = await fetch(url, { headers: { 'client-sdk-version': '1.4.12' } });
      expect(response.status).toBe(400);
      expect(await response.json()).toMatchObject({ error: 'InvalidServiceId' });
      expect(response.headers.get('x-keyserver-version')).toBeTruthy();
    }
  });

  it("rejects requests that no member would serve, with the members' own error name", async () => {
    const response = await fetch(`${world.baseUrl}/committee/v1/fetch_key`, {
      method: 'POST',
      headers: { 'client-sdk-version': '1.4.12', 'content-type': 'application/json' },
      body: '{}',
    });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: 'MalformedRequest' });
  });
});

describe('shares of a key', () => {
  const { Point: G1 } = bls12_381.G1;
  const { Point: G2 } = bls12_381.G2;
  const coefficients = [0, 1, 2].map((k) => deriveMasterKey(new Uint8Array(32).fill(9), k));
  const masterKey = coefficients[0]!;
  const shares = shareKey(coefficients, 5);
  const secretKey = 12_345n;
  const encKey = G1.BASE.multiply(secretKey);
  const encVerificationKey = G2.BASE.multiply(secretKey);
  const fullId = new Uint8Array(88).fill(1);
  const sealed = (partyId: number, share = shares[partyId]!, ofId = fullId) => {
    const [c0, c1] = sealUserKey(share, ofId, encKey).map((bytes) => G1.fromBytes(bytes));
    return { partyId, c0: c0!, c1: c1! };
  };
  const opened = (parties: readonly number[]) => {
    const [c0, c1] = combineShares(parties.map((partyId) => sealed(partyId))).map((bytes) =>
      G1.fromBytes(bytes),
    );
    return c1!.subtract(c0!.multiply(secretKey));
  };

  it('reconstruct the user key from any three shares, but not from two', () => {
    const whole = identityPoint(fullId).multiply(masterKey);
    for (const three of [
      [0, 1, 2],
      [4, 2, 0],
      [1, 3, 4],
    ]) {
      expect(opened(three).equals(whole)).toBe(true);
    }
    expect(opened([0, 1]).equals(whole)).toBe(false);
    expect(shares).not.toContain(masterKey);
  });

  it('are distinguished from other data without a secret', () => {
    const memberKey = G2.fromBytes(masterPublicKey(shares[1]!));
    const about = { fullId, encVerificationKey, memberKey };
    expect(isTrueShare(sealed(1), about)).toBe(true);
    expect(isTrueShare(sealed(1, shares[2]!), about)).toBe(false);
    expect(isTrueShare(sealed(1, shares[1]!, new Uint8Array(88)), about)).toBe(false);
    const forOther = { ...about, encVerificationKey: G2.BASE.multiply(9n) };
    expect(isTrueShare(sealed(1), forOther)).toBe(false);
    expect(isTrueShare({ ...sealed(1), c0: G1.ZERO }, about)).toBe(false);
  });
});
