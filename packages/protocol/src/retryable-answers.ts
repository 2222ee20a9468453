/** What a client does without the catalogue (errors.ts), whose messages are a tenth of the code of a page. */
const retryableStatuses: readonly number[] = [408, 429, 502, 503, 504];

/** Codes of the catalogue for which the status alone would say the opposite; a test compares them. */
const exceptions = new Map([
  ['consent_not_registered', true],
  ['sponsor_failed', false],
  ['llm_answer_invalid', false],
  ['llm_rejected', false],
  ['store_rejected', false],
  ['llm_not_configured', false],
  ['sponsor_unconfigured', false],
]);

/** Whether the same request may succeed later, after an error with this status and code. */
export function mayRetry(status: number, code: string): boolean {
  return exceptions.get(code) ?? retryableStatuses.includes(status);
}
