import { readFile } from 'node:fs/promises';
import { encodeCenter, openLocalEmbedder } from '@memrelay/dev-env/local-embedder';

/**
 * `MEM_MODEL_DIR=… node bench/src/recall-quality/centers.ts e5-small-v2` prints the centres of a local model for
 * `known-centers.ts` of the relayer: the mean vectors of everyday questions and notes on many subjects.
 */

const lines = (await readFile(new URL('../../data/average-texts.txt', import.meta.url), 'utf8'))
  .split('\n')
  .filter((line) => line.includes(' | ') && !line.startsWith('#'));
const pairs = lines.map((line) => line.split(' | ') as [string, string]);
const embedder = await openLocalEmbedder(process.env.MEM_MODEL_DIR!, process.argv[2] ?? 'e5-small-v2');
const mean = (vectors: readonly Float32Array[]): Float32Array =>
  vectors[0]!.map((_, i) => vectors.reduce((sum, vector) => sum + vector[i]!, 0) / vectors.length);
const questions = await embedder.embed(
  pairs.map(([question]) => question),
  [],
  { as: 'query' },
);
const texts = await embedder.embed(
  pairs.map(([, text]) => text),
  [],
);
await embedder.close();
console.log(`${embedder.name}, ${pairs.length} questions and texts`);
console.log(`questions: '${encodeCenter(mean(questions))}'`);
console.log(`texts: '${encodeCenter(mean(texts))}'`);
