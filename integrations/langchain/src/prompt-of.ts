import type { DocumentInterface } from '@langchain/core/documents';
import { type BlockOptions, memoryBlock } from '@memrelay/adapter/memory-block';

export interface PromptOptions {
  /** Maximum size of the text in tokens; default 1,000 */
  tokenBudget?: number | undefined;
  /** Counts the tokens of a text; default: a third of its UTF-8 bytes, which is rather too many */
  countTokens?: BlockOptions['countTokens'];
}

/**
 * Documents of the retriever for a prompt: quoted as data, in a delimited block that says so, as many as the budget allows. Empty
 * if there are none. Put it into a message of the user, not into a system message.
 */
export function promptOf(
  documents: readonly Pick<DocumentInterface, 'pageContent' | 'metadata'>[],
  { tokenBudget = 1_000, countTokens }: PromptOptions = {},
): string {
  const hits = documents.map(
    ({ pageContent, metadata: { createdAt, happenedAt, speaker, supersededBy } }) => ({
      text: pageContent,
      createdAt,
      happenedAt,
      speaker,
      supersededBy,
    }),
  );
  return memoryBlock(hits, { tokenBudget, countTokens }) ?? '';
}
