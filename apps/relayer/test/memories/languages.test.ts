import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { databases, type TestDb } from '../support/databases.ts';
import { languageCases } from '../support/language-cases.ts';
import { recallTexts } from '../support/recall-texts.ts';

const cases = Object.entries(languageCases).flatMap(([about, lines]) =>
  lines
    .trim()
    .split('\n')
    .map((line) => ({ about, texts: line.split('|').map((text) => text.trim()) })),
);

describe.each(databases)('on $name', ({ create }) => {
  let database: TestDb;
  beforeAll(async () => {
    database = await create();
  });
  afterAll(() => database?.drop());

  test.each(cases)('finds the answer first, $about: $texts.0', async ({ texts }) => {
    const [question, answer, ...others] = texts as [string, string, ...string[]];
    const found = await recallTexts(database.db, [...others, answer], question);
    expect(found[0]).toBe(answer);
  });
});

test('has at least 64 cases of twelve kinds', () => {
  expect(cases.length).toBeGreaterThanOrEqual(64);
  expect(Object.keys(languageCases).length).toBeGreaterThanOrEqual(12);
});
