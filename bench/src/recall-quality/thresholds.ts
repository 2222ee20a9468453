import { openLocalEmbedder } from '@memrelay/dev-env/local-embedder';
import { evidenceIn, readLocomo } from './locomo.ts';

/**
 * `MEM_MODEL_DIR=… node bench/src/recall-quality/thresholds.ts e5-small-v2` measures what the thresholds of a local model
 * are chosen from (bench/README.md, "Thresholds of local models"): processor time, the similarity of questions to the
 * turns that answer them and to others, and how similar turns are to earlier ones.
 */

const path = process.env.LOCOMO_FILE ?? new URL('../../../../shared/data/locomo-dev.json', import.meta.url);
const embedder = await openLocalEmbedder(process.env.MEM_MODEL_DIR!, process.argv[2] ?? 'e5-small-v2');
const answers: number[] = [];
const others: number[] = [];
/** For each turn: the similarity to the nearest earlier turn of its conversation */
const nearest: number[] = [];
const spent = { turns: 0, questions: 0 };
const counts = { turns: 0, questions: 0 };

function cosine(one: Float32Array, other: Float32Array): number {
  return one.reduce((sum, value, i) => sum + value * other[i]!, 0);
}

async function measured(kind: keyof typeof spent, texts: readonly string[]): Promise<Float32Array[]> {
  const before = process.cpuUsage();
  const vectors = await embedder.embed(texts, [], { as: kind === 'turns' ? 'document' : 'query' });
  const { user, system } = process.cpuUsage(before);
  spent[kind] += (user + system) / 1000;
  counts[kind] += texts.length;
  return vectors;
}

for (const { turns, questions } of await readLocomo(path)) {
  const vectors = await measured(
    'turns',
    turns.map(({ text }) => text),
  );
  for (const [i, vector] of vectors.entries())
    if (i > 0) nearest.push(Math.max(...vectors.slice(0, i).map((earlier) => cosine(vector, earlier))));
  const asked = await measured(
    'questions',
    questions.map(({ text }) => text),
  );
  for (const [i, question] of questions.entries()) {
    const evidence = evidenceIn('turns', question);
    for (const [j, { id }] of turns.entries()) {
      const list = evidence.has(id) ? answers : others;
      list.push(cosine(asked[i]!, vectors[j]!));
    }
  }
}
await embedder.close();

function shares(values: number[], ...wanted: number[]): string {
  const sorted = Float64Array.from(values).sort();
  const at = (share: number): string => sorted[Math.floor(share * (sorted.length - 1))]!.toFixed(3);
  return wanted.map((share) => `${share * 100} %: ${at(share)}`).join('  ');
}

console.log(embedder.name);
for (const kind of ['turns', 'questions'] as const)
  console.log(
    `${counts[kind]} ${kind}, ${(spent[kind] / counts[kind]).toFixed(1)} ms of processor time each`,
  );
console.log(`answers  ${shares(answers, 0, 0.01, 0.05, 0.5)}`);
console.log(`others   ${shares(others, 0.01, 0.5, 0.9, 0.99)}`);
for (const least of [0.9, 0.93, 0.95, 0.96, 0.97, 0.975, 0.98, 0.99])
  console.log(`turns with an earlier one at ${least}: ${nearest.filter((value) => value >= least).length}`);
