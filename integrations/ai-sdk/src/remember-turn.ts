import type { BackgroundWriter } from '@memrelay/adapter/background-writer';
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
  const { memory, namespace, session, remember = 'user', mask = (text: string) => text } = options;
  if (remember === 'nothing') return;
  if (remember === 'facts') {
    if (question === undefined || !answer.isFinal) return;
    const conversation = `User: ${question.text}\n\nAssistant: ${answer.text}`;
    writer.add(async () => memory.analyze(await mask(conversation), { namespace, session }));
    return;
  }
  const happenedAt = new Date();
  const store = (text: string, speaker: string): void =>
    writer.add(async () => memory.remember(await mask(text), { namespace, session, speaker, happenedAt }));
  // Each message of the user once, though a call with tools repeats it in every step
  if (question?.isNew) store(question.text, 'user');
  if (remember === 'conversation' && answer.isFinal && answer.text !== '') store(answer.text, 'assistant');
}
