import { Document, type DocumentInterface } from '@langchain/core/documents';
import { BaseRetriever, type BaseRetrieverInput } from '@langchain/core/retrievers';
import { recallUnlessPaused } from '@memrelay/adapter/recall-circuit';
import type { MemRelay, TagFilterOptions } from '@memrelay/sdk';

export interface MemRelayRetrieverOptions extends Omit<BaseRetrieverInput, 'tags'> {
  memory: Pick<MemRelay, 'recall'>;
  /** Where the memories are; default: the client's namespace */
  namespace?: string | undefined;
  /** Maximum number of documents, 1–100; default 10 */
  limit?: number | undefined;
  /** Omit memories with a lower score */
  minScore?: number | undefined;
  /** Only memories whose tags pass. Not the tags of LangChain's callbacks, which are set when the retriever is called. */
  tags?: TagFilterOptions | undefined;
}

/**
 * Recalls memories as documents, best first. `metadata` has the memory's own metadata and its `id`, `score`, `createdAt`, `speaker`,
 * `happenedAt`, `tags` and `supersededBy`. Rejects with `MemRelayError`; with `RecallPausedError`, at once, while the relayer is down.
 */
export class MemRelayRetriever extends BaseRetriever {
  override lc_namespace = ['memrelay', 'retrievers'];
  readonly #options: MemRelayRetrieverOptions;

  static override lc_name(): string {
    return 'MemRelayRetriever';
  }

  constructor(options: MemRelayRetrieverOptions) {
    const { callbacks, metadata, verbose } = options;
    super({
      ...(callbacks === undefined ? {} : { callbacks }),
      ...(metadata === undefined ? {} : { metadata }),
      ...(verbose === undefined ? {} : { verbose }),
    });
    this.#options = options;
  }

  override async _getRelevantDocuments(query: string): Promise<DocumentInterface[]> {
    const { memory, namespace, limit, minScore, tags } = this.#options;
    const options = { namespace, limit, minScore, tags, explain: true };
    const { results } = await recallUnlessPaused(memory, query, options);
    return results.map(
      ({ text, metadata, id, score, createdAt, speaker, happenedAt, tags, supersededBy }) => {
        const own = { id, score, createdAt, speaker, happenedAt, tags, supersededBy };
        return new Document({ id, pageContent: text, metadata: { ...metadata, ...withoutAbsent(own) } });
      },
    );
  }
}

function withoutAbsent(value: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).filter(([, each]) => each !== undefined));
}
