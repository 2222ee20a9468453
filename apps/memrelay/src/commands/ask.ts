import { defaultNamespace, limits } from '@memrelay/protocol/limits';
import type { AskResult } from '@memrelay/sdk/ask';
import type { MemRelay } from '@memrelay/sdk/mem-relay';
import type { TagFilterOptions } from '@memrelay/sdk/types';
import { type ConnectOptions, type NamespaceOption, withClient } from '../client/connect.ts';
import { type TagFlags, tagFilter } from '../terminal/context-flags.ts';
import { givenText } from '../terminal/given-text.ts';
import { parseContext, parseLimit } from '../terminal/limit-option.ts';
import type { Output } from '../terminal/output.ts';
import { cut, plainText, wrap } from '../terminal/plain-text.ts';

export interface AskOptions extends ConnectOptions, NamespaceOption, TagFlags {
  limit?: string;
  context?: string;
}

/** Answers a question from memories and lists the cited ones. */
export async function ask(output: Output, words: readonly string[], options: AskOptions): Promise<void> {
  const question = await givenText(words, 'question');
  const limit = parseLimit(options.limit, limits.askLimit);
  const context = parseContext(options.context);
  const namespace = options.namespace ?? defaultNamespace;
  const answer = await withClient(options, async ({ client }) => {
    output.step('Reading memories');
    return read(output, client, question, { limit, namespace, context, tags: tagFilter(options) });
  });
  output.done();
  output.result({
    namespace,
    answer: answer.answer,
    known: answer.known,
    memories_used: answer.memoriesUsed,
    memories: answer.memories.map(({ id, blobId, text, distance, createdAt }) => ({
      id,
      ...(blobId ? { blob_id: blobId } : {}),
      ...(createdAt ? { created_at: createdAt } : {}),
      distance,
      text,
    })),
    ...(answer.droppedCount ? { dropped_count: answer.droppedCount } : {}),
    ...(answer.mock ? { mock: true } : {}),
  });
  for (const line of lines(answer, output.width)) output.line(line);
}

/** Shows the end of the text received so far, in a place that the complete answer later replaces. */
async function read(
  output: Output,
  client: MemRelay,
  question: string,
  options: {
    limit: number;
    namespace: string;
    context: number | undefined;
    tags: TagFilterOptions | undefined;
  },
): Promise<AskResult> {
  let written = '';
  for await (const event of client.askStream(question, options)) {
    if (event.type === 'done') return event;
    written += event.text;
    if (!output.live) continue;
    output.progress((width) => cut([...plainText(written)].slice(-width).join(''), width));
  }
  throw new Error('the answer stream ended without the complete answer');
}

function lines(answer: AskResult, width: number): string[] {
  const entries = answer.memories.flatMap(({ text, createdAt }, i) => {
    const head = [`[${i + 1}]`, ...(createdAt ? [createdAt.slice(0, 10)] : [])].join(' ');
    const [first, ...rest] = wrap(plainText(text), width - head.length - 1);
    return [`${head} ${first}`, ...rest.map((line) => `${' '.repeat(head.length + 1)}${line}`)];
  });
  return [
    ...answer.answer.split('\n').flatMap((line) => wrap(plainText(line), width)),
    ...(entries.length > 0 ? ['', ...entries] : []),
    ...(answer.droppedCount ? [`${answer.droppedCount} more matched and could not be read right now.`] : []),
    ...(answer.mock ? ['Quoted, not answered: set LLM_API_KEY where the relayer runs for answers.'] : []),
  ];
}
