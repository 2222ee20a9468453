import { ApiError } from './api-error.ts';

/** What the real publisher answers when too few storage nodes took a blob: it is registered and not certified. */
export function insufficientConfirmations(): ApiError {
  return new ApiError('the blob could not be stored on enough storage nodes in time, please try again', {
    httpStatus: 504,
    status: 'DEADLINE_EXCEEDED',
    reason: 'INSUFFICIENT_CONFIRMATIONS',
  });
}

/** `blobNotFound` as a cache answers it: `age` and `x-cache` tell that it was not asked for now. */
export function cachedNotFound(): ApiError {
  return new ApiError(
    'the requested blob ID does not exist on Walrus, ensure that it was entered correctly',
    {
      httpStatus: 404,
      status: 'NOT_FOUND',
      reason: 'BLOB_NOT_FOUND',
      headers: { age: '1', 'x-cache': 'HIT' },
    },
  );
}
