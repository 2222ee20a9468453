import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const results = `${root}/bench/results`;
const newest = readdirSync(results)
  .filter((name) => name.endsWith('-leakage.json'))
  .sort()
  .at(-1)!;

interface Measured {
  results: Record<string, Record<string, Record<string, number>>>;
}

test('docs/security.md states the newest measured leakage', () => {
  const page = readFileSync(`${root}/docs/security.md`, 'utf8');
  const { results: models } = JSON.parse(readFileSync(`${results}/${newest}`, 'utf8')) as Measured;
  const [builtIn, model] = [models.lexical!['as stored']!, models['all-MiniLM-L6-v2']!['as stored']!];
  const percent = (share: number): string => `${(share * 100).toFixed(share < 0.01 ? 1 : 0)} %`;
  const guessed = 'texts told from 2080 guesses, 1 known';
  const rebuilt = (known: number): string =>
    [model, builtIn]
      .map((figures) => figures[`cosine of vectors rebuilt from ${known} known texts`]!.toFixed(2))
      .join(' | ');
  const words = [1, 10, 50, 200].map((known) => percent(builtIn[`words told, ${known} known texts`]!));
  const chosen = [100, 1_000].map((written) =>
    percent(builtIn[`words told, ${written} written words, 1 texts each`]!),
  );
  for (const row of [
    `| ${percent(model[guessed]!)} of the rows | ${percent(builtIn[guessed]!)} |`,
    `| vectors, rebuilt with cosine | ${rebuilt(10)} |`,
    `| 200 texts | the same | ${rebuilt(200)} |`,
    `| words of the other texts | ${words.join(', ')} | the same |`,
    `| words of all texts | ${chosen.join(', ')} | the same |`,
  ])
    expect(page).toContain(row);
});

test('docs/security.md states the newest measured leakage of context fields', () => {
  const page = readFileSync(`${root}/docs/security.md`, 'utf8');
  const last = readdirSync(results)
    .filter((name) => name.endsWith('-leakage-fields.json'))
    .sort()
    .at(-1)!;
  const { results: figures } = JSON.parse(readFileSync(`${results}/${last}`, 'utf8')) as {
    results: Record<string, number>;
  };
  const percent = (name: string): string => `${(figures[name]! * 100).toFixed(0)} %`;
  const named = (field: string, more = ''): string =>
    [1, 10, 50].map((known) => percent(`${field}: named, ${known} known texts${more}`)).join(', ');
  for (const field of ['session', 'speaker', 'day', 'month'])
    expect(figures[`${field}: groups are exactly the true ones`]).toBe(1);
  for (const place of ['namespace', 'account'])
    expect(figures[`tokens shared with another ${place}`]).toBe(0);
  for (const stated of [
    `session of the other texts: ${named('session')}; speaker: ${named('speaker')}; month: ${named('month')} |`,
    `${percent('tag: named by frequency')} of the tags on memories; with pairs of tags ${percent('tag: named by frequency and pairs')} |`,
    `tags on the other texts: ${named('tag')}; with frequencies and pairs ${named('tag', ', frequency and pairs')} |`,
    `no common token; ${percent('tag: linked to those of another namespace, frequency and pairs')} of the tags`,
  ])
    expect(page).toContain(stated);
});
