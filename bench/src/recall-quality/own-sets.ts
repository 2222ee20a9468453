import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { type EmbeddingConfig, openSearchIndex } from '@memrelay/dev-env/search-index';

/** Small sets of memories and questions in other languages than English, made for this benchmark (`bench/data`). */
export const ownSets = ['de', 'ru', 'zh', 'ja'] as const;

interface OwnSet {
  memories: string[];
  questions: { text: string; answer: number }[];
}

/** Reads lines of `memory | question`, or only a memory; lines with # are comments. */
async function readSet(language: string): Promise<OwnSet> {
  const file = await readFile(new URL(`../../data/memories-${language}.txt`, import.meta.url), 'utf8');
  const set: OwnSet = { memories: [], questions: [] };
  for (const line of file.split('\n').filter((each) => each.trim() !== '' && !each.startsWith('#'))) {
    const [memory, question] = line.split('|').map((part) => part.trim());
    if (question !== undefined) set.questions.push({ text: question, answer: set.memories.length });
    set.memories.push(memory!);
  }
  return set;
}

/** A mean over questions with the bounds of its 95 % bootstrap interval. */
export interface Interval {
  mean: number;
  low: number;
  high: number;
}

export interface OwnSetScore {
  language: string;
  questions: number;
  /** Share of the questions whose memory is the first hit */
  first: Interval;
  /** Mean of 1 / rank of the memory, 0 beyond the tenth */
  reciprocalRank: Interval;
}

const depth = 10;

/** Stores each set as a namespace of a separate owner and asks its questions. */
export async function measureOwnSets(
  databaseUrl: string,
  embedding: EmbeddingConfig,
): Promise<OwnSetScore[]> {
  const index = await openSearchIndex(databaseUrl, embedding);
  try {
    const scores: OwnSetScore[] = [];
    for (const language of ownSets) {
      const { memories, questions } = await readSet(language);
      const accountId = createHash('sha256').update(`own set ${language}`).digest();
      const place = { accountId, namespace: `own-${language}` };
      const ids = await index.add(place, memories);
      const ranks: number[] = [];
      for (const { text, answer } of questions) {
        const found = await index.search(place, text, depth);
        ranks.push(found.findIndex(({ match }) => match.id === ids[answer]) + 1);
      }
      scores.push({
        language,
        questions: questions.length,
        first: bootstrapped(ranks.map((rank) => (rank === 1 ? 1 : 0))),
        reciprocalRank: bootstrapped(ranks.map((rank) => (rank === 0 ? 0 : 1 / rank))),
      });
    }
    return scores;
  } finally {
    await index.close();
  }
}

const draws = 2_000;

/** The same draws in each run. */
export function bootstrapped(values: readonly number[]): Interval {
  let state = 1;
  const random = (): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
  const meanOf = (some: readonly number[]): number =>
    some.reduce((sum, value) => sum + value, 0) / some.length;
  const means = Array.from({ length: draws }, () =>
    meanOf(values.map(() => values[Math.floor(random() * values.length)]!)),
  ).sort((a, b) => a - b);
  const round = (value: number): number => Number(value.toFixed(3));
  return {
    mean: round(meanOf(values)),
    low: round(means[Math.floor(draws * 0.025)]!),
    high: round(means[Math.floor(draws * 0.975)]!),
  };
}

export function printOwnSets(model: string, scores: readonly OwnSetScore[]): void {
  console.log(`\nown sets, ${model}: first hit and mean reciprocal rank, with 95 % intervals\n`);
  const listed = ({ mean, low, high }: Interval): string =>
    `${mean.toFixed(3)} [${low.toFixed(3)} ${high.toFixed(3)}]`;
  for (const { language, questions, first, reciprocalRank } of scores)
    console.log(`${language}  ${questions} questions  ${listed(first)}  ${listed(reciprocalRank)}`);
}
