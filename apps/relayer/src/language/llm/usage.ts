import { ApiError } from '@memrelay/protocol/errors';
import type { LlmUsage } from '@memrelay/protocol/llm-usage';
import type { ReportedTokens } from '../../base/provider/provider-client.ts';

/** Counts the model calls of one request and limits them. */
export interface UsageMeter {
  /** Call before each model call. Throws `llm_answer_invalid` if the limit is reached. */
  begin(): void;
  /** Adds the usage that the provider reports for a call; a provider may not report any */
  add(tokens: ReportedTokens | undefined): void;
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
