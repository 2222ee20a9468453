const bytesPerToken = 3;
const encoder = new TextEncoder();

/**
 * Tokens of a text for a budget, without a tokenizer: a third of its UTF-8 bytes. Models use about 4 bytes per token for English
 * and 3 for Chinese, so this counts too many rather than too few.
 */
export function estimateTokens(text: string): number {
  return Math.ceil(encoder.encode(text).length / bytesPerToken);
}
