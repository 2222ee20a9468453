import { memoryBlock } from '@memrelay/adapter/memory-block';
import { recallInTime } from '@memrelay/adapter/recall-in-time';
import { prepareText } from '@memrelay/capture/prepare-text';
import type { MemoryOptions } from './memory-options.ts';
import { type PromptMessage, questionOf, textOf } from './prompt.ts';

const defaults = { tokenBudget: 1_000, limit: 20, recallTimeoutMs: 3_000 };
/** Blocks that are kept for the later steps of calls with tools */
const keptBlocks = 32;

/**
 * Finds the memories for prompts. The steps of one call with tools get the same block: it costs one recall, and the beginning of
 * the prompt stays the same, which providers cache.
 */
export function createBlockSource(options: MemoryOptions) {
  const { tokenBudget = defaults.tokenBudget, countTokens } = options;
  const kept = new Map<string, string | undefined>();

  /** The block for a prompt, or undefined if there is nothing to add. Never throws. */
  return async (
    prompt: readonly PromptMessage[],
    signal: AbortSignal | undefined,
  ): Promise<string | undefined> => {
    const question = questionOf(prompt);
    if (question === undefined || tokenBudget <= 0) return undefined;
    if (!question.isNew && kept.has(question.text)) return kept.get(question.text);
    const { text: query } = prepareText(question.text, options);
    if (query.trim() === '') return undefined;
    const hits = await recallInTime(options.memory, query, {
      namespace: options.namespace,
      limit: options.limit ?? defaults.limit,
      minScore: options.minScore,
      timeoutMs: options.recallTimeoutMs ?? defaults.recallTimeoutMs,
      signal,
      onError: options.onError,
    });
    // The conversation itself needs no repetition
    const present = new Set(prompt.map(textOf));
    const others = hits.filter(({ text }) => !present.has(text));
    const block = memoryBlock(others, { tokenBudget, countTokens });
    kept.delete(question.text);
    kept.set(question.text, block);
    if (kept.size > keptBlocks) kept.delete(kept.keys().next().value!);
    return block;
  };
}
