import { inspect } from 'node:util';
import { SessionKey } from '@mysten/seal';
import type { ClientWithCoreApi } from '@mysten/sui/client';
import { decodeSuiPrivateKey, type Keypair } from '@mysten/sui/cryptography';
import { RpcError } from '@mysten/sui/grpc';
import { Ed25519Keypair } from '@mysten/sui/keypairs/ed25519';
import { Secp256k1Keypair } from '@mysten/sui/keypairs/secp256k1';
import { Secp256r1Keypair } from '@mysten/sui/keypairs/secp256r1';
import { MultiSigPublicKey } from '@mysten/sui/multisig';
import { getZkLoginSignature, toZkLoginPublicIdentifier } from '@mysten/sui/zklogin';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSessionReader } from '../src/seal/session.ts';
import { createSessionMaker } from '../src/seal/session-maker.ts';
import { identityOf, refOf, type SealWorld, startSealWorld } from './seal-world.ts';

let world: SealWorld;
let packageId: string;
const owner = new Ed25519Keypair();
const stranger = new Ed25519Keypair();

beforeAll(async () => {
  world = await startSealWorld();
  packageId = world.packageId;
});
afterAll(() => world.close());

type Exported = Record<string, unknown>;

/** The fields of a session exported by a client. */
async function exported(signer: Keypair, ttlMin = 10): Promise<Exported> {
  const address = signer.toSuiAddress();
  const session = await SessionKey.create({ address, packageId, ttlMin, signer, suiClient: world.client });
  await session.getCertificate();
  return { ...session.export() };
}

function encode(fields: unknown): string {
  return Buffer.from(JSON.stringify(fields)).toString('base64');
}

/** `ok`, or the code and reason of the refusal. */
async function read(header: string, options: { signer?: string; owner?: string; now?: number } = {}) {
  const reader = createSessionReader({ packageId, now: () => options.now ?? Date.now() });
  const holders = {
    signerAddress: options.signer ?? stranger.toSuiAddress(),
    ownerAddress: options.owner ?? owner.toSuiAddress(),
  };
  return reader.fromHeader(header, holders).then(
    () => 'ok',
    (error) => `${error.code} ${error.details.reason}`,
  );
}

describe('x-enc-session', () => {
  it.each([
    ['Ed25519', owner],
    ['Secp256k1', new Secp256k1Keypair()],
    ['Secp256r1', new Secp256r1Keypair()],
  ])('signed by a %s wallet', async (_scheme, wallet) => {
    expect(await read(encode(await exported(wallet)), { owner: wallet.toSuiAddress() })).toBe('ok');
  });

  it('signed by a multisig wallet', async () => {
    const keys = [new Ed25519Keypair(), new Secp256k1Keypair()];
    const wallet = MultiSigPublicKey.fromPublicKeys({
      threshold: 2,
      publicKeys: keys.map((key) => ({ publicKey: key.getPublicKey(), weight: 1 })),
    });
    const address = wallet.toSuiAddress();
    const session = await SessionKey.create({ address, packageId, ttlMin: 5, suiClient: world.client });
    const message = session.getPersonalMessage();
    const parts = await Promise.all(keys.map((key) => key.signPersonalMessage(message)));
    await session.setPersonalMessageSignature(
      wallet.combinePartialSignatures(parts.map((part) => part.signature)),
    );
    expect(await read(encode({ ...session.export() }), { owner: address })).toBe('ok');
  });

  it('signed by a zkLogin wallet, which only the chain can verify', async () => {
    const inputs = {
      proofPoints: {
        a: ['1', '2', '1'],
        b: [
          ['1', '2'],
          ['3', '4'],
          ['1', '0'],
        ],
        c: ['1', '2', '1'],
      },
      issBase64Details: { value: 'yJpc3MiOiJodHRwczovL2FjY291bnRzLmdvb2dsZS5jb20iLC', indexMod4: 1 },
      headerBase64: 'eyJhbGciOiJSUzI1NiIsInR5cCI6IkpXVCJ9',
      addressSeed: '123456789',
    };
    const wallet = toZkLoginPublicIdentifier(123456789n, 'https://accounts.google.com', {
      legacyAddress: false,
    });
    const address = wallet.toSuiAddress();
    const session = await SessionKey.create({ address, packageId, ttlMin: 5, suiClient: world.client });
    const { signature: userSignature } = await owner.signPersonalMessage(session.getPersonalMessage());
    const personalMessageSignature = getZkLoginSignature({ inputs, maxEpoch: 5, userSignature });
    const header = encode({ ...session.export(), personalMessageSignature });

    const answers: [() => unknown, string][] = [
      [() => ({ success: true, errors: [] }), 'ok'],
      [() => ({ success: false, errors: ['expired'] }), 'decrypt_denied'],
      [() => Promise.reject(new RpcError('bad proof', 'INVALID_ARGUMENT')), 'decrypt_denied'],
      [() => Promise.reject(new RpcError('away', 'UNAVAILABLE')), 'decrypt_unavailable'],
    ];
    for (const [verifyZkLoginSignature, expected] of answers) {
      const client = { core: { verifyZkLoginSignature } } as unknown as ClientWithCoreApi;
      const reading = createSessionReader({ packageId, client }).fromHeader(header, {
        signerAddress: address,
        ownerAddress: address,
      });
      expect(
        await reading.then(
          () => 'ok',
          (error) => error.code,
        ),
      ).toBe(expected);
    }
    expect(await read(header, { owner: address })).toBe('decrypt_denied bad_signature');
  });

  it('of the request signer or of the owner, but no one else', async () => {
    const header = encode(await exported(owner));
    expect(await read(header)).toBe('ok');
    expect(await read(header, { signer: owner.toSuiAddress(), owner: stranger.toSuiAddress() })).toBe('ok');
    const refused = await read(header, { owner: stranger.toSuiAddress() });
    expect(refused).toBe('decrypt_denied wrong_address');
  });

  it('is rejected for another caller even after it was verified', async () => {
    const header = encode(await exported(owner));
    const reader = createSessionReader({ packageId });
    const address = owner.toSuiAddress();
    await reader.fromHeader(header, { signerAddress: address, ownerAddress: address });
    const other = stranger.toSuiAddress();
    await expect(
      reader.fromHeader(header, { signerAddress: other, ownerAddress: other }),
    ).rejects.toMatchObject({ code: 'decrypt_denied', status: 403, details: { reason: 'wrong_address' } });
  });

  it('whose signature is forged in any way', async () => {
    const good = await exported(owner);
    const other = await exported(stranger);
    const forgeries: Exported[] = [
      { ...good, personalMessageSignature: other.personalMessageSignature },
      { ...good, personalMessageSignature: 'AAAA' },
      { ...good, personalMessageSignature: '' },
      { ...good, sessionKey: other.sessionKey },
      { ...good, ttlMin: 30 },
      { ...good, creationTimeMs: (good.creationTimeMs as number) + 5000 },
      { ...good, mvrName: '@evil/app' },
      { ...other, address: good.address },
    ];
    for (const forged of forgeries) expect(await read(encode(forged))).toBe('decrypt_denied bad_signature');
  });

  it('that is expired, from the future, or too long', async () => {
    const fields = await exported(owner, 1);
    const header = encode(fields);
    const created = fields.creationTimeMs as number;
    expect(await read(header, { now: created + 49_000 })).toBe('ok');
    expect(await read(header, { now: created + 50_000 })).toBe('decrypt_denied expired');
    expect(await read(header, { now: created - 60_000 })).toBe('ok');
    expect(await read(header, { now: created - 60_001 })).toBe('decrypt_denied not_yet_valid');
    for (const ttlMin of [0, 31, -1]) {
      expect(await read(encode({ ...fields, ttlMin }))).toBe('decrypt_denied bad_ttl');
    }
  });

  it('expires even if it was verified before', async () => {
    const header = encode(await exported(owner, 1));
    let now = Date.now();
    const reader = createSessionReader({ packageId, now: () => now });
    const address = owner.toSuiAddress();
    await reader.fromHeader(header, { signerAddress: address, ownerAddress: address });
    now += 60_000;
    await expect(
      reader.fromHeader(header, { signerAddress: address, ownerAddress: address }),
    ).rejects.toMatchObject({ details: { reason: 'expired' } });
  });

  it('for another package', async () => {
    const fields = { ...(await exported(owner)), packageId: `0x${'cd'.repeat(32)}` };
    expect(await read(encode(fields))).toBe('decrypt_denied wrong_package');
  });

  it('that cannot be read', async () => {
    const good = await exported(owner);
    const { sessionKey: _removed, ...partial } = good;
    const bad = [
      '',
      '%%%',
      encode('text'),
      encode({}),
      encode(partial),
      `${encode(good)} `,
      encode(good).slice(0, -8),
    ];
    bad.push(
      encode({ ...good, ttlMin: '10' }),
      encode({ ...good, sessionKey: new Secp256k1Keypair().getSecretKey() }),
    );
    bad.push(encode({ ...good, padding: 'x'.repeat(20_000) }), encode({ ...good, address: '0x12xy' }));
    for (const header of bad) expect(await read(header)).toBe('decrypt_denied malformed');
  });

  it('opens keys without revealing its own', async () => {
    const account = await world.createAccount(owner);
    const identity = identityOf(account);
    const wrapped = await world.wrap(identity);
    const fields = await exported(owner);
    const address = owner.toSuiAddress();
    const session = await createSessionReader({ packageId }).fromHeader(encode(fields), {
      signerAddress: address,
      ownerAddress: address,
    });
    const [result] = await world.unwrapper.unwrapKeys(session, refOf(account), [{ identity, ...wrapped }]);
    expect(result?.ok).toBe(true);
    const shown = JSON.stringify(session) + inspect(session, { depth: 9, showHidden: true });
    expect(shown).not.toContain(fields.sessionKey as string);
  });
});

describe('a private key as the credential', () => {
  const hexOf = (key: Ed25519Keypair) => Buffer.from(key.getPublicKey().toRawBytes()).toString('hex');
  const seedOf = (key: Ed25519Keypair) =>
    Buffer.from(decodeSuiPrivateKey(key.getSecretKey()).secretKey).toString('hex');

  it('may be 64 hex digits or suiprivkey, and its session is reused', async () => {
    const maker = createSessionMaker({ packageId });
    const a = await maker.fromPrivateKey(owner.getSecretKey(), hexOf(owner).toUpperCase());
    const b = await maker.fromPrivateKey(seedOf(owner), hexOf(owner));
    expect(a).toBe(b);
    expect(a.address).toBe(owner.toSuiAddress());
    expect((await maker.fromPrivateKey(stranger.getSecretKey())).id).not.toBe(a.id);
  });

  it('is replaced before it expires', async () => {
    let now = Date.now();
    const maker = createSessionMaker({ packageId, now: () => now });
    const first = await maker.fromPrivateKey(owner.getSecretKey());
    now += 8 * 60_000;
    expect(await maker.fromPrivateKey(owner.getSecretKey())).toBe(first);
    now += 60_000;
    expect(await maker.fromPrivateKey(owner.getSecretKey())).not.toBe(first);
  });

  it('is replaced after the clock was set back, because key servers refuse sessions from the future', async () => {
    let now = Date.now() + 24 * 3_600_000;
    const maker = createSessionMaker({ packageId, now: () => now });
    const first = await maker.fromPrivateKey(owner.getSecretKey());
    now = Date.now();
    expect(await maker.fromPrivateKey(owner.getSecretKey())).not.toBe(first);
  });

  it('must be the key of the request', async () => {
    const maker = createSessionMaker({ packageId });
    await expect(maker.fromPrivateKey(owner.getSecretKey(), hexOf(stranger))).rejects.toMatchObject({
      code: 'decrypt_denied',
      details: { reason: 'wrong_key' },
    });
  });

  it('is rejected if it is not a key, without echoing the value', async () => {
    const maker = createSessionMaker({ packageId });
    for (const bad of [
      '',
      'abc',
      `0x${seedOf(owner)}`,
      owner.getSecretKey().slice(0, -1),
      new Secp256k1Keypair().getSecretKey(),
    ]) {
      const error = await maker.fromPrivateKey(bad).catch((each) => each);
      expect(error.details).toEqual({ reason: 'malformed' });
      expect(inspect(error)).not.toContain(bad || 'suiprivkey');
    }
  });

  it('creates sessions that our own reader accepts', async () => {
    const session = await createSessionMaker({ packageId }).fromPrivateKey(owner.getSecretKey());
    expect(await read(encode(session.exportKey()))).toBe('ok');
  });
});
