import { readFile } from 'node:fs/promises';
import { openLocalEmbedder, relatedness } from '@memrelay/dev-env/local-embedder';

/**
 * `MEM_MODEL_DIR=… node bench/src/recall-quality/unrelated.ts all-minilm-l6-v2` prints, for a local model, how many unrelated
 * questions find one of some notes, and how many questions find the note that answers them, above several limits: of the
 * similarity, and of the relatedness (bench/README.md, "Unrelated questions").
 */

const lines = async (name: string): Promise<[string, string][]> =>
  (await readFile(new URL(`../../data/${name}`, import.meta.url), 'utf8'))
    .split('\n')
    .filter((line) => line.includes('|') && !line.startsWith('#'))
    .map((line) => line.split('|').map((part) => part.trim()) as [string, string]);

const pairs = await lines('unrelated-questions.txt');
const average = await lines('average-texts.txt');
const notes = pairs.filter(([note]) => note !== '');
const embedder = await openLocalEmbedder(process.env.MEM_MODEL_DIR!, process.argv[2] ?? 'e5-small-v2');
const embed = (texts: string[], as: 'query' | 'document') => embedder.embed(texts, [], { as });
const dot = (one: Float32Array, other: Float32Array): number =>
  one.reduce((sum, value, i) => sum + value * other[i]!, 0);
const mean = (vectors: readonly Float32Array[]): Float32Array =>
  vectors[0]!.map((_, i) => vectors.reduce((sum, vector) => sum + vector[i]!, 0) / vectors.length);

const questions = await embed(
  pairs.map(([, question]) => question),
  'query',
);
const texts = await embed(
  notes.map(([note]) => note),
  'document',
);
const centers = {
  questions: mean(
    await embed(
      average.map(([question]) => question),
      'query',
    ),
  ),
  texts: mean(
    await embed(
      average.map(([, text]) => text),
      'document',
    ),
  ),
};
await embedder.close();

type Score = (question: Float32Array, text: Float32Array) => number;
const scores: Record<string, Score> = {
  similarity: dot,
  relatedness: (question, text) =>
    relatedness(centers, question, dot(question, text), dot(text, centers.questions)),
};
console.log(embedder.name);
for (const [name, score] of Object.entries(scores)) {
  const answers = notes.map((_, i) => score(questions[i]!, texts[i]!));
  const best = questions
    .slice(notes.length)
    .map((question) => Math.max(...texts.map((text) => score(question, text))));
  const over = answers.flatMap((answer) => best.map((other) => Number(answer > other)));
  console.log(
    `${name}: related above unrelated ${(over.reduce((sum, each) => sum + each, 0) / over.length).toFixed(3)}`,
  );
  for (let limit = 0.02; limit < 0.9; limit += limit < 0.32 ? 0.02 : 0.05) {
    const found = best.filter((value) => value > limit).length;
    const kept = answers.filter((value) => value > limit).length;
    if (kept > 0 && kept + found < pairs.length)
      console.log(
        `  ${limit.toFixed(2)}  unrelated that find: ${found} of ${best.length}, related kept: ${kept} of ${answers.length}`,
      );
  }
}
