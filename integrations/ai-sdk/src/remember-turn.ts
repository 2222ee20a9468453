import type { BackgroundWriter } from '@memrelay/adapter/background-writer';
import { prepareText } from '@memrelay/capture/prepare-text';
import type { Answer } from './answer-text.ts';
import type { MemoryOptions } from './memory-options.ts';
import type { Question } from './prompt.ts';

/** Queues what is to be stored of a call to the model. Returns at once and never throws. */
export function rememberTurn(
  writer: BackgroundWriter,
  options: MemoryOptions,
  question: Question | undefined,
  answer: Answer,
): void {
  const { memory, namespace, session, remember = 'user' } = options;
  if (remember === 'nothing') return;
  if (remember === 'facts') {
    if (question === undefined || !answer.isFinal) return;
    writer.add(async () => {
      const text = await storable(`User: ${question.text}\n\nAssistant: ${answer.text}`, options);
      await memory.analyze(text, { namespace, session });
    });
    return;
  }
  const happenedAt = new Date();
  const store = (said: string, speaker: string): void =>
    writer.add(async () => {
      const text = await storable(said, options);
      if (text !== '') await memory.remember(text, { namespace, session, speaker, happenedAt });
    });
  // Each message of the user once, though a call with tools repeats it in every step
  if (question?.isNew) store(question.text, 'user');
  if (remember === 'conversation' && answer.isFinal && answer.text !== '') store(answer.text, 'assistant');
}

/** A text without private sections and secrets. */
async function storable(
  said: string,
  { maskSecrets, onMasked, mask = (text: string) => text }: MemoryOptions,
): Promise<string> {
  const { text, masked } = prepareText(said, { maskSecrets });
  if (masked.length > 0) onMasked?.(masked);
  return (await mask(text)).trim();
}
