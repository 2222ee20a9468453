import type { EncSession } from '@memrelay/protocol/enc-session';
import { type ExportedSessionKey, type SealCompatibleClient, SessionKey } from '@mysten/seal';
import { Ed25519Keypair } from '@mysten/sui/keypairs/ed25519';
import { verifyPersonalMessageSignature } from '@mysten/sui/verify';
import { describe, expect, it } from 'vitest';
import { createClock } from '../src/wire/clock.ts';
import { createSessionSource } from '../src/wire/enc-session.ts';
import { createSigner, parsePrivateKey } from '../src/wire/signer.ts';
import { errorAnswer, packageId, rejection, startWire, testClient, testKey } from './wire-double.ts';

/** Importing and verifying an Ed25519 session sends no request to the chain. */
const noChain = {} as SealCompatibleClient;
const recalled = { json: { results: [], total: 0 } };

function decode(header: string): EncSession {
  return JSON.parse(Buffer.from(header, 'base64').toString());
}

describe('the session header', () => {
  it('can be imported by Seal, and its signature is verified by Sui', async () => {
    const header = await createSessionSource(createSigner(parsePrivateKey(testKey)), createClock()).header(
      packageId,
    );
    const session = decode(header);
    const imported = SessionKey.import(session as ExportedSessionKey, noChain);
    const address = Ed25519Keypair.fromSecretKey(Buffer.from(testKey, 'hex')).toSuiAddress();
    expect(imported.isExpired()).toBe(false);
    expect(imported.getAddress()).toBe(address);
    const publicKey = await verifyPersonalMessageSignature(
      imported.getPersonalMessage(),
      session.personalMessageSignature,
      { address },
    );
    expect(publicKey.toSuiAddress()).toBe(address);
  });

  it('equals an export of Seal itself, field by field', async () => {
    const keypair = Ed25519Keypair.fromSecretKey(Buffer.from(testKey, 'hex'));
    const ours = decode(
      await createSessionSource(createSigner(parsePrivateKey(testKey)), createClock()).header(packageId),
    );
    const imported = SessionKey.import(
      { ...ours, personalMessageSignature: undefined } as unknown as ExportedSessionKey,
      noChain,
      keypair,
    );
    await imported.getCertificate();
    const { ...theirs } = imported.export();
    // Ed25519 is deterministic, so the same message gives the same signature.
    expect(JSON.parse(JSON.stringify(theirs))).toEqual(ours);
  });

  it('is dated half a minute back, because key servers reject a session from the future', async () => {
    const clock = createClock(() => 1_765_432_100_000);
    const session = decode(
      await createSessionSource(createSigner(parsePrivateKey(testKey)), clock).header(packageId),
    );
    expect(session).toMatchObject({ packageId, ttlMin: 10, creationTimeMs: 1_765_432_070_000 });
  });

  it('is reused until shortly before its end, created once for parallel calls, and new after a reset', async () => {
    let now = 1_765_432_100_000;
    const source = createSessionSource(
      createSigner(parsePrivateKey(testKey)),
      createClock(() => now),
    );
    const [first, parallel] = await Promise.all([source.header(packageId), source.header(packageId)]);
    expect(parallel).toBe(first);
    now += 7 * 60_000;
    expect(await source.header(packageId)).toBe(first);
    now += 2 * 60_000;
    const second = await source.header(packageId);
    expect(decode(second).sessionKey).not.toBe(decode(first!).sessionKey);
    const ends = decode(first!).creationTimeMs + decode(first!).ttlMin * 60_000;
    expect(now).toBeLessThan(ends);
    source.reset();
    expect(await source.header(packageId)).not.toBe(second);
  });
});

describe('a client', () => {
  it('sends the session only with recall', async () => {
    await using wire = await startWire([recalled]);
    const client = testClient(wire.url);
    await client.recall('q');
    await client.remember('t');
    await client.rememberBulk([{ text: 't' }]).catch(() => {});
    await client.recallManual({ vector: [1] });
    await client.account();
    await client.jobs(['a']).catch(() => {});
    await client.health();
    expect(wire.seen.map(({ headers }) => 'x-enc-session' in headers)).toEqual([
      true,
      ...Array(6).fill(false),
    ]);
    expect(wire.seen.at(-1)!.headers).not.toHaveProperty('x-signature');
  });

  it('reads the package once from /config if none is set, in lower case', async () => {
    await using wire = await startWire(({ path }) =>
      path === '/config' ? { json: { packageId: packageId.toUpperCase().replace('0X', '0x') } } : recalled,
    );
    const client = testClient(wire.url, { packageId: undefined });
    await client.recall('q');
    await client.recall('q');
    expect(wire.seen.map(({ path }) => path)).toEqual(['/config', '/api/recall', '/api/recall']);
    const [, first, second] = wire.seen.map(({ headers }) => headers['x-enc-session'] as string);
    expect(decode(first!).packageId).toBe(packageId);
    expect(second).toBe(first);
  });

  it('rejects a /config that names a package other than the pinned one', async () => {
    const other = `0x${'01'.repeat(32)}`;
    await using wire = await startWire((_, number) => ({
      json: { packageId: number === 1 ? packageId : other },
    }));
    const pinnedByFirst = testClient(wire.url, { packageId: undefined });
    await pinnedByFirst.config();
    expect(await rejection(pinnedByFirst.config())).toMatchObject({ code: 'package_mismatch' });
    expect(await rejection(testClient(wire.url).config())).toMatchObject({ code: 'package_mismatch' });
  });

  it("creates a new session by the relayer's clock when the relayer rejects the first", async () => {
    const ahead = new Date(Date.now() + 4 * 60_000).toUTCString();
    await using wire = await startWire([errorAnswer(403, 'decrypt_denied', { date: ahead }), recalled]);
    await testClient(wire.url).recall('q');
    const [first, second] = wire.seen.map(({ headers }) => decode(headers['x-enc-session'] as string));
    expect(second!.creationTimeMs - first!.creationTimeMs).toBeGreaterThan(3.9 * 60_000);
    expect(second!.sessionKey).not.toBe(first!.sessionKey);
  });

  it('does not retry a rejected session when the clocks agree', async () => {
    await using wire = await startWire([errorAnswer(403, 'decrypt_denied')]);
    expect(await rejection(testClient(wire.url).recall('q'))).toMatchObject({ code: 'decrypt_denied' });
    expect(wire.seen).toHaveLength(1);
  });
});

it('a shared session outlives its clients, a separate one does not', async () => {
  const shared = {};
  const source = (cache?: object) =>
    createSessionSource(createSigner(parsePrivateKey(testKey)), createClock(), cache);
  const first = source(shared);
  const header = await first.header(packageId);
  first.release();
  const second = source(shared);
  expect(await second.header(packageId)).toBe(header);
  // A correction of the clock ends the session for all clients
  second.reset();
  expect(await source(shared).header(packageId)).not.toBe(header);

  const own = source();
  const ownHeader = await own.header(packageId);
  own.release();
  expect(await own.header(packageId)).not.toBe(ownHeader);
});
