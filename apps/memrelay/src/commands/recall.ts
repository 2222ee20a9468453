import { defaultNamespace, limits } from '@memrelay/protocol/limits';
import { shownScore } from '@memrelay/sdk/recall-score';
import type { RecallHit, RecallResult } from '@memrelay/sdk/types';
import { type ConnectOptions, type NamespaceOption, withClient } from '../client/connect.ts';
import { type Paint, unpainted } from '../terminal/colours.ts';
import { type TagFlags, tagFilter } from '../terminal/context-flags.ts';
import { ExitError, exitCodes } from '../terminal/exit-codes.ts';
import { parseContext, parseLimit } from '../terminal/limit-option.ts';
import type { Output } from '../terminal/output.ts';
import { plainText, wrap } from '../terminal/plain-text.ts';

export interface RecallOptions extends ConnectOptions, NamespaceOption, TagFlags {
  limit?: string;
  context?: string;
  explain?: boolean;
  rerank?: boolean;
}

/** Finds memories by meaning and words and prints them, best first. */
export async function recall(
  output: Output,
  words: readonly string[],
  options: RecallOptions,
): Promise<void> {
  const query = words.join(' ');
  if (query.trim() === '') throw new ExitError(exitCodes.usage, 'There is no question to look for.');
  const limit = parseLimit(options.limit, limits.recallLimit);
  const context = parseContext(options.context);
  const namespace = options.namespace ?? defaultNamespace;
  // The relevance score comes with the explanation
  const answer = await withClient(options, ({ client }) =>
    client.recall(query, {
      limit,
      namespace,
      context,
      rerank: options.rerank,
      explain: true,
      tags: tagFilter(options),
    }),
  );
  output.result({
    namespace,
    total: answer.total,
    ...(answer.droppedCount ? { dropped_count: answer.droppedCount } : {}),
    ...(answer.usage ? { usage: snakeUsage(answer.usage) } : {}),
    results: answer.results.map((hit) => ({
      id: hit.id,
      ...(hit.blobId ? { blob_id: hit.blobId } : {}),
      ...(hit.pending ? { pending: true } : {}),
      ...(hit.createdAt ? { created_at: hit.createdAt } : {}),
      score: shownScore(hit),
      distance: hit.distance,
      ...(options.explain && hit.explain ? { explain: snakeExplanation(hit.explain) } : {}),
      text: hit.text,
      ...(hit.context ? { context: snakeContext(hit.context) } : {}),
    })),
  });
  if (output.json) return;
  for (const [i, hit] of answer.results.entries()) {
    for (const line of hitLines(hit, i + 1, output.width, output.paint)) output.line(line);
    for (const line of contextLines(hit)) output.line(output.paint('dim', line));
    if (options.explain && hit.explain)
      output.line(output.paint('dim', `     ${explanationLine(hit.explain)}`));
  }
  for (const line of remarks(answer, namespace)) output.line(line);
}

/**
 * ` 1.  0.877  2026-03-02  text …`, the text continued under itself and its id below; under 60 columns on separate
 * lines.
 */
export function hitLines(hit: RecallHit, number: number, width: number, paint: Paint = unpainted): string[] {
  const date = hit.createdAt?.slice(0, 10);
  const head = [
    `${String(number).padStart(2)}.`,
    shownScore(hit).toFixed(3),
    ...(date ? [date] : []),
    ...(hit.pending ? ['(pending)'] : []),
  ].join('  ');
  const text = plainText(hit.text);
  const indent = width < 60 ? 4 : head.length + 2;
  const space = ' '.repeat(indent);
  const id = paint('dim', `${space}id ${hit.id}`);
  const lines = wrap(text, width - indent);
  if (width < 60) return [paint('dim', head), ...lines.map((line) => space + line), id];
  return [...lines.map((line, i) => (i === 0 ? `${paint('dim', head)}  ${line}` : space + line)), id];
}

/** What was stored right before and after a hit, in the order in which it was stored. */
function contextLines({ context }: RecallHit): string[] {
  const lines = (memories: { text: string }[] = [], mark: string) =>
    memories.map(({ text }) => `     ${mark} ${plainText(text)}`);
  return [...lines(context?.before, '↑'), ...lines(context?.after, '↓')];
}

/** `matched by words, vector no. 2 (0.410), words no. 1 (0.870, 3 of the question's, 1 related), vector counts 10 %` */
export function explanationLine({
  matchedBy,
  vector,
  keywords,
  vectorShare,
  context,
}: NonNullable<RecallHit['explain']>): string {
  const leg = (name: string, { rank, score }: { rank?: number; score: number }, more = ''): string =>
    `${name} ${rank === undefined ? 'not among the first' : `no. ${rank}`} (${score.toFixed(3)}${more})`;
  const related = keywords?.related ? `, ${keywords.related} related` : '';
  return [
    ...(matchedBy ? [`matched by ${matchedBy}`] : []),
    leg('vector', vector),
    ...(keywords ? [leg('words', keywords, `, ${keywords.terms} of the question's${related}`)] : []),
    `vector counts ${Math.round(vectorShare * 100)} %`,
    ...(context === undefined
      ? []
      : [`${Math.round(context * 100)} % from memories stored before and after`]),
  ].join(', ');
}

/** As on the wire. */
function snakeUsage({ calls, promptTokens, completionTokens }: NonNullable<RecallResult['usage']>): object {
  return { calls, prompt_tokens: promptTokens, completion_tokens: completionTokens };
}

/** As on the wire. */
function snakeContext({ before, after }: NonNullable<RecallHit['context']>): object {
  const entries = (memories: typeof before) =>
    memories.map(({ id, text, createdAt }) => ({ id, text, created_at: createdAt }));
  return { before: entries(before), after: entries(after) };
}

/** As on the wire. */
function snakeExplanation({ matchedBy, vectorShare, ...legs }: NonNullable<RecallHit['explain']>): object {
  return { ...(matchedBy ? { matched_by: matchedBy } : {}), ...legs, vector_share: vectorShare };
}

function remarks(answer: RecallResult, namespace: string): string[] {
  const lines: string[] = [];
  const pending = answer.results.filter((hit) => hit.pending).length;
  if (answer.results.length === 0 && !answer.droppedCount)
    lines.push(
      `No memory in namespace "${plainText(namespace)}" matches.`,
      'Try other words, look elsewhere with --namespace NAME, or store something with `npx memrelay remember "…"`.',
    );
  if (answer.results.length > 0) lines.push('', 'The number is the score: larger is better.');
  if (pending > 0) lines.push(`${pending} pending: accepted and safe, still on the way to the blob store.`);
  if (answer.droppedCount)
    lines.push(
      `${answer.droppedCount} more matched, but could not be read right now; \`npx memrelay status\` says what is down.`,
    );
  if (answer.usage)
    lines.push(
      `Sorted by the chat model: ${answer.usage.promptTokens + answer.usage.completionTokens} tokens.`,
    );
  if (answer.mock)
    lines.push(
      'Found by words, not by meaning: `npx memrelay model add` installs a model where the relayer runs.',
    );
  return lines;
}
