import type { MemRelay } from '@memrelay/sdk/mem-relay';
import type { RecallHit } from '@memrelay/sdk/types';
import { duration } from '../terminal/durations.ts';
import type { Output } from '../terminal/output.ts';
import { cut, plainText } from '../terminal/plain-text.ts';
import type { Conversation, Question } from './conversations.ts';
import type { Measurements } from './measurements.ts';

/** The k of `frac@k`. */
const hitsScored = 10;
const hitsShown = 3;
/** How many questions of a long list are shown; all are asked and counted. */
const questionsShown = 5;
const showAllUpTo = 15;

export interface AskQuestions {
  client: MemRelay;
  conversation: Conversation;
  result: Measurements;
  output: Output;
  signal: AbortSignal;
}

/** Asks one question after the other, shows the best hits and scores them against the evidence. */
export async function askQuestions({
  client,
  conversation,
  result,
  output,
  signal,
}: AskQuestions): Promise<void> {
  const { questions, name: namespace } = conversation;
  const idsOf = new Map<string, string[]>();
  for (const { text, id, place } of conversation.memories)
    idsOf.set(text, [...(idsOf.get(text) ?? []), id ?? place]);
  const shown = questions.length <= showAllUpTo ? questions.length : questionsShown;
  for (const [i, question] of questions.entries()) {
    const started = performance.now();
    const answer = await client.recall(question.question, { namespace, limit: hitsScored, signal });
    const ms = performance.now() - started;
    result.questions++;
    result.recallMs.push(ms);
    if (answer.results.length === 0 || answer.droppedCount)
      result.failures.push(
        `${namespace}, question ${i + 1}: ${answer.droppedCount ? 'some hits could not be read' : 'nothing found'}`,
      );
    const hits = answer.results.map((hit) => ({ ...hit, ids: idsOf.get(hit.text) ?? [] }));
    const found = question.evidence.filter((id) => hits.some((hit) => hit.ids.includes(id)));
    if (question.evidence.length > 0) result.evidenceFound.push(found.length / question.evidence.length);
    output.result(questionJson(namespace, question, hits, ms));
    if (i < shown) showQuestion(output, question, hits, ms);
  }
  if (shown < questions.length)
    output.line(`\n… and ${questions.length - shown} more questions, asked and counted (--json shows all).`);
}

type ScoredHit = RecallHit & { ids: string[] };

function showQuestion(
  output: Output,
  { question, evidence }: Question,
  hits: readonly ScoredHit[],
  ms: number,
): void {
  output.line(`\n${cut(plainText(question), output.width - 12)} (${duration(ms)})`);
  for (const hit of hits.slice(0, hitsShown)) output.line(hitLine(output, hit, evidence));
  const below = hits.slice(hitsShown).filter((hit) => hit.ids.some((id) => evidence.includes(id)));
  for (const hit of below) output.line(hitLine(output, hit, evidence, hits.indexOf(hit) + 1));
}

function hitLine(output: Output, hit: ScoredHit, evidence: readonly string[], rank?: number): string {
  const mark = hit.ids.some((id) => evidence.includes(id)) ? '✓' : ' ';
  // Remove the leading date, because the end of a long line is cut off.
  const text = plainText(hit.text).replace(/^\[[^\]]*\] /, '');
  const line = ` ${mark} ${hit.distance.toFixed(3)}  ${rank === undefined ? '' : `(${rank}th) `}${text}`;
  return cut(line, output.width);
}

function questionJson(
  namespace: string,
  { question, evidence }: Question,
  hits: readonly ScoredHit[],
  ms: number,
) {
  return {
    event: 'question',
    namespace,
    question,
    ms: Math.round(ms * 10) / 10,
    evidence,
    hits: hits.map(({ distance, ids, text }) => ({ distance, ids, text })),
  };
}
