import { randomBytes } from 'node:crypto';
import type { AccountNamespace } from '@memrelay/dev-env/search-index';
import { questionOf, searchedTerms } from '@memrelay/text-index/question';
import { termsOf } from '@memrelay/text-index/words/terms';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Relevance } from '../../src/memories/recall/fusion.ts';
import { matchReason, rankMatching, reasonsFor } from '../../src/memories/recall/matching.ts';
import { databases, type TestDb } from '../support/databases.ts';
import { lexical } from '../support/index-parts.ts';
import { ask, insertMemories } from '../support/indexed-memories.ts';

const question = 'what does Ana drink?';
const answer = 'Ana likes her tea with lemon';
/** Other texts about Ana, and others about drinking */
const others = [
  'Ana lives in Lisbon',
  "Ana's birthday is 3 May",
  'Ana moved',
  'Bo drinks coffee',
  'I drink two glasses of water before breakfast',
  'Ana and Bo met at work',
];
const names = ['Bo', 'Cleo', 'Dario', 'Emma', 'Farid', 'Gita', 'Hugo', 'Ines'];
const statements = [
  'went to the market on Sunday',
  'plays the violin',
  'drinks too little',
  'is learning Portuguese',
  'bought a red bicycle',
  'has a meeting at noon',
  'likes old films',
];

describe.each(databases)('the question of the README on $name', ({ create }) => {
  let database: TestDb;
  beforeAll(async () => {
    database = await create();
  });
  afterAll(() => database?.drop());
  const newNamespace = (): AccountNamespace => ({ accountId: randomBytes(32), namespace: 'default' });

  test.each([1, 7, 350])('finds its answer first among %i memories', async (count) => {
    const namespace = newNamespace();
    const many = Array.from(
      { length: 343 },
      (_, i) => `${names[i % names.length]} ${statements[i % statements.length]} (${i})`,
    );
    const [id] = await insertMemories(database.db, namespace, [answer, ...others, ...many].slice(0, count));
    for (const asked of [question, 'What does Ana like to drink?', 'Which drinks does Ana like?']) {
      const [first] = await ask(database.db, namespace, asked);
      expect(first!.match.id).toBe(id);
      expect(first!.explanation.keywords).toMatchObject({ related: 1 });
    }
  });

  test('matches nothing without a common word, a related word or a near vector', async () => {
    const namespace = newNamespace();
    const texts = [answer, ...others, 'The harbour opens at dawn', 'Привет из Порто', '港は夜明けに開く'];
    const ids = await insertMemories(database.db, namespace, texts);
    const textOf = new Map(ids.map((id, i) => [id, texts[i]!]));
    for (const query of [question, 'who plays chess?', 'the of and', 'Где гавань?', '港', '🎉', 'xyzzy']) {
      const question = questionOf(query, true);
      const wanted = new Set(searchedTerms(question));
      for (const each of await ask(database.db, namespace, query, { limit: 100 })) {
        const shares = termsOf(textOf.get(each.match.id)!).some((term) => wanted.has(term));
        const reason = matchReason(each, { ...lexical, minScore: 1 });
        expect(reason).toBe(shares ? 'words' : undefined);
      }
    }
  });
});

test('recognizes capitalized words inside a question as names', () => {
  const namesIn = (query: string) => {
    const { terms, names: places } = questionOf(query, true);
    return [...places].map((namespace) => terms[namespace]);
  };
  expect(namesIn(question)).toEqual(['ana']);
  expect(namesIn('Ana drinks what?')).toEqual([]);
  expect(namesIn('Who is Bo, and where does "Ana" live? Maybe in Porto.')).toEqual(['bo', 'ana', 'porto']);
  expect(namesIn('wo wohnt Zoë?')).toEqual(['zoe']);
});

test('looks up at most 64 related words for a long question, each for one of its terms', () => {
  const { terms, related } = questionOf('drink eat food live home work job pet animal hobby music tea', true);
  expect(related.length).toBe(64);
  for (const { term, of } of related) {
    expect(terms[of]).toBeDefined();
    expect(terms).not.toContain(term);
  }
  expect(questionOf(question, false).related).toEqual([]);
});

test('ranks words that are merely spelled alike below exact matches', () => {
  const candidates = [0.9, 0.8, 0.7, 0.6].map((similarity, i) => ({
    match: { id: `m${i}`, distance: 1 - similarity, near: true, createdAt: new Date(0), importance: 0.5 },
    score: similarity,
    explanation: {
      vector: { score: similarity },
      keywords: { score: 0, terms: i % 2 },
      vector_share: 1,
    },
  })) as unknown as Relevance[];
  const ids = (limit: number, more: { min_score?: number } = {}) => {
    const request = { limit, ...more };
    const ranked = rankMatching(candidates, reasonsFor(request, lexical), request, 0);
    return ranked.map(({ match }) => match.id);
  };
  expect(ids(2)).toEqual(['m1', 'm3']);
  expect(ids(3)).toEqual(['m1', 'm3', 'm0']);
  expect(ids(4, { min_score: -1 })).toEqual(['m0', 'm1', 'm2', 'm3']);
});
