import type { ReindexResponse } from '@memrelay/protocol/reindex';
import { type CamelKeys, camelKeys } from './wire/camel-keys.ts';
import type { CallOptions } from './wire/types.ts';

export interface ReindexOptions extends CallOptions {
  /** Defaults to the client's namespace */
  namespace?: string | undefined;
  /** Called after each request with the totals so far */
  onProgress?: ((reindexed: Reindexed) => void) | undefined;
}

/** The result of all requests: `reindexed` is the sum, `failed` lists all failures. */
export type Reindexed = Omit<CamelKeys<ReindexResponse>, 'nextCursor' | 'failed'> & {
  failed: NonNullable<CamelKeys<ReindexResponse>['failed']>;
};

/** Repeats the request until everything is done. After a temporary failure, call again to continue. */
export async function reindex(
  call: (body: object) => Promise<ReindexResponse>,
  { namespace, onProgress }: ReindexOptions,
): Promise<Reindexed> {
  let reindexed = 0;
  const failed: Reindexed['failed'] = [];
  for (let cursor: string | undefined; ; ) {
    const { nextCursor, ...answer } = camelKeys(await call({ namespace, cursor }));
    reindexed += answer.reindexed;
    failed.push(...(answer.failed ?? []));
    const all = { ...answer, reindexed, failed };
    onProgress?.(all);
    if (nextCursor === undefined) return all;
    cursor = nextCursor;
  }
}
