import type { RecallManualResponse } from '@memrelay/protocol/memories';
import type { ManualBase } from '../manual/manual-base.ts';
import { recallSealed } from '../manual/recall.ts';
import { camelKeys } from '../wire/camel-keys.ts';
import { questionTokens } from './private-index.ts';
import type { PrivateRecallHit, PrivateRecallOptions, PrivateRecallResult } from './private-types.ts';
import type { SearchKeys } from './search-keys.ts';
import type { PrivatePlace } from './secret-source.ts';

export interface AskedPrivately {
  query: string;
  /** Under the map of the search secret; undefined for a search by words alone */
  embedded: { vector: Float32Array; model: string } | undefined;
}

/** Sends tokens and a mapped vector of a question, and opens the hits. Throws like `recallSealed`. */
export async function recallPrivate(
  { connection, p, options: { trustedWriters, trustRelayer } }: ManualBase,
  { parts, namespace }: PrivatePlace,
  keys: SearchKeys,
  { query, embedded }: AskedPrivately,
  options: PrivateRecallOptions,
): Promise<PrivateRecallResult> {
  let answer: RecallManualResponse | undefined;
  const body = {
    private: questionTokens(keys, query, {
      withRelated: embedded === undefined,
      tags: options.tags,
      nowMs: connection.clock.now(),
    }),
    include_envelopes: options.includeEnvelopes ?? true,
    explain: options.explain,
  };
  const question = {
    vector: embedded?.vector,
    embeddingModel: embedded?.model,
    namespace,
    private: {
      body,
      onAnswer: (given: RecallManualResponse) => {
        answer = given;
      },
    },
  };
  const found = await recallSealed(connection, parts, p, question, {
    ...options,
    trustedWriters,
    trustRelayer,
  });
  const explained = new Map(answer!.results.map(({ id, explain }) => [id, explain]));
  const { not_searchable: notSearchable, partial } = answer!;
  return {
    ...found,
    results: found.results.map((hit): PrivateRecallHit => {
      const explain = explained.get(hit.id);
      return explain === undefined ? hit : { ...hit, explain: camelKeys(explain) };
    }),
    ...(partial ? { partial } : {}),
    ...(notSearchable ? { notSearchable } : {}),
  };
}
