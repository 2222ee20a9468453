import { createBackgroundWriter, type FlushReport } from '@memrelay/adapter/background-writer';
import { wrapLanguageModel } from 'ai';
import { answerOf, watchAnswer } from './answer-text.ts';
import type { MemoryOptions } from './memory-options.ts';
import { questionOf, withBlock } from './prompt.ts';
import { createBlockSource } from './recalled-block.ts';
import { rememberTurn } from './remember-turn.ts';

/** In terms of the installed version of the AI SDK: 5, 6 and 7 name their types differently. */
type Wrapping = Parameters<typeof wrapLanguageModel>[0];
type Middleware = Exclude<Wrapping['middleware'], readonly unknown[]>;

/** A language model with memory, to be used like any other. */
export type ModelWithMemory = ReturnType<typeof wrapLanguageModel> & {
  /**
   * Resolves when everything stored so far is accepted by the relayer or given up; it never rejects. Call it before the process
   * ends; on a serverless platform pass the promise to its `waitUntil` or `after`.
   */
  flushMemory(): Promise<FlushReport>;
};

/**
 * Wraps a model: before each call it recalls what belongs to the last message of the user and adds it to that message, as quoted
 * data within `tokenBudget`; after the call it stores what `remember` selects. It works for generated and streamed answers.
 *
 * The answer never waits for a write, and for a recall at most `recallTimeoutMs`. If the relayer fails or is too slow, the model
 * is called without memories and `onError` reports it.
 */
export function withMemory(model: Wrapping['model'], options: MemoryOptions): ModelWithMemory {
  const writer = createBackgroundWriter(options.onError);
  const blockOf = createBlockSource(options);
  const middleware: Middleware = {
    specificationVersion: 'v4',
    async wrapGenerate({ params, model: inner }) {
      const block = await blockOf(params.prompt, params.abortSignal);
      const result = await inner.doGenerate(withMemories(params, block));
      rememberTurn(writer, options, questionOf(params.prompt), answerOf(result.content));
      return result;
    },
    async wrapStream({ params, model: inner }) {
      const block = await blockOf(params.prompt, params.abortSignal);
      const result = await inner.doStream(withMemories(params, block));
      const watch = watchAnswer<StreamPart<typeof result>>((answer) =>
        rememberTurn(writer, options, questionOf(params.prompt), answer),
      );
      return { ...result, stream: result.stream.pipeThrough(watch) };
    },
  };
  return Object.assign(wrapLanguageModel({ model, middleware }), { flushMemory: () => writer.flush() });
}

type StreamPart<R extends { stream: ReadableStream }> =
  R['stream'] extends ReadableStream<infer P> ? P : never;

type Params = Parameters<NonNullable<Middleware['wrapGenerate']>>[0]['params'];

function withMemories(params: Params, block: string | undefined): Params {
  return block === undefined ? params : { ...params, prompt: withBlock(params.prompt, block) };
}
