import { mkdir, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { EmbeddingConfig } from '@memrelay/dev-env/search-index';
import { startPostgres } from '@memrelay/dev-env/services/postgres';
import { createTestDatabase } from '@memrelay/dev-env/services/test-database';
import { machineFacts } from '../base/machine.ts';
import { embeddingsFrom } from '../recall-quality/embedding-variables.ts';
import { readLocomo } from '../recall-quality/locomo.ts';
import { attackFields } from './field-attacks.ts';
import { storeFields } from './field-rows.ts';
import { seededRandom, shuffled } from './random.ts';
import { recallCost } from './recall-cost.ts';
import { type Namespace, type Row, readNamespaces } from './rows.ts';
import { rowsOf, type Variant, variants } from './variants.ts';
import { guessing, reconstruction } from './vector-attacks.ts';
import { chosenWords, knownTexts } from './word-attacks.ts';

/**
 * `npm run bench:leakage`: measures what a database's rows reveal to an attacker without `MEM_INDEX_KEY`, and the effect of noise
 * and padding (bench/README.md). The rows are written by the relayer's own index. With `fields` only the context fields.
 */

const path = process.env.LOCOMO_FILE ?? new URL('../../../../shared/data/locomo-dev.json', import.meta.url);
const conversations = await readLocomo(path);
const repetitions = 4;

type Figures = Record<string, number>;

function attack(namespaces: readonly Namespace[], rows: readonly Row[], variant: Variant): Figures {
  const namespace = namespaces[0]!;
  const guesses = namespaces.flatMap((each) => each.rows.map(({ plain }) => plain));
  const others = namespaces.slice(1).flatMap((each) => each.rows.map(({ terms }) => [...terms.keys()]));
  const counts = new Map<string, number>();
  for (const term of others.flat()) counts.set(term, (counts.get(term) ?? 0) + 1);
  const frequent = [...counts].sort((a, b) => b[1] - a[1]).map(([term]) => term);
  const figures: Figures = {};
  const add = (name: string, value: number): void => {
    figures[name] = (figures[name] ?? 0) + value / repetitions;
  };
  for (let seed = 0; seed < repetitions; seed++) {
    const random = seededRandom(seed);
    const order = shuffled(rows, random);
    for (const known of variant.padding > 0 ? [] : [1, 10, 200]) {
      const [inside, outside] = [order.slice(0, known), order.slice(known)];
      if (known > 1)
        add(
          `cosine of vectors rebuilt from ${known} known texts`,
          reconstruction(inside, outside, variant.noise > 0),
        );
      if (known < 200)
        add(
          `texts recognized from ${guesses.length} guesses, ${known} known`,
          guessing(inside, outside, guesses),
        );
    }
    if (variant.noise > 0) continue;
    for (const known of [1, 10, 50, 200])
      add(
        `words identified, ${known} known texts`,
        knownTexts(namespace, order.slice(0, known), order.slice(known)),
      );
    for (const [words, rowsPerWord] of [
      [100, 1],
      [1_000, 1],
      [1_000, 3],
    ] as const)
      add(
        `words identified, ${words} written words, ${rowsPerWord} texts each`,
        chosenWords(namespace, frequent.slice(0, words), variant, rowsPerWord, random),
      );
  }
  return figures;
}

async function attackRows(embeddings: readonly EmbeddingConfig[]): Promise<Record<string, unknown>> {
  const results: Record<string, Record<string, Figures>> = {};
  for (const embedding of embeddings) {
    const { url } = await createTestDatabase(postgres.url);
    const namespaces = await readNamespaces(url, embedding, conversations);
    const isModel = embedding.apiKey !== undefined;
    const model = isModel ? embedding.model : 'lexical';
    const ofModel: Record<string, Figures> = {};
    for (const variant of variants) {
      const rows = new Map(namespaces.map((namespace) => [namespace, rowsOf(namespace, variant)]));
      const own = rows.get(namespaces[0]!)!;
      const cost = recallCost(namespaces, (namespace) => rows.get(namespace)!, isModel);
      ofModel[variant.name] = {
        'frac@10': cost.fused,
        'frac@10, vector only': cost.vector,
        'of the exact ten': cost.exactTen,
        'tokens a row': own.reduce((sum, { tokens }) => sum + tokens.size, 0) / own.length,
        ...attack(namespaces, own, variant),
      };
      print(`${model}, ${variant.name}`, ofModel[variant.name]!);
    }
    results[model] = ofModel;
  }
  return results;
}

async function attackTokensOfFields(lexical: EmbeddingConfig): Promise<Figures> {
  const { url } = await createTestDatabase(postgres.url);
  const figures = attackFields(await storeFields(url, lexical, conversations));
  print('context fields', figures);
  return figures;
}

function print(title: string, figures: Figures): void {
  const lines = Object.entries(figures).map(([name, value]) => `  ${name.padEnd(66)} ${value.toFixed(3)}`);
  console.log(`\n${title}\n${lines.join('\n')}`);
}

async function save(name: string, results: Record<string, unknown>): Promise<void> {
  const directory = new URL('../../results/', import.meta.url);
  await mkdir(directory, { recursive: true });
  const file = fileURLToPath(new URL(`${new Date().toISOString().slice(0, 10)}-${name}.json`, directory));
  const about = {
    bench: name,
    at: new Date().toISOString(),
    machine: await machineFacts(),
    data: 'LoCoMo (snap-research/locomo, CC BY-NC 4.0)',
    attacked: { conversation: conversations[0]!.name, texts: conversations[0]!.turns.length },
    repetitions,
  };
  await writeFile(file, `${JSON.stringify({ ...about, results }, null, 2)}\n`);
  console.log(`\nKept in ${file}`);
}

const postgres = await startPostgres();
try {
  const embeddings = await embeddingsFrom(process.env);
  await save('leakage-fields', await attackTokensOfFields(embeddings[0]!));
  if (!process.argv.includes('fields')) await save('leakage', await attackRows(embeddings));
} finally {
  await postgres.stop();
}
