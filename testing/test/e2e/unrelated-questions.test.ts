import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type PreparedModel, prepareModel } from '../../src/local-model.ts';
import { findLocalModel, openSearchIndex, type SearchIndex } from '../../src/search-index.ts';
import { createTestBackend, type TestBackend } from '../../src/test-backend.ts';

/**
 * Tests what matches by meaning with a real local model: questions that have no word in common with any memory. With this
 * model nearly all of them, related or not, have a similarity above its minimum. Skipped where the model cannot be
 * downloaded.
 */

const related: Record<string, string> = {
  'which hot beverage does she enjoy?': 'Ana likes her tea with lemon',
  'Which drink does he have in the afternoon?': 'Oolong is what Tom has after lunch',
  'which animals scare my child?': 'My son is frightened of spiders',
  'when was our wedding?': 'We got married in Prague in 2016',
  'which programming languages do I know?': 'User writes Python and some Go',
  'is the vehicle roadworthy?': 'The car failed its inspection',
  'what is her profession?': 'Lena teaches chemistry at a high school',
  'am I a vegetarian?': 'I stopped eating meat last winter',
  'at what time do we depart to the airport?': 'Our flight leaves at six in the morning',
  'water damage in the house': 'The basement flooded after the storm',
  'who is a musician?': 'Karl plays the trumpet in a brass band',
  'When do I have to pay the landlord?': 'The rent is due on the first of the month',
  'did anyone get injured?': 'Mia broke her wrist while skating',
  'do I have any debts?': 'I owe Jonas forty euros',
  'pet health': 'Our cat needs a special diet for her kidneys',
  'public holidays at work': 'The office is closed between Christmas and New Year',
  'her business plans': 'She wants to open a bakery next spring',
  insomnia: 'I sleep badly when the moon is full',
  'subject she gives lessons in': 'Lena teaches chemistry at a high school',
  'phobias in the family': 'My son is frightened of spiders',
  'anyone with an instrument?': 'Karl plays the trumpet in a brass band',
  'what food do I avoid?': 'I stopped eating meat last winter',
  'when is our trip by plane?': 'Our flight leaves at six in the morning',
  'change of nutrition': 'I stopped eating meat last winter',
};
const unrelated = [
  'quantum chromodynamics',
  'who discovered penicillin?',
  'stoicism',
  'the Ottoman empire',
  'volleyball rules',
  'tropical fish',
  'graph theory',
  'the Beatles',
  'vaccines',
  'how tall is the Eiffel tower?',
  'parliament',
  'Fibonacci numbers',
  'submarine',
  'ancient Egypt',
  'haiku',
  'bonsai',
  'desert',
  'supply chain',
  'perfume',
  'constitutional law',
  'magnetism',
  'tell me a joke',
  'who is the president?',
  'the Renaissance',
  'emperor penguin',
];

const place = { accountId: Buffer.alloc(32, 7), namespace: 'notes' };
const texts = [...new Set(Object.values(related))];
let model: PreparedModel;
let backend: TestBackend | undefined;
let index: SearchIndex;
const ids = new Map<string, string>();

beforeAll(async () => {
  model = await prepareModel();
  if ('missing' in model) return;
  backend = await createTestBackend();
  index = await openSearchIndex(backend.databaseUrl, {
    provider: 'local',
    local: await findLocalModel(model.directory, 'e5-small-v2'),
    baseUrl: 'http://127.0.0.1:9',
    model: 'e5-small-v2',
    dimension: 384,
    cacheTtlSeconds: 0,
    allowMock: true,
    apiKey: undefined,
  });
  for (const [i, id] of (await index.add(place, texts)).entries()) ids.set(texts[i]!, id);
});
afterAll(async () => {
  await index?.close();
  await backend?.drop();
});

const search = (question: string) => index.search(place, question, 10);

describe('a question', () => {
  test.for(Object.entries(related))(
    'finds the memory that answers it: %s',
    async ([question, text], context) => {
      if ('missing' in model) return context.skip(`no model: ${model.missing}`);
      const found = (await search(question)).find(({ match }) => match.id === ids.get(text))!;
      expect(found.explanation.keywords?.terms ?? 0).toBe(0);
      expect(index.isHit(found)).toBe(true);
    },
  );

  test.for(unrelated)('about something else finds nothing: %s', async (question, context) => {
    if ('missing' in model) return context.skip(`no model: ${model.missing}`);
    const found = await search(question);
    expect(found.length).toBeGreaterThan(0);
    expect(found.filter((each) => index.isHit(each)).map(({ match }) => match.relatedness)).toEqual([]);
  });
});
