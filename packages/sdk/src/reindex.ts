import type { ReindexResponse } from '@memrelay/protocol/reindex';
import { type CamelKeys, camelKeys } from './wire/camel-keys.ts';
import type { CallOptions } from './wire/types.ts';

export interface ReindexOptions extends CallOptions {
  /** Of the client when omitted */
  namespace?: string | undefined;
  /** After each call, with what all of them have done so far */
  onProgress?: ((reindexed: Reindexed) => void) | undefined;
}

/** Of several calls: `reindexed` is their sum, `failed` what each could not do. */
export type Reindexed = Omit<CamelKeys<ReindexResponse>, 'nextCursor' | 'failed'> & {
  failed: NonNullable<CamelKeys<ReindexResponse>['failed']>;
};

/** Calls until the end. A failure that passes leaves something behind: calling again goes on there. */
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
