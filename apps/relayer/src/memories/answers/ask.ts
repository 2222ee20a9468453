import { ApiError } from '@memrelay/protocol/errors';
import type { AskEvents, AskRequest, AskResponse } from '@memrelay/protocol/llm';
import type { MemoryHit, RecallResponse } from '@memrelay/protocol/memories';
import { z } from 'zod';
import type { Caller } from '../../accounts/caller.ts';
import type { ChatClient, ChatRequest } from '../../language/llm/chat-client.ts';
import { createStringReader } from '../../language/llm/json-string.ts';
import { type AnswerFormat, completeStructured, parseAnswer } from '../../language/llm/structured.ts';
import { createUsageMeter, type UsageMeter } from '../../language/llm/usage.ts';
import { askPrompt } from '../../language/prompts/ask.ts';
import type { RecallRun } from '../recall/recall.ts';
import { createCitations } from './citations.ts';
import { localAnswer } from './local-answer.ts';
import { quotedMemories } from './quoted-memories.ts';
import { type RerankParts, recallReranked } from './rerank.ts';

/** Maximum number of model calls for an answer, including retries and a second try after a malformed response */
const maxCalls = 6;
const maxTokens = 1_000;
const deadlineMs = 50_000;

const nothingFound = 'Your memories do not say.';

const answerSchema = z.strictObject({ known: z.boolean(), answer: z.string() });
const format: AnswerFormat<typeof answerSchema> = {
  name: 'answer',
  schema: answerSchema,
  jsonSchema: {
    type: 'object',
    properties: { known: { type: 'boolean' }, answer: { type: 'string' } },
    required: ['known', 'answer'],
    additionalProperties: false,
  },
};

export type AskEvent = { [Name in keyof AskEvents]: { event: Name; data: AskEvents[Name] } }[
  | 'delta'
  | 'done'];

/** The parameters of an ask request. */
export interface AskRun extends RecallRun {
  question: AskRequest;
}

/** The recalled memories and the model request. */
interface PreparedAnswer {
  recalled: RecallResponse;
  chat: ChatClient | undefined;
  /** Number of memories in the document, counted from the best */
  offered: number;
  request: Omit<ChatRequest, 'format'>;
  usage: UsageMeter;
}

/** Without a chat model, the answer quotes memories. */
export type AskParts = RerankParts;

/**
 * Answers a question from the memories that a recall finds for it (spec, `POST /api/ask`), and says so if they do not
 * contain the answer. Cancels the model call if the client disconnects. Throws `ApiError`.
 */
export async function ask(parts: AskParts, caller: Caller, asking: AskRun): Promise<AskResponse> {
  const prepared = await prepare(parts, caller, asking);
  const { chat, offered } = prepared;
  if (!chat || offered === 0) return withoutModel(prepared);
  const reply = await asking.stages.measure('answer', () =>
    completeStructured(chat, prepared.request, format, parts.loggers.memories),
  );
  if (reply === 'cut') throw new ApiError('llm_answer_invalid');
  const citations = createCitations(offered);
  const answer = citations.push(reply.answer) + citations.end();
  return conclude(prepared, answer, reply.known, citations.used);
}

/**
 * Like `ask`, as a stream of events. The recall is complete when this returns, so its errors are returned like those of
 * any other request.
 */
export async function askInPieces(
  parts: AskParts,
  caller: Caller,
  asking: AskRun,
): Promise<AsyncGenerator<AskEvent, void, undefined>> {
  return pieces(await prepare(parts, caller, asking));
}

async function* pieces(prepared: PreparedAnswer): AsyncGenerator<AskEvent, void, undefined> {
  const { chat, offered, request } = prepared;
  if (!chat || offered === 0) {
    const done = withoutModel(prepared);
    yield { event: 'delta', data: { text: done.answer } };
    yield { event: 'done', data: done };
    return;
  }
  const reader = createStringReader('answer');
  const citations = createCitations(offered);
  let written = '';
  let said = '';
  let answer = '';
  const show = (text: string): AskEvent => {
    answer += text;
    return { event: 'delta', data: { text } };
  };
  for await (const piece of chat.stream({ ...request, format })) {
    written += piece;
    const fresh = reader.push(piece);
    said += fresh;
    const text = citations.push(fresh);
    if (text !== '') yield show(text);
  }
  const rest = citations.end();
  const reply = parseAnswer(written, answerSchema);
  // With a duplicate "answer" field, the streamed text and the parsed one differ
  if (!reply.ok || reply.value.answer !== said) throw new ApiError('llm_answer_invalid');
  if (rest !== '') yield show(rest);
  yield { event: 'done', data: conclude(prepared, answer, reply.value.known, citations.used) };
}

async function prepare(
  parts: AskParts,
  caller: Caller,
  { question: { question, ...options }, ...recalling }: AskRun,
): Promise<PreparedAnswer> {
  const usage = createUsageMeter(maxCalls);
  const recalled = await recallReranked(parts, caller, { ...options, query: question }, recalling, usage);
  const { document, offered } = await quotedMemories(question, recalled.results);
  const request = {
    messages: [
      { role: 'system', content: askPrompt.text },
      { role: 'user', content: document },
    ] as const,
    maxTokens,
    usage,
    deadline: performance.now() + deadlineMs,
    accountId: caller.account.accountId,
    signal: recalling.gone,
  };
  return { recalled, chat: parts.chat, offered, request, usage };
}

function conclude(
  { recalled, usage }: PreparedAnswer,
  answer: string,
  known: boolean,
  used: readonly number[],
): AskResponse {
  const memories = used.map((position) => recalled.results[position]!);
  // An answer without citations does not come from a memory
  const fromMemory = known && memories.length > 0;
  const shown = answer.trim() === '' ? nothingFound : answer;
  return { ...response(recalled, shown, fromMemory, memories), usage: usage.total() };
}

function withoutModel({ recalled, chat }: PreparedAnswer): AskResponse {
  const quoted = chat ? undefined : localAnswer(recalled.results);
  return {
    ...response(recalled, quoted?.answer ?? nothingFound, quoted !== undefined, quoted?.memories ?? []),
    ...(chat ? {} : { mock: true }),
  };
}

function response(
  { dropped_count: dropped, query_truncated: truncated, mock }: RecallResponse,
  answer: string,
  known: boolean,
  memories: MemoryHit[],
): AskResponse {
  return {
    answer,
    known,
    memories_used: memories.length,
    memories,
    ...(dropped ? { dropped_count: dropped } : {}),
    ...(truncated ? { query_truncated: truncated } : {}),
    ...(mock ? { mock } : {}),
  };
}
