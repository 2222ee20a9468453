import { createHash } from 'node:crypto';
import { type EmbeddingConfig, openSearchIndex } from '@memrelay/dev-env/search-index';
import { type Conversation, evidenceIn } from './locomo.ts';
import { ownRankings, plainRankings, type Rankings, rankingsWithFields } from './rankings.ts';
import { evidenceRanks, type Outcome } from './score.ts';

export type UnitKind = 'turns' | 'sessions';

/** The results of each ranking for each question, by the ranking's name. */
export type Outcomes = Map<string, Outcome[]>;

/**
 * Stores each conversation as a namespace of a separate owner and asks all its questions. Each embedder has the
 * database at the same index in `databaseUrls`.
 */
export async function measureKind(
  conversations: readonly Conversation[],
  kind: UnitKind,
  embeddings: readonly EmbeddingConfig[],
  databaseUrls: readonly string[],
): Promise<Outcomes> {
  const outcomes: Outcomes = new Map();
  for (const conversation of conversations)
    await askAll(conversation, kind, '', plainRankings(conversation[kind]), outcomes);
  for (const [i, embedding] of embeddings.entries()) {
    const index = await openSearchIndex(databaseUrls[i]!, embedding);
    try {
      for (const conversation of conversations) {
        const place = { accountId: ownerOf(conversation.name, kind), namespace: conversation.name };
        const rankings = await ownRankings(index, place, conversation[kind]);
        await askAll(conversation, kind, `${index.model}: `, rankings, outcomes);
        if (kind === 'sessions') continue;
        const separate = { ...place, namespace: `${conversation.name} with fields` };
        const withFields = await rankingsWithFields(index, separate, conversation[kind]);
        await askAll(conversation, kind, `${index.model}: `, withFields, outcomes);
      }
    } finally {
      await index.close();
    }
  }
  return outcomes;
}

/** The same owner in each run, because the lexical embedder's collisions depend on the owner's key. */
function ownerOf(name: string, kind: UnitKind): Buffer {
  return createHash('sha256').update(`${kind} of ${name}`).digest();
}

async function askAll(
  conversation: Conversation,
  kind: UnitKind,
  prefix: string,
  rankings: Rankings,
  outcomes: Outcomes,
): Promise<void> {
  for (const question of conversation.questions) {
    const evidence = evidenceIn(kind, question);
    for (const [name, ranking] of Object.entries(await rankings(question.text))) {
      const list = outcomes.get(prefix + name) ?? [];
      list.push({
        conversation: conversation.name,
        question: question.no,
        category: question.category,
        evidence: evidence.size,
        ranks: evidenceRanks(ranking, evidence),
      });
      outcomes.set(prefix + name, list);
    }
  }
}
