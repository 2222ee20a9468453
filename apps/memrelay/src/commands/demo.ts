import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { MemRelay } from '@memrelay/sdk/mem-relay';
import { askQuestions } from '../demo/ask-questions.ts';
import { type Conversation, readConversations } from '../demo/conversations.ts';
import {
  type Measurements,
  measurementJson,
  measurementRows,
  newMeasurements,
} from '../demo/measurements.ts';
import { storeConversation } from '../demo/store-conversation.ts';
import { type PrivateSystem, startPrivateSystem } from '../system/private-system.ts';
import { ExitError, exitCodes } from '../terminal/exit-codes.ts';
import { catchInterruption } from '../terminal/interruption.ts';
import type { Output } from '../terminal/output.ts';
import { columns, counted } from '../terminal/plain-text.ts';
import { readText } from '../terminal/read-text.ts';

export interface DemoOptions {
  limitMessages?: string;
  limitQuestions?: string;
}

const exampleFile = fileURLToPath(new URL('../../../../examples/conversation.json', import.meta.url));
/** Total number of messages that are stored one by one, to measure the time of a single memory. */
const samples = 24;
const failuresShown = 10;
/** How much of the parts' logs is shown when the demo fails. */
const logCharactersShown = 4_000;

/** Imports the conversations of a file into a private system, asks questions and ends with a table of figures. */
export async function demo(
  output: Output,
  file: string | undefined,
  options: DemoOptions,
  environment: NodeJS.ProcessEnv,
): Promise<void> {
  const limits = {
    messages: count('--limit-messages', options.limitMessages),
    questions: count('--limit-questions', options.limitQuestions),
  };
  const path = file ?? exampleFile;
  const conversations = readConversations(path, await readText(path), limits);
  output.line(`${relative('', path) || path}: ${describe(conversations)}\n`);

  const stopping = catchInterruption('Interrupted.');
  const { signal } = stopping;
  // A database or cache of the person's own must stay untouched.
  const { DATABASE_URL: _, REDIS_URL: __, ...own } = environment;
  const system = await startPrivateSystem({
    environment: own,
    signal,
    onProgress: (step) => output.step(step),
    onGivenUp: (reason) => stopping.abort(new ExitError(exitCodes.failed, reason)),
  });
  try {
    const result = await runDemo(output, system, conversations, signal);
    finish(output, result);
  } catch (error) {
    output.abandon();
    // Ctrl-C needs no explanation; the logs may explain any other failure.
    if (!(error instanceof ExitError) && system.logs() !== '')
      output.partOutput('parts', system.logs().slice(-logCharactersShown));
    throw error;
  } finally {
    await system.dispose();
    stopping.release();
  }
}

async function runDemo(
  output: Output,
  system: PrivateSystem,
  conversations: readonly Conversation[],
  signal: AbortSignal,
): Promise<Measurements> {
  const result = newMeasurements();
  const client = MemRelay.fromCredentials(system.credentials, { deadlineMs: 120_000, maxAttempts: 10 });
  try {
    for (const conversation of conversations) {
      output.step(
        `Storing ${counted(conversation.memories.length, 'memory', 'memories')} in namespace ${conversation.name}`,
      );
      const share = Math.max(2, Math.round(samples / conversations.length));
      await storeConversation({
        client,
        conversation,
        dataDir: system.dataDir,
        samples: share,
        result,
        output,
        signal,
      });
    }
    output.done();
    for (const conversation of conversations) {
      output.line(
        `\nQuestions about ${conversation.name}${conversation.made ? ' (beginnings of its messages)' : ''}:`,
      );
      await askQuestions({ client, conversation, result, output, signal });
    }
    return result;
  } finally {
    client.destroy();
  }
}

function finish(output: Output, result: Measurements): void {
  output.result({ event: 'summary', ...measurementJson(result) });
  output.line('');
  for (const line of columns(measurementRows(result))) output.line(line);
  for (const failure of result.failures.slice(0, failuresShown)) output.line(`  ${failure}`);
  if (result.failures.length > 0 || result.stored < result.memories)
    throw new ExitError(exitCodes.failed, 'Not everything was stored and recalled.');
}

function describe(conversations: readonly Conversation[]): string {
  const sum = (of: (conversation: Conversation) => number): number =>
    conversations.reduce((total, conversation) => total + of(conversation), 0);
  const messages = sum(({ memories }) => memories.length);
  const questions = sum((conversation) => conversation.questions.length);
  return `${counted(conversations.length, 'conversation', 'conversations')}, ${messages} messages, ${questions} questions`;
}

function count(option: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const value = Number(text);
  if (Number.isInteger(value) && value > 0) return value;
  throw new ExitError(exitCodes.usage, `${option} must be a whole number of at least 1.`);
}
