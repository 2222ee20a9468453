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
