import { toHex } from '@memrelay/protocol/bytes';
import { NoAccessError } from '@mysten/seal';
import { Ed25519Keypair } from '@mysten/sui/keypairs/ed25519';
import { Secp256k1Keypair } from '@mysten/sui/keypairs/secp256k1';
import { Secp256r1Keypair } from '@mysten/sui/keypairs/secp256r1';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { deriveMasterKey } from '../src/key-servers/master-key.ts';
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
});

async function encrypt(innerId = id): Promise<Uint8Array> {
  const { encryptedObject } = await world
    .sealClient()
    .encrypt({ threshold: 2, packageId, id: toHex(innerId), data: secret });
  return encryptedObject;
}

describe('master keys', () => {
  it("are derived as Seal's server derives them (its regression vector)", () => {
    expect(deriveMasterKey(new Uint8Array(32).fill(1), 42).toString(16)).toBe(
      '17d496df95e12b5caec0c4a15b09a5ea41b4fb1cf3ba28f1c6c72556846a6db6',
    );
  });

  it('are not derived from a seed of another length', () => {
    expect(() => deriveMasterKey(new Uint8Array(31), 0)).toThrow(RangeError);
  });
});

describe('the unmodified Seal client', () => {
  it('verifies the proof of possession', async () => {
    const servers = await world.sealClient(true).getKeyServers();
    expect([...servers.values()].map((server) => server.url)).toEqual([
      `${world.baseUrl}/key/0`,
      `${world.baseUrl}/key/1`,
    ]);
  });

  it.each([
    ['Ed25519', owner],
    ['Secp256k1', new Secp256k1Keypair()],
    ['Secp256r1', new Secp256r1Keypair()],
  ])('decrypts with a session signed by a %s key', async (_scheme, signer) => {
    world.state.allow = (sender) => sender === signer.toSuiAddress();
    const sessionKey = await world.session(signer);
    const txBytes = await approveAll([id]);
    const data = await encrypt();
    expect(await world.sealClient().decrypt({ data, sessionKey, txBytes })).toEqual(secret);
  });

  it('gets several keys with one request, and none when one of them is denied', async () => {
    const ids = [1, 2, 3].map((byte) => new Uint8Array(56).fill(byte));
    const sessionKey = await world.session(owner);
    const client = world.sealClient();
    const request = {
      ids: ids.map((each) => toHex(each)),
      txBytes: await approveAll(ids),
      sessionKey,
      threshold: 2,
    };
    world.state.evaluations = 0;
    await client.fetchKeys(request);
    expect(world.state.evaluations).toBe(2);

    world.state.allow = (_sender, hex) => hex !== toHex(ids[2]!);
    await expect(world.sealClient().fetchKeys(request)).rejects.toThrow(NoAccessError);
  });

  it('denies a stranger, even right after serving the owner', async () => {
    const data = await encrypt();
    const txBytes = await approveAll([id]);
    await world.sealClient().decrypt({ data, sessionKey: await world.session(owner), txBytes });
    const stranger = await world.session(new Ed25519Keypair());
    await expect(world.sealClient().decrypt({ data, sessionKey: stranger, txBytes })).rejects.toThrow(
      NoAccessError,
    );
  });

  it('denies every request after a revocation', async () => {
    const data = await encrypt();
    const txBytes = await approveAll([id]);
    const sessionKey = await world.session(owner);
    await world.sealClient().decrypt({ data, sessionKey, txBytes });
    world.state.allow = () => false;
    await expect(world.sealClient().decrypt({ data, sessionKey, txBytes })).rejects.toThrow(NoAccessError);
  });
});

describe('registration', () => {
  it('keeps its ids when the address changes', () => {
    const [a, b] = ['http://127.0.0.1:1', 'http://127.0.0.1:2'].map((url) => world.keyServers.genesis(url));
    expect(a!.objects).toEqual(b!.objects);
    expect(a!.fields[0]!.value).not.toEqual(b!.fields[0]!.value);
    expect(world.keyServers.info('http://x')).toEqual(
      world.keyServers.servers.map(({ objectId }, n) => ({ objectId, weight: 1, url: `http://x/key/${n}` })),
    );
  });
});
