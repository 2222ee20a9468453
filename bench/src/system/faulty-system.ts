import { randomBytes } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { type Fault, type FaultProxy, startFaultProxy } from '@memrelay/dev-env/fault-proxy';
import { startTestNetwork, type TestNetwork } from '@memrelay/dev-env/test-network';
import { createTestOwner } from '@memrelay/dev-env/test-owner';
import { startTestRelayer, type TestRelayer } from '@memrelay/dev-env/test-relayer';
import type { MemRelay } from '@memrelay/sdk/mem-relay';
import { type Services, startServices } from './memrelay-system.ts';
import { pidOf } from './processes.ts';

/** A system whose publisher and sidecar fail on demand. */
export interface FaultySystem {
  client: MemRelay;
  /** Sets how the publisher fails uploads; undefined makes it store them */
  publisher(fault: Fault | undefined): void;
  /** Makes each upload take up to this long, until the returned function is called */
  slowPublisher(ms: number): () => void;
  /**
   * Kills the sidecar with `kill -9` this long after each start, until the returned function is called. That returns the number
   * of kills. The relayer stops with the sidecar and is restarted immediately.
   */
  killSidecarEvery(ms: number): () => Promise<number>;
  stop(): Promise<void>;
}

/** Starts the system on Postgres and Redis, with quilts. The relayer is restarted whenever it stops, as a platform would. */
export async function startFaultySystem(): Promise<FaultySystem> {
  const opened: (() => Promise<unknown>)[] = [];
  const stop = async (): Promise<void> => {
    for (const close of opened.splice(0).reverse()) await close();
  };
  try {
    const services: Services = await startServices();
    opened.push(services.stop);
    const network: TestNetwork = await startTestNetwork();
    opened.push(network.close);
    const proxy: FaultProxy = await startFaultProxy(network.blobstoreUrl);
    opened.push(proxy.close);
    const key = (): string => randomBytes(32).toString('hex');
    const relayer: TestRelayer = await startTestRelayer(network, {
      ...services,
      keys: { MEM_SERVER_SECRET: key(), MEM_INDEX_KEY: key(), MEM_WRITER_KEYS: key() },
      environment: { STORE_PUBLISHER_URL: proxy.url, STORE_QUILT_MAX_ITEMS: '20' },
    });
    let ended = false;
    const kept = (async () => {
      while (!ended) {
        await relayer.part().ended;
        // A relayer whose sidecar was killed before it was ready is restarted
        while (!ended && (await relayer.start().catch((error: unknown) => error)));
      }
    })();
    opened.push(async () => {
      ended = true;
      await relayer.stop();
      await kept;
    });
    const owner = await createTestOwner(network);
    const client = owner.client(relayer.url, { namespace: 'bench' });
    opened.push(async () => client.destroy());
    const publisher: FaultySystem['publisher'] = (kind) => {
      proxy.fault = kind === undefined ? undefined : { method: 'PUT', kind };
    };
    return {
      client,
      publisher,
      slowPublisher(ms) {
        publisher('hold-answer');
        const timer = setInterval(() => proxy.release(), ms);
        return () => {
          clearInterval(timer);
          publisher(undefined);
          proxy.release();
        };
      },
      killSidecarEvery(ms) {
        let kills = 0;
        let over = false;
        const killing = (async () => {
          for (;;) {
            await wait(ms);
            if (over) return;
            const before = relayer.part();
            process.kill(pidOf('sidecar'), 'SIGKILL');
            kills += 1;
            while (relayer.part() === before) await wait(20);
          }
        })();
        return async () => {
          over = true;
          await killing;
          return kills;
        };
      },
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}
