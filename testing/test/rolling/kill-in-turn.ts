import { setTimeout as pause } from 'node:timers/promises';
import { PartStartError } from '@memrelay/process/start-part';
import { MemRelayError } from '@memrelay/sdk/errors';
import { startNginx } from '../../src/services/nginx.ts';
import type { TestBackend } from '../../src/test-backend.ts';
import { startTestNetwork } from '../../src/test-network.ts';
import { createTestOwner } from '../../src/test-owner.ts';
import { startTestRelayer, type TestRelayer } from '../../src/test-relayer.ts';
import { countFound } from '../drills/count-found.ts';
import { startSteadyWriter } from '../drills/steady-writer.ts';
import { startToolSession } from './tool-session.ts';

export interface KillInTurnOptions {
  backend: Pick<TestBackend, 'databaseUrl' | 'redisUrl' | 'keys'>;
  kills: number;
  /** From the moment at which both relayers run until the next kill; longer than `fail_timeout` of nginx */
  pauseMs: number;
}

export interface KillInTurnResult {
  kills: number;
  acknowledged: number;
  /** Acknowledged writes that are not found at the end, or more than once */
  lost: number;
  duplicates: number;
  /** Reads that failed in spite of the retries of the SDK */
  failedReads: string[];
  reads: number;
  tools: { calls: number; reconnects: number; broken: readonly string[] };
}

/** Runs two relayers, each with its sidecar, behind nginx, and kills one of them in turn under load. */
export async function killInTurn(options: KillInTurnOptions): Promise<KillInTurnResult> {
  await using cleanup = new AsyncDisposableStack();
  const network = cleanup.adopt(await startTestNetwork(), (each) => each.close());
  const start = async (): Promise<TestRelayer> =>
    cleanup.adopt(
      await startTestRelayer(network, { ...options.backend, environment: { TRUSTED_PROXY_HOPS: '1' } }),
      (each) => each.stop(),
    );
  const relayers = await Promise.all([start(), start()]);
  const [first, second] = relayers;
  const nginx = cleanup.adopt(await startNginx([first.url, second.url]), (each) => each.stop());
  const owner = await createTestOwner(network);
  const client = () => owner.client(nginx.url, { timeoutMs: 60_000, maxAttempts: 20 });
  const writer = startSteadyWriter(client());
  const reader = startReader(client());
  const tools = await startToolSession(nginx.url, owner);
  let kills = 0;
  for (; kills < options.kills; kills++) {
    await pause(options.pauseMs);
    const before = writer.acknowledged.length;
    const victim = relayers[kills % 2]!;
    await victim.kill();
    // Writes go on while it is away
    await writer.reached(before + 3);
    await startAgain(victim);
  }
  await tools.stop();
  await reader.stop();
  await writer.stop();
  const all = [...writer.acknowledged];
  const checking = client();
  await checking.waitForJobs(
    all.map(({ jobId }) => jobId),
    { timeoutMs: 240_000 },
  );
  const found = await countFound(checking, all);
  checking.destroy();
  const { calls, reconnects, broken } = tools;
  return {
    kills,
    acknowledged: all.length,
    ...found,
    ...reader.result(),
    tools: { calls, reconnects, broken },
  };
}

/** As a platform does: a busy machine may not let a relayer reach everything it needs in time. */
async function startAgain(relayer: TestRelayer): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await relayer.start();
    } catch (error) {
      if (!(error instanceof PartStartError) || attempt === maxStarts) throw error;
    }
  }
}

const maxStarts = 10;

/** Between two calls of the reader, so that the relayers have time for the writer */
const betweenReadsMs = 50;

/** An app that recalls all the time. */
function startReader(client: ReturnType<Awaited<ReturnType<typeof createTestOwner>>['client']>) {
  let stopping = false;
  let reads = 0;
  const failedReads: string[] = [];
  const running = (async () => {
    while (!stopping) {
      try {
        await client.recall('sentence', { namespace: 'drill 0' });
        reads += 1;
      } catch (error) {
        if (!(error instanceof MemRelayError)) throw error;
        failedReads.push(error.code);
      }
      await pause(betweenReadsMs);
    }
  })();
  return {
    result: () => ({ reads, failedReads }),
    async stop() {
      stopping = true;
      await running;
      client.destroy();
    },
  };
}
