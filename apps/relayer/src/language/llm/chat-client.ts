import { setTimeout } from 'node:timers/promises';
import { backoffMs } from '@memrelay/protocol/backoff';
import { ApiError } from '@memrelay/protocol/errors';
import { z } from 'zod';
import { createFairTurns } from '../../base/concurrency/fair-turns.ts';
import {
  createProviderClient,
  type ProviderCall,
  ProviderError,
  type ProviderOptions,
  type ReportedTokens,
} from '../../base/provider/provider-client.ts';
import type { UsageMeter } from './usage.ts';

export interface ChatOptions extends ProviderOptions {
  model: string;
  /** Called with what the provider reports for each call */
  onTokens?: (tokens: ReportedTokens) => void;
}

export interface ChatMessage {
  role: 'system' | 'user' | 'assistant';
  content: string;
}

export interface ChatRequest {
  messages: readonly ChatMessage[];
  /** JSON schema of the response (strict structured output) */
  format: { name: string; jsonSchema: object };
  maxTokens: number;
  usage: UsageMeter;
  /** Accounts take turns */
  accountId: string;
  /** `performance.now()` by which the call, including its retries, must have ended */
  deadline: number;
  /** Aborts the call, which then rejects with `signal.reason` */
  signal?: AbortSignal | undefined;
}

export interface ChatAnswer {
  /** The model's response, not validated */
  text: string;
  /** The response was cut off because `maxTokens` were used up */
  cut: boolean;
}

/**
 * A model behind an OpenAI-compatible `chat/completions`. Calls throw `llm_unavailable` for temporary failures and
 * those that the operator fixes, `llm_rejected` when the provider rejects the request, `llm_answer_invalid` for an
 * unusable response.
 */
export interface ChatClient {
  complete(request: ChatRequest): Promise<ChatAnswer>;
  /** Yields the text as it is generated; retried only while nothing has arrived. */
  stream(request: ChatRequest): AsyncGenerator<string, void, undefined>;
  /** Aborts all calls, because the server is about to stop */
  abort(): void;
  close(): Promise<void>;
}

const tokens = z
  .object({ prompt_tokens: z.number().int().min(0), completion_tokens: z.number().int().min(0) })
  .partial()
  .nullish()
  .catch(undefined);
const completion = z.object({
  choices: z.tuple(
    [
      z.object({
        message: z.object({ content: z.string().nullish(), refusal: z.string().nullish() }),
        finish_reason: z.string().nullish(),
      }),
    ],
    z.unknown(),
  ),
  usage: tokens,
});
const streamed = z.object({
  choices: z
    .array(
      z.object({
        delta: z
          .object({ content: z.string().nullish(), refusal: z.string().nullish() })
          .nullish()
          .transform((delta) => delta ?? {}),
      }),
    )
    .default([]),
  usage: tokens,
});

/** Maximum concurrent calls of this relayer, a quarter of them for one account; others wait until their deadline */
const callsAtOnce = 32;
const attempts = 3;
const firstDelayMs = 300;
/** If the provider asks for a longer pause, the caller gets an error instead of an open connection */
const longestDelayMs = 5_000;
/** Larger than 8,192 tokens of text */
const maxAnswerBytes = 512 * 1024;

/** Reasoning models accept no temperature and have a different parameter for the maximum length of the response. */
const thinks = /^(?:o\d|gpt-5)/;

export function createChatClient({ model, onTokens, ...provider }: ChatOptions): ChatClient {
  const client = createProviderClient(provider);
  const turns = createFairTurns({ total: callsAtOnce });
  const ending = new AbortController();

  const bodyOf = ({ messages, format, maxTokens }: ChatRequest): object => ({
    model,
    messages,
    response_format: {
      type: 'json_schema',
      json_schema: { name: format.name, strict: true, schema: format.jsonSchema },
    },
    ...(thinks.test(model)
      ? { max_completion_tokens: maxTokens }
      : { max_tokens: maxTokens, temperature: 0 }),
  });
  const callOf = ({ deadline, signal }: ChatRequest): ProviderCall => ({
    timeoutMs: deadline - performance.now(),
    maxBytes: maxAnswerBytes,
    signal: signal ? AbortSignal.any([signal, ending.signal]) : ending.signal,
  });

  function addTokens({ usage }: ChatRequest, reported: ReportedTokens | null | undefined): void {
    usage.add(reported ?? undefined);
    if (reported) onTokens?.(reported);
  }

  /** Runs a call and retries it if that may help and there is time. */
  async function repeatedly<T>(request: ChatRequest, call: () => Promise<T>): Promise<T> {
    for (let number = 1; ; number++) {
      try {
        if (ending.signal.aborted || performance.now() >= request.deadline)
          throw new ProviderError('timeout', 'no time left for a call');
        request.usage.begin();
        return await call();
      } catch (error) {
        request.signal?.throwIfAborted();
        if (ending.signal.aborted) throw new ApiError('llm_unavailable', { cause: error });
        if (!(error instanceof ProviderError)) throw error;
        const delay = delayBefore(number, error);
        if (delay === undefined || performance.now() + delay >= request.deadline) throw apiError(error);
        await setTimeout(delay, undefined, { signal: ending.signal }).catch(() => undefined);
      }
    }
  }

  /** Waits for the account's turn and returns a function that ends it. Throws `llm_unavailable` after the deadline. */
  async function enter({ accountId, deadline, signal }: ChatRequest): Promise<() => void> {
    const late = AbortSignal.timeout(Math.max(1, Math.ceil(deadline - performance.now())));
    const ends = [late, ending.signal, ...(signal ? [signal] : [])];
    try {
      return await turns.enter({ accountId, units: 1, signal: AbortSignal.any(ends) });
    } catch (cause) {
      signal?.throwIfAborted();
      throw new ApiError('llm_unavailable', { cause });
    }
  }

  return {
    async complete(request) {
      const leave = await enter(request);
      try {
        return await repeatedly(request, async () => {
          const answer = await client.post('chat/completions', bodyOf(request), callOf(request));
          const parsed = completion.safeParse(answer);
          if (!parsed.success) throw new ProviderError('malformed', 'the response is malformed');
          const { choices, usage } = parsed.data;
          addTokens(request, usage);
          const { message, finish_reason: reason } = choices[0];
          if (message.refusal || reason === 'content_filter') throw new ApiError('llm_rejected');
          return { text: message.content ?? '', cut: reason === 'length' };
        });
      } finally {
        leave();
      }
    },
    async *stream(request) {
      const leave = await enter(request);
      try {
        const body = { ...bodyOf(request), stream: true, stream_options: { include_usage: true } };
        const events = await repeatedly(request, async () => {
          const started = client.stream('chat/completions', body, callOf(request));
          return { first: await started.next(), rest: started };
        });
        try {
          if (!events.first.done)
            yield* textOf([events.first.value], (reported) => addTokens(request, reported));
          yield* textOf(events.rest, (reported) => addTokens(request, reported));
        } catch (error) {
          request.signal?.throwIfAborted();
          throw error instanceof ProviderError ? apiError(error) : error;
        } finally {
          await events.rest.return();
        }
      } finally {
        leave();
      }
    },
    abort: () => ending.abort(),
    close: () => client.close(),
  };
}

async function* textOf(
  events: AsyncIterable<string> | Iterable<string>,
  addTokens: (reported: ReportedTokens | null | undefined) => void,
): AsyncGenerator<string, void, undefined> {
  for await (const data of events) {
    if (data === '[DONE]') return;
    const parsed = streamed.safeParse(jsonOf(data));
    if (!parsed.success) throw new ProviderError('malformed', 'the provider sent a malformed event');
    addTokens(parsed.data.usage);
    const delta = parsed.data.choices[0]?.delta;
    if (delta?.refusal) throw new ApiError('llm_rejected');
    if (delta?.content) yield delta.content;
  }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Statuses for a rejected request, for which a retry does not help */
const final: readonly number[] = [400, 413, 422];

/** Milliseconds until the next attempt; undefined if there is none. */
function delayBefore(number: number, error: ProviderError): number | undefined {
  const passes =
    error.kind === 'unreachable' ||
    (error.status !== undefined && (error.status === 429 || error.status >= 500));
  if (!passes || number >= attempts) return undefined;
  const asked = (error.retryAfterSeconds ?? 0) * 1000;
  if (asked > longestDelayMs) return undefined;
  return Math.max(asked, backoffMs(number, { firstMs: firstDelayMs, maxMs: longestDelayMs }));
}

function apiError(error: ProviderError): ApiError {
  if (error.kind === 'malformed') return new ApiError('llm_answer_invalid', { cause: error });
  if (error.status !== undefined && final.includes(error.status))
    return new ApiError('llm_rejected', { cause: error });
  const retryAfter = error.retryAfterSeconds;
  return new ApiError('llm_unavailable', {
    cause: error,
    ...(retryAfter === undefined ? {} : { retryAfter: Math.min(Math.max(1, retryAfter), 600) }),
  });
}
