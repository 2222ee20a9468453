/** What a model answered in one call. */
export interface Answer {
  text: string;
  /** False if the application has to run tools first */
  isFinal: boolean;
}

interface ContentPart {
  type: string;
  text?: unknown;
  delta?: unknown;
  providerExecuted?: unknown;
}

/** The answer in the content of a generated result. */
export function answerOf(content: readonly ContentPart[]): Answer {
  const texts = content.flatMap(({ type, text }) =>
    type === 'text' && typeof text === 'string' ? [text] : [],
  );
  return { text: texts.join('\n').trim(), isFinal: !content.some(isOpenToolCall) };
}

/**
 * Passes a stream on and reports the answer at its end; not if it fails, is cancelled or has an error part. The parts are not
 * delayed.
 */
export function watchAnswer<P extends ContentPart>(report: (answer: Answer) => void): TransformStream<P, P> {
  const texts: string[] = [];
  let isFinal = true;
  let isComplete = false;
  let hasFailed = false;
  return new TransformStream({
    transform(part, controller) {
      controller.enqueue(part);
      if (part.type === 'text-start' && texts.length > 0) texts.push('\n');
      if (part.type === 'text-delta' && typeof part.delta === 'string') texts.push(part.delta);
      if (isOpenToolCall(part)) isFinal = false;
      if (part.type === 'error') hasFailed = true;
      if (part.type === 'finish') isComplete = true;
    },
    flush() {
      if (isComplete && !hasFailed) report({ text: texts.join('').trim(), isFinal });
    },
  });
}

function isOpenToolCall({ type, providerExecuted }: ContentPart): boolean {
  return type === 'tool-call' && providerExecuted !== true;
}
