/** Model usage of a request */
export interface LlmUsage {
  /** Retries included */
  calls: number;
  prompt_tokens: number;
  completion_tokens: number;
}
