import { ApiError } from '@memrelay/protocol/errors';
import type { LlmUsage } from '@memrelay/protocol/llm';

/** What one request has asked of the model so far; its calls are bounded. */
export interface UsageMeter {
  /** Before each call. Throws `llm_answer_invalid` where one more would pass the bound. */
  begin(): void;
  /** What the provider says that a call took; a provider may say nothing */
  add(
    tokens: { prompt_tokens?: number | undefined; completion_tokens?: number | undefined } | undefined,
  ): void;
  total(): LlmUsage;
}

export function createUsageMeter(maxCalls: number): UsageMeter {
  const usage: LlmUsage = { calls: 0, prompt_tokens: 0, completion_tokens: 0 };
  return {
    begin() {
      if (usage.calls >= maxCalls) throw new ApiError('llm_answer_invalid');
      usage.calls += 1;
    },
    add(tokens) {
      usage.prompt_tokens += tokens?.prompt_tokens ?? 0;
      usage.completion_tokens += tokens?.completion_tokens ?? 0;
    },
    total: () => ({ ...usage }),
  };
}
