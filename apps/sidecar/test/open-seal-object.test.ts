import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { DemType, EncryptedObject, SealClient } from '@mysten/seal';
import { bcs } from '@mysten/sui/bcs';
import { bls12_381 } from '@noble/curves/bls12-381.js';
import { bytesToNumberBE } from '@noble/curves/utils.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { combineShares } from '../src/seal/combine-shares.ts';
import { prepareSealObject, type UserKey } from '../src/seal/open-seal-object.ts';
import { offlineClient, type ServerSnapshot } from '../src/seal/server-snapshot.ts';
import { sealClientVersion } from '../src/seal/unverified-keys.ts';

const { G1, G2, utils } = bls12_381;
const packageId = `0x${'7'.repeat(64)}`;
const id = 'ab'.repeat(56);
const content = new Uint8Array(randomBytes(32));

interface Server {
  objectId: string;
  weight: number;
  masterKey: bigint;
}

const keyServerObject = bcs.struct('KeyServer', {
  id: bcs.Address,
  firstVersion: bcs.u64(),
  lastVersion: bcs.u64(),
});
const keyServerVersion = bcs.struct('KeyServerV1', {
  name: bcs.string(),
  url: bcs.string(),
  keyType: bcs.u8(),
  pk: bcs.byteVector(),
});

function makeServers(weights: readonly number[]): Server[] {
  return weights.map((weight) => ({
    objectId: `0x${randomBytes(32).toString('hex')}`,
    weight,
    masterKey: bytesToNumberBE(utils.randomSecretKey()),
  }));
}

function snapshotOf(servers: readonly Server[], threshold: number): ServerSnapshot {
  const publicKey = ({ masterKey }: Server) => G2.Point.BASE.multiply(masterKey).toBytes();
  return {
    packageId,
    threshold,
    servers,
    contents: new Map(
      servers.map(({ objectId }) => [
        objectId,
        keyServerObject.serialize({ id: objectId, firstVersion: 1, lastVersion: 1 }).toBytes(),
      ]),
    ),
    versions: new Map(
      servers.map((server) => [
        server.objectId,
        keyServerVersion
          .serialize({ name: '', url: 'http://127.0.0.1', keyType: 0, pk: publicKey(server) })
          .toBytes(),
      ]),
    ),
    publicKeys: new Map(),
    urls: new Map(),
  };
}

async function seal(servers: readonly Server[], threshold: number, demType = DemType.AesGcm256) {
  const suiClient = offlineClient(snapshotOf(servers, threshold));
  const serverConfigs = servers.map(({ objectId, weight }) => ({ objectId, weight }));
  const client = new SealClient({ suiClient, serverConfigs });
  const { encryptedObject } = await client.encrypt({ threshold, packageId, id, data: content, demType });
  return encryptedObject;
}

function userKeysOf(servers: readonly Server[], of = id): Map<string, UserKey> {
  const fullId = Buffer.from(packageId.slice(2) + of, 'hex');
  const point = G1.hashToCurve(Buffer.concat([Buffer.from('SUI-SEAL-IBE-BLS12381-00'), fullId]));
  return new Map(
    servers.map(({ objectId, masterKey }) => [
      objectId,
      G1.Point.fromAffine(point.toAffine()).multiply(masterKey),
    ]),
  );
}

describe("objects of Seal's client", () => {
  it('are opened with the keys of servers of enough weight, and with no fewer', async () => {
    const sets = fc.array(fc.integer({ min: 1, max: 3 }), { minLength: 1, maxLength: 4 }).chain((weights) =>
      fc.record({
        weights: fc.constant(weights),
        threshold: fc.integer({ min: 1, max: weights.reduce((sum, weight) => sum + weight, 0) }),
        asked: fc.subarray(weights.map((_, i) => i)),
      }),
    );
    await fc.assert(
      fc.asyncProperty(sets, async ({ weights, threshold, asked }) => {
        const servers = makeServers(weights);
        const object = prepareSealObject(await seal(servers, threshold));
        const keys = userKeysOf(asked.map((i) => servers[i]!));
        const weight = asked.reduce((sum, i) => sum + weights[i]!, 0);
        if (weight >= threshold) expect(object.open(keys)).toEqual(content);
        else expect(() => object.open(keys)).toThrow('too few shares');
      }),
      { numRuns: 15 },
    );
  });

  it('are not opened with a key of another identity or server', async () => {
    const servers = makeServers([1, 1]);
    const object = prepareSealObject(await seal(servers, 2));
    const right = userKeysOf(servers);
    for (const wrong of [userKeysOf(servers, 'cd'.repeat(56)), userKeysOf(makeServers([1]))]) {
      const [key] = wrong.values();
      expect(() => object.open(new Map([...right, [servers[0]!.objectId, key!]]))).toThrow();
    }
    expect(() => object.open(new Map([...right, [servers[0]!.objectId, G1.Point.ZERO]]))).toThrow();
    expect(object.open(right)).toEqual(content);
  });

  it('are not opened after any part was changed', async () => {
    const servers = makeServers([1, 1]);
    const keys = userKeysOf(servers);
    const bytes = await seal(servers, 2);
    const { encryptedShares, ciphertext } = EncryptedObject.parse(bytes);
    const { nonce, encryptedShares: shares, encryptedRandomness } = encryptedShares.BonehFranklinBLS12381!;
    const parts = [nonce, ...shares, encryptedRandomness, ciphertext.Aes256Gcm!.blob];
    for (const part of parts) {
      const at = Buffer.from(bytes).indexOf(Buffer.from(part));
      for (const offset of [0, part.length >> 1, part.length - 1]) {
        const changed = new Uint8Array(bytes);
        changed[at + offset]! ^= 1;
        expect(() => prepareSealObject(changed).open(keys)).toThrow();
      }
    }
    expect(prepareSealObject(bytes).open(keys)).toEqual(content);
  });

  it("are left to Seal's client in the other mode of encryption", async () => {
    const bytes = await seal(makeServers([1]), 1, DemType.Hmac256Ctr);
    expect(() => prepareSealObject(bytes)).toThrow('AES-256-GCM');
  });
});

it('combines no shares with equal or unusable indexes', () => {
  const share = (index: number) => ({ index, bytes: new Uint8Array(32) });
  for (const indexes of [[1, 1], [0], [256], [1.5]])
    expect(() => combineShares(indexes.map(share))).toThrow(RangeError);
});

it("states the version of Seal's client that it was written after", () => {
  const main = createRequire(import.meta.url).resolve('@mysten/seal');
  const { version } = JSON.parse(readFileSync(new URL('../package.json', `file://${main}`), 'utf8'));
  expect(sealClientVersion).toBe(version);
});
