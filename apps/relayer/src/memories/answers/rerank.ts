import { ApiError } from '@memrelay/protocol/errors';
import type { RecallRequest, RecallResponse } from '@memrelay/protocol/memories';
import { z } from 'zod';
import type { Caller } from '../../accounts/caller.ts';
import type { ChatClient } from '../../language/llm/chat-client.ts';
import { dataDocument } from '../../language/llm/data-document.ts';
import { type AnswerFormat, completeStructured } from '../../language/llm/structured.ts';
import { createUsageMeter, type UsageMeter } from '../../language/llm/usage.ts';
import { rerankPrompt } from '../../language/prompts/rerank.ts';
import { type RecallParts, type RecallRun, recall } from '../recall/recall.ts';

/** Best hits that the model sorts */
const sorted = 30;
/** Of each text the model sees the beginning: 30 of them are about 8,000 tokens */
const shownCharacters = 1_000;
/** Including retries and a second try after a malformed response */
const maxCalls = 4;
const maxTokens = 400;
const deadlineMs = 30_000;

const orderSchema = z.strictObject({ order: z.array(z.number()).max(10 * sorted) });
const format: AnswerFormat<typeof orderSchema> = {
  name: 'order',
  schema: orderSchema,
  jsonSchema: {
    type: 'object',
    properties: { order: { type: 'array', items: { type: 'integer' } } },
    required: ['order'],
    additionalProperties: false,
  },
};

export interface RerankParts extends RecallParts {
  /** Undefined if no chat model is configured */
  chat: ChatClient | undefined;
}

/**
 * Like `recall`. With `rerank`, the chat model sorts the best 30 hits. It decides nothing but their order: numbers that
 * name no hit and repeated ones are ignored, and hits that it leaves out follow in their earlier order. Throws
 * `rerank_not_available`, and the errors of the model.
 */
export async function recallReranked(
  parts: RerankParts,
  caller: Caller,
  { rerank, ...request }: RecallRequest,
  run: RecallRun,
  usage: UsageMeter = createUsageMeter(maxCalls),
): Promise<RecallResponse> {
  if (!rerank) return recall(parts, caller, request, run);
  const { chat } = parts;
  if (!chat) throw new ApiError('rerank_not_available');
  const limit = Math.max(request.limit, sorted);
  const recalled = await recall(parts, caller, { ...request, limit }, run);
  const { results } = recalled;
  const first = results.slice(0, sorted);
  const reply =
    first.length < 2
      ? { order: [] }
      : await run.stages.measure('rerank', () =>
          completeStructured(
            chat,
            {
              messages: [
                { role: 'system', content: rerankPrompt.text },
                { role: 'user', content: documentOf(request.query, first) },
              ],
              maxTokens,
              usage,
              deadline: performance.now() + deadlineMs,
              accountId: caller.account.accountId,
              signal: run.gone,
            },
            format,
            parts.loggers.memories,
          ),
        );
  const order = inOrder(first.length, reply === 'cut' ? [] : reply.order);
  const reordered = [...order.map((i) => first[i]!), ...results.slice(sorted)].slice(0, request.limit);
  return { ...recalled, results: reordered, total: reordered.length, usage: usage.total() };
}

function documentOf(question: string, hits: readonly { text: string }[]): string {
  const memories = hits.map(({ text }, i) => ({ id: i + 1, text: text.slice(0, shownCharacters) }));
  return dataDocument({ question: question.slice(0, 8_000), memories });
}

/** Indices of `count` elements: those that the model named by their numbers from 1, then the others. */
export function inOrder(count: number, numbers: readonly number[]): number[] {
  const all = Array.from({ length: count }, (_, i) => i);
  const named = new Set(numbers.map((number) => number - 1).filter((index) => all.includes(index)));
  return [...named, ...all.filter((index) => !named.has(index))];
}
