import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { FileMemory } from '@memrelay/import-files/read-memories';
import { runImport } from '@memrelay/import-files/run-import';
import { JobFailedError } from '@memrelay/sdk/errors';
import type { MemRelay } from '@memrelay/sdk/mem-relay';
import { journalPath, openJournal } from '../import/import-journal.ts';
import { progressText } from '../import/progress-text.ts';
import type { Output } from '../terminal/output.ts';
import type { Conversation } from './conversations.ts';
import type { Measurements } from './measurements.ts';

const recallableWithinMs = 30_000;
const pollMs = 5;
/** A query may have 8,192 bytes, and a character up to four bytes. */
const queryCharacters = 2_000;

export interface StoreConversation {
  client: MemRelay;
  conversation: Conversation;
  dataDir: string;
  /** How many messages are stored one by one and watched */
  samples: number;
  result: Measurements;
  output: Output;
  signal: AbortSignal;
}

/** Stores a conversation as an import does, while sending some of its messages separately and measuring them. */
export async function storeConversation(options: StoreConversation): Promise<void> {
  const { client, conversation, result, output, signal } = options;
  const { memories, name: namespace } = conversation;
  const every = Math.max(1, Math.floor(memories.length / options.samples));
  const isSample = (_: unknown, i: number): boolean => i % every === 0 && i < every * options.samples;
  const samples = memories.filter(isSample);
  const rest = memories.filter((memory, i) => !isSample(memory, i));
  const target = { content: namespace, serverUrl: '', accountId: client.accountId, namespace };
  const journal = await openJournal(journalPath(join(options.dataDir, 'imports'), target));
  const text = progressText(true);
  const started = performance.now();
  try {
    const [failed] = await Promise.all([
      runImport({
        client,
        memories: rest,
        namespace,
        journal,
        wait: true,
        signal,
        onProgress(progress) {
          text.update(progress);
          output.progress(text.render);
        },
        onCall: (ms) => result.bulkAcceptMs.push(ms),
      }),
      watchSamples(options, samples),
    ]);
    for (const { index, reason } of failed)
      result.failures.push(`${namespace}, ${rest[index]!.place}: ${reason}`);
    result.stored += rest.length - failed.length;
    result.memories += memories.length;
    result.importMs += performance.now() - started;
  } finally {
    await journal.close();
  }
}

async function watchSamples(
  { client, conversation, result, signal }: StoreConversation,
  samples: readonly FileMemory[],
): Promise<void> {
  const namespace = conversation.name;
  for (const { text, place } of samples) {
    const sent = performance.now();
    const { jobId } = await client.remember(text, { namespace, signal });
    const accepted = performance.now();
    result.acceptMs.push(accepted - sent);
    const stored = client.waitForJob(jobId, { signal }).then(
      () => {
        result.stored++;
        result.storedMs.push(performance.now() - accepted);
      },
      (error: unknown) => {
        if (!(error instanceof JobFailedError)) throw error;
        result.failures.push(`${namespace}, ${place}: ${error.message}`);
      },
    );
    const [recallableMs] = await Promise.all([untilRecalled(client, text, namespace, signal), stored]);
    if (recallableMs === undefined) result.failures.push(`${namespace}, ${place}: stored, but not recalled`);
    else result.recallableMs.push(recallableMs);
  }
}

/** Milliseconds until a recall by the text itself returns it; undefined when it never does. */
async function untilRecalled(
  client: MemRelay,
  text: string,
  namespace: string,
  signal: AbortSignal,
): Promise<number | undefined> {
  const started = performance.now();
  const query = text.slice(0, queryCharacters);
  while (performance.now() - started < recallableWithinMs) {
    const { results } = await client.recall(query, { namespace, signal });
    if (results.some((hit) => hit.text === text)) return performance.now() - started;
    await pause(pollMs, undefined, { signal });
  }
  return undefined;
}
