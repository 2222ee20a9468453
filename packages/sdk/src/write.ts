import { checkIdempotencyKey } from './options.ts';
import { type Connection, callRelayer } from './wire/request.ts';
import type { WriteOptions } from './wire/types.ts';
import { uuidV4 } from './wire/uuid.ts';

/** A write that can be retried: it has an idempotency key, the same for all attempts. */
export async function write<T>(
  connection: Connection,
  path: string,
  body: unknown,
  { idempotencyKey: key, signal }: WriteOptions,
  sessionPackageId?: string,
): Promise<T> {
  const idempotencyKey = checkIdempotencyKey(key ?? uuidV4());
  const call = {
    method: 'POST',
    path,
    body,
    idempotencyKey,
    signal,
    ...(sessionPackageId && { sessionPackageId }),
  } as const;
  return (await callRelayer<T>(connection, call)).value;
}
