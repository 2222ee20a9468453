/** The part of a prompt that this adapter reads. It is the same in versions 5 to 7 of the AI SDK. */
export interface PromptMessage {
  role: string;
  content: string | readonly { type: string; text?: unknown }[];
}

/** The text parts of a message. */
export function textOf({ content }: PromptMessage): string {
  if (typeof content === 'string') return content;
  return content
    .flatMap(({ type, text }) => (type === 'text' && typeof text === 'string' ? [text] : []))
    .join('\n')
    .trim();
}

/** What the user asked last, and whether the model has not been called for it yet. */
export interface Question {
  text: string;
  /** False in the later steps of a call with tools */
  isNew: boolean;
}

/** The last message of the user, if it has text. */
export function questionOf(prompt: readonly PromptMessage[]): Question | undefined {
  const index = prompt.findLastIndex(({ role }) => role === 'user');
  const text = index < 0 ? '' : textOf(prompt[index]!);
  return text === '' ? undefined : { text, isNew: index === prompt.length - 1 };
}

/**
 * The prompt with a block of memories before the text of the last message of the user. Not in a system message: memories must
 * not have its authority, and some providers accept one only as the first message.
 */
export function withBlock<M extends PromptMessage>(prompt: readonly M[], block: string): M[] {
  const index = prompt.findLastIndex(({ role }) => role === 'user');
  return prompt.map((message, i) =>
    i === index && typeof message.content !== 'string'
      ? { ...message, content: [{ type: 'text', text: block }, ...message.content] }
      : message,
  );
}
