import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { accountForPayments } from '../upload-faults/account-for-payments.ts';
import { checkDone } from '../upload-faults/check-memories.ts';
import { type Kill, kill } from '../upload-faults/kills.ts';
import type { Drain } from '../upload-faults/payments.ts';
import { runUploads } from '../upload-faults/run-uploads.ts';
import { startUploadWorld, type UploadWorld } from '../upload-faults/upload-world.ts';

/** The short form of `npm run faults:uploads`, with kills at moments that random ones rarely hit. */
const hasPostgres =
  process.env.MEMRELAY_TEST_DATABASE_URL !== undefined && process.env.MEMRELAY_TEST_BACKEND !== 'embedded';

describe.runIf(hasPostgres)('an upload', () => {
  let world: UploadWorld;
  const jobIds: string[] = [];
  const kills: Kill[] = [];
  beforeAll(async () => {
    world = await startUploadWorld({ path: 'relay', relayers: 1, wallets: 3, answerDelayMs: () => 0 });
  });
  afterAll(() => world?.close());

  /**
   * Stores one memory, and kills the sidecar when the chain has executed one of its transactions but the response is held
   * back.
   */
  async function killBeforeResponse(
    transaction: 'registration' | 'certification',
    beforeKill?: (wallet: string) => Promise<void>,
  ): Promise<void> {
    const client = world.owner.client(world.relayers[0]!.url);
    const held = world.watch.holdAnswer(transaction === 'registration' ? 0 : 1);
    const { jobId } = await client.remember(`memory ${jobIds.length} whose sidecar is killed`);
    jobIds.push(jobId);
    await held;
    const { rows } = await world.database.query(
      "SELECT checkpoint->>'wallet' AS wallet FROM memory_job WHERE id = $1",
      [jobId],
    );
    await beforeKill?.(rows[0].wallet);
    const number = kills.length + 1;
    kills.push(await kill(world, { number, victim: 'sidecar', relayer: 0, freesLeases: true }));
    await client.waitForJob(jobId, { timeoutMs: 20_000 });
    client.destroy();
  }

  /** The payments for all memories so far */
  async function paid(drain?: Drain) {
    const broken: string[] = [];
    const stored = await checkDone(world, jobIds, broken);
    const { payments, leftInWallets } = await accountForPayments(world, { stored, kills, drain });
    expect([...broken, ...payments.broken]).toEqual([]);
    return { extras: payments.extras, leftInWallets };
  }

  test.each(['registration', 'certification'] as const)(
    'continues with the same wallet when the sidecar dies after its %s took effect, and pays nothing twice',
    async (transaction) => {
      await killBeforeResponse(transaction);
      expect(await paid()).toEqual({ extras: [], leftInWallets: 0 });
    },
  );

  test.each([
    { refused: 'unexecuted', payer: 'another wallet pays' },
    { refused: 'executed', payer: 'the same wallet continues' },
  ] as const)(
    'whose registration the chain rejects ($refused): $payer, and nothing is paid twice',
    async ({ refused }) => {
      const client = world.owner.client(world.relayers[0]!.url);
      const before = world.watch.senders.length;
      world.watch.refuseNext = refused;
      const { jobId } = await client.remember(`memory ${jobIds.length} whose registration is refused`);
      jobIds.push(jobId);
      await client.waitForJob(jobId, { timeoutMs: 20_000 });
      client.destroy();
      const [first, ...others] = world.watch.senders.slice(before);
      expect(new Set(others).size).toBe(1);
      expect(others.includes(first!)).toBe(refused === 'executed');
      expect(await paid()).toEqual({ extras: [], leftInWallets: 0 });
    },
  );

  test('moves to another wallet when the sidecar dies and the first wallet is emptied, and accounts for the leftover object', async () => {
    let drain: Drain | undefined;
    await killBeforeResponse('registration', async (wallet) => {
      drain = { wallet, digest: await world.drain(wallet), atMs: Date.now() };
    });
    const { extras, leftInWallets } = await paid(drain);
    expect(extras).toMatchObject([{ wallet: drain!.wallet, certified: false, holder: 'wallet' }]);
    expect(leftInWallets).toBe(1);
    expect(world.watch.overlaps).toEqual([]);
  });
});

test.runIf(hasPostgres).concurrent.each(['relay', 'publisher'] as const)(
  'stores each memory once and restores all when the sidecar is killed during %s uploads',
  async (path) => {
    const result = await runUploads({
      path,
      memories: 8,
      kills: 1,
      victims: ['sidecar'],
      relayers: 1,
      freesLeases: true,
      wallets: 3,
      drain: true,
      answerDelayMs: 150,
      seed: 3,
      onProgress: () => undefined,
    });
    expect(result.broken).toEqual([]);
    expect(result).toMatchObject({ done: 8, recalled: 8, restored: 8, overlaps: 0 });
  },
  120_000,
);
