import { readAccount } from '@memrelay/chain/account-reader';
import { parseHeader } from '@memrelay/envelope/header';
import { nodePrimitives } from '@memrelay/envelope/node-primitives';
import { openBody } from '@memrelay/envelope/open-envelope';
import { NoAccessError } from '@mysten/seal';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type FaultyWorld, startFaultyWorld } from '../../src/faulty-world.ts';
import { createSealReader } from '../../src/seal-reader.ts';
import type { TestNetwork } from '../../src/test-network.ts';
import { createTestOwner, newTestKey } from '../../src/test-owner.ts';
import type { TestRelayer } from '../../src/test-relayer.ts';

/**
 * Tests what a revoked delegate can still do if it has prepared for the revocation by keeping its sessions and every key it
 * ever received.
 */

let world: FaultyWorld;
let network: TestNetwork;
let relayer: TestRelayer;
beforeAll(async () => {
  world = await startFaultyWorld();
  ({ network, relayer } = world);
});
afterAll(() => world?.close());

/** Blobs are public: anyone can fetch one without the relayer. */
async function envelopeOf(blobId: string): Promise<Uint8Array> {
  return new Uint8Array(await (await fetch(`${network.blobstoreUrl}/v1/blobs/${blobId}`)).arrayBuffer());
}

function textOf(envelope: Uint8Array, privateKey: Uint8Array): string {
  const header = parseHeader(envelope, envelope.length);
  return openBody(nodePrimitives, { header, bytes: envelope }, privateKey, () => true).text;
}

test('cannot read anything stored after its revocation with anything it kept', async () => {
  const owner = await createTestOwner(network);
  const spy = newTestKey();
  await owner.addDelegate(spy);
  const { accountId } = owner;
  const chainState = await readAccount(network.chain, network.info.packageId, accountId);
  const account = { accountId, initialSharedVersion: chainState!.initialSharedVersion };

  const client = owner.client(relayer.url);
  const asSpy = owner.client(relayer.url, { key: spy.privateKey, maxAttempts: 1 });
  const early = await envelopeOf((await client.rememberAndWait('what the spy saw')).blobId);
  const kept = await createSealReader(network, spy.privateKey, account);
  const keptKey = await kept.privateKeyOf(early);
  expect(textOf(early, keptKey)).toBe('what the spy saw');
  await expect
    .poll(async () => (await asSpy.recall('spy', { minScore: -1 })).results.length, { timeout: 10_000 })
    .toBe(1);

  await owner.removeDelegate(spy);
  const revokedAt = performance.now();
  // The local key servers refuse immediately, for a new session and for an identity that was served before
  const again = await createSealReader(network, spy.privateKey, account);
  await expect(again.privateKeyOf(early)).rejects.toThrow(NoAccessError);
  await expect
    .poll(() => asSpy.recall('spy').catch(({ code }: { code: string }) => code), { timeout: 5_000 })
    .toBe('unknown_delegate_key');
  await expect(asSpy.remember('from the spy')).rejects.toMatchObject({ code: 'unknown_delegate_key' });
  // From then on, a relayer seals in the new epoch
  let late: Uint8Array;
  do {
    const { blobId } = await client.rememberAndWait(`what the spy must not see, ${performance.now()}`);
    late = await envelopeOf(blobId);
    expect(performance.now() - revokedAt).toBeLessThan(15_000);
  } while (parseHeader(late, late.length).keyEpoch === 0n);

  expect(parseHeader(late, late.length).keyEpoch).toBe(1n);
  expect(() => textOf(late, keptKey)).toThrow('the private key does not match recipient_pk');
  for (const reader of [kept, again]) await expect(reader.privateKeyOf(late)).rejects.toThrow(NoAccessError);
  // It can still read earlier memories of its scope, as docs/security.md says
  expect(textOf(early, keptKey)).toBe('what the spy saw');
  expect(
    textOf(
      late,
      await (await createSealReader(network, owner.wallet.privateKey, account)).privateKeyOf(late),
    ),
  ).toContain('must not see');
  client.destroy();
  asSpy.destroy();
});

test('stores what a revoked delegate has queued for the owner, and lets the delegate read nothing', async () => {
  const owner = await createTestOwner(network);
  const spy = newTestKey();
  await owner.addDelegate(spy);
  const client = owner.client(relayer.url);
  const asSpy = owner.client(relayer.url, { key: spy.privateKey, maxAttempts: 1 });
  const { blobId } = await client.rememberAndWait('a text that the spy guesses');
  world.provider.fault = 503;
  await expect
    .poll(async () => (await asSpy.account().catch(() => undefined))?.active, { timeout: 10_000 })
    .toBe(true);
  const { jobIds: queued } = await asSpy.rememberBulk([
    { text: 'a text that the spy guesses' },
    { text: 'a text of its own' },
  ]);
  await owner.removeDelegate(spy);
  const refusal = (call: () => Promise<unknown>) =>
    call().then(
      () => 'allowed',
      ({ code }: { code: string }) => code,
    );
  await expect.poll(() => refusal(() => asSpy.account()), { timeout: 5_000 }).toBe('unknown_delegate_key');
  world.heal();
  // It was accepted, so it is stored: only the owner can see the outcome
  const [guessed, own] = await client.waitForJobs(queued);
  expect(guessed).toMatchObject({ status: 'done', blobId, deduplicated: true });
  expect(own).toMatchObject({ status: 'done' });
  for (const call of [
    () => asSpy.job(queued[0]!),
    () => asSpy.jobs(queued),
    () => asSpy.retryJob(queued[0]!),
    () => asSpy.recall('guess'),
    () => asSpy.memoriesPage(),
    () => asSpy.stats(),
    () => asSpy.forgetEverything(),
  ])
    expect(await refusal(call)).toBe('unknown_delegate_key');
  expect((await client.recall('a text of its own', { minScore: -1 })).results).toHaveLength(2);
  client.destroy();
  asSpy.destroy();
});
