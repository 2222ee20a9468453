import { mkdir, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { MachineFacts } from '../base/machine.ts';
import type { Outcomes, UnitKind } from './measure.ts';
import { type Outcome, type Score, scoreOf } from './score.ts';

/**
 * Scores of one ranking: over all questions, by category, and by whether parameters were chosen on the conversation.
 */
export interface RankingScores {
  all: Score;
  /** Scores of the conversations on which the parameters were chosen */
  chosenOn: Score;
  heldOut: Score;
  categories: Record<number, Score>;
}

export type Scores = Record<UnitKind, Record<string, RankingScores>>;

export function scoresOf(outcomes: Outcomes, chosenOn: ReadonlySet<string>): Record<string, RankingScores> {
  const scores: Record<string, RankingScores> = {};
  for (const [name, all] of outcomes) {
    const of = (wanted: (outcome: Outcome) => boolean): Score => scoreOf(all.filter(wanted));
    const categories = [...new Set(all.map(({ category }) => category))].sort();
    scores[name] = {
      all: scoreOf(all),
      chosenOn: of(({ conversation }) => chosenOn.has(conversation)),
      heldOut: of(({ conversation }) => !chosenOn.has(conversation)),
      categories: Object.fromEntries(
        categories.map((category) => [category, of((outcome) => outcome.category === category)]),
      ),
    };
  }
  return scores;
}

export function printScores(scores: Scores): void {
  for (const [kind, rankings] of Object.entries(scores)) {
    console.log(`\n${kind}, share of the evidence among the first 5, 10 and 20\n`);
    const width = Math.max(...Object.keys(rankings).map((name) => name.length));
    console.log(
      `${''.padEnd(width)}  ${['all', 'chosen on', 'held out'].map((name) => name.padEnd(19)).join('')}`,
    );
    for (const [name, { all, chosenOn, heldOut }] of Object.entries(rankings))
      console.log(
        `${name.padEnd(width)}  ${[all, chosenOn, heldOut].map((score) => listed(score).padEnd(19)).join('')}`,
      );
    for (const [name, { categories }] of Object.entries(rankings)) {
      if (!/fused|1\.2, b 0\.75/.test(name)) continue;
      const each = Object.entries(categories).map(([no, score]) => `${no}: ${listed(score)}`);
      console.log(`by category, ${name}: ${each.join(', ')}`);
    }
  }
}

function listed({ frac }: Score): string {
  return Object.values(frac)
    .map((value) => value.toFixed(3))
    .join(' ');
}

const resultsDirectory = new URL('../../results/', import.meta.url);

/**
 * Saves the scores as `<date>-recall-quality.json`, and next to it one line per question: the rank of its evidence in
 * each ranking. Neither contains texts of the data set, because of its licence. Returns both paths.
 */
export async function saveScores(
  machine: MachineFacts,
  about: Record<string, unknown>,
  scores: Scores,
  outcomes: Record<UnitKind, Outcomes>,
): Promise<string[]> {
  await mkdir(resultsDirectory, { recursive: true });
  const date = new Date().toISOString().slice(0, 10);
  const path = (name: string): string => fileURLToPath(new URL(`${date}-${name}`, resultsDirectory));
  const files = [path('recall-quality.json'), path('recall-quality-questions.jsonl')];
  const content = { bench: 'recall-quality', at: new Date().toISOString(), machine, ...about, scores };
  await writeFile(files[0]!, `${JSON.stringify(content, null, 2)}\n`);
  await writeFile(files[1]!, questionLines(outcomes));
  return files;
}

function questionLines(outcomes: Record<UnitKind, Outcomes>): string {
  const lines: string[] = [];
  for (const [kind, rankings] of Object.entries(outcomes)) {
    const names = [...rankings.keys()];
    for (const [i, outcome] of rankings.get(names[0]!)!.entries()) {
      const { conversation, question, category, evidence } = outcome;
      const ranks = Object.fromEntries(names.map((name) => [name, rankings.get(name)![i]!.ranks]));
      lines.push(JSON.stringify({ kind, conversation, question, category, evidence, ranks }));
    }
  }
  return `${lines.join('\n')}\n`;
}
