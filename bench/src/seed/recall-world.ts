import { createClient } from '@redis/client';
import type { Client } from 'pg';
import { wordingsPerFact } from '../base/sentences.ts';
import { benchClient } from '../system/bench-client.ts';
import type { BenchSystem } from '../system/memrelay-system.ts';
import { newKeyPair, rememberTelling } from './seed-memories.ts';
import { skipUploads, untilEmbedded, untilIdle } from './skip-upload.ts';

/** One namespace of the owner to recall from. */
export interface RecallSet {
  name: string;
  namespace: string;
  /** Facts with ten wordings each */
  facts: number;
}

export interface RecallWorld {
  system: BenchSystem;
  sets: RecallSet[];
  /** A namespace whose memories were actually uploaded */
  stored: RecallSet;
  /** The key epoch that a blob was sealed under */
  epochOfBlob: ReadonlyMap<string, number>;
  /** Removes the uploaded blobs from the blob cache */
  forgetCached(): Promise<void>;
  close(): Promise<void>;
}

const stored: RecallSet = { name: '200 stored', namespace: 'stored', facts: 20 };
const tenPairs: RecallSet[] = [
  { name: '1k memories, ten key pairs', namespace: 'ten-pairs-1k', facts: 100 },
  { name: '10k memories, ten key pairs', namespace: 'ten-pairs-10k', facts: 1_000 },
];
const onePair: RecallSet[] = [
  { name: '1k memories, one key pair', namespace: 'one-pair-1k', facts: 100 },
  { name: '10k memories, one key pair', namespace: 'one-pair-10k', facts: 1_000 },
];

/** Stores 22,200 memories of one owner in five namespaces, half of them over ten key epochs. */
export async function seedWorld(
  system: BenchSystem,
  database: Client,
  redisUrl: string,
  progress: (step: string) => void,
): Promise<RecallWorld> {
  const redis = createClient({ url: redisUrl });
  // If the connection fails, each command fails with an error. Without a listener the process would exit instead
  redis.on('error', () => undefined);
  await redis.connect();
  const { memrelay } = benchClient(system, 'unused');
  const epochOfBlob = new Map<string, number>();
  const cacheKey = (blobId = ''): string => `memrelay:blob:v1:${blobId}`;
  const cacheBlob = (blobId: string, envelope: Buffer) => redis.set(cacheKey(blobId), envelope);

  const storeTelling = async (sets: readonly RecallSet[], telling: number): Promise<void> => {
    const { keyEpoch } = await memrelay.account();
    const jobs = await Promise.all(
      sets.map(({ namespace, facts }) =>
        rememberTelling(memrelay, namespace, { from: 0, to: facts }, telling),
      ),
    );
    await untilEmbedded(database, jobs.flat());
    for (const { blobId } of await skipUploads(database, cacheBlob, jobs.flat()))
      epochOfBlob.set(blobId, keyEpoch);
  };

  progress('storing 200 memories with their uploads');
  const uploaded: string[] = [];
  for (let telling = 0; telling < wordingsPerFact; telling++)
    uploaded.push(
      ...(await rememberTelling(memrelay, stored.namespace, { from: 0, to: stored.facts }, telling)),
    );
  const outcomes = await memrelay.waitForJobs(uploaded, { timeoutMs: 300_000 });
  const cacheKeys = outcomes.map(({ blobId }) => cacheKey(blobId));

  const goOn = system.pauseUploads();
  for (let telling = 0; telling < wordingsPerFact; telling++) {
    progress(`storing 2,200 memories, ${telling + 1} of 10`);
    await storeTelling(onePair, telling);
  }
  for (let telling = 0; telling < wordingsPerFact; telling++) {
    progress(`storing 1,100 memories under key pair ${telling + 1} of 10`);
    await newKeyPair(system, memrelay);
    await storeTelling(tenPairs, telling);
  }
  goOn();
  progress('waiting for the last uploads');
  await untilIdle(database);
  await database.query('VACUUM ANALYZE memory, memory_vector, memory_job');
  memrelay.destroy();
  return {
    system,
    sets: [...tenPairs, ...onePair],
    stored,
    epochOfBlob,
    forgetCached: async () => {
      await redis.del(cacheKeys);
    },
    close: async () => redis.destroy(),
  };
}
