import { limits } from '@memrelay/protocol/limits';
import type { RememberBulkAccepted } from '@memrelay/protocol/memories';
import { chunksByJsonSize } from './chunks.ts';
import { contextBody } from './context-body.ts';
import { checkIdempotencyKey } from './options.ts';
import { MemRelayError } from './wire/errors.ts';
import type { RememberItem } from './wire/types.ts';
import { uuidV4 } from './wire/uuid.ts';

/** The body limit for the items, without `{"items":[]}`. */
const itemBytes = limits.bodyBytes - 1024;

/**
 * Sends items in as few requests as the relayer's limits allow, one after the other, and returns their job ids in
 * order; items without a namespace go to `clientNamespace`. Each request has a separate idempotency key derived from
 * `idempotencyKey`, by default a new one, so repeating the call with the same key and items stores nothing twice. The `details` of an error
 * contain it and the accepted jobs.
 */
export async function rememberInChunks(
  items: readonly RememberItem[],
  clientNamespace: string | undefined,
  idempotencyKey: string | undefined,
  send: (body: { items: object[] }, key: string) => Promise<Pick<RememberBulkAccepted, 'job_ids'>>,
): Promise<{ jobIds: string[] }> {
  const key = idempotencyKey ?? uuidV4();
  const named = items.map((item) => ({
    text: item.text,
    namespace: item.namespace ?? clientNamespace,
    ...contextBody(item),
  }));
  const requests = chunksByJsonSize(named, limits.bulkItems, itemBytes).map((chunk, index) => ({
    chunk,
    key: checkIdempotencyKey(index === 0 ? key : `${key}.${index}`),
  }));
  const jobIds: string[] = [];
  try {
    for (const request of requests) {
      const { job_ids: accepted } = await send({ items: request.chunk }, request.key);
      if (accepted?.length !== request.chunk.length)
        throw new MemRelayError('invalid_response', 'The relayer did not return one job id per item.');
      jobIds.push(...accepted);
    }
  } catch (error) {
    if (error instanceof MemRelayError)
      Object.assign(error, { details: { ...error.details, acceptedJobIds: jobIds, idempotencyKey: key } });
    throw error;
  }
  return { jobIds };
}
