/** Retry rules for clients without the catalogue (errors.ts), whose messages would be a tenth of a page's code. */
const retryableStatuses: readonly number[] = [408, 429, 502, 503, 504];

/** Codes for which the catalogue differs from the rule by status. A test compares them with the catalogue. */
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
