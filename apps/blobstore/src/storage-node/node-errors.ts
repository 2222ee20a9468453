import { ApiError } from '../base/api-error.ts';

/** Errors of storage nodes, with the reasons of the real ones, which clients depend on. */

const domain = 'storage.walrus.space';

function error(httpStatus: number, status: string, reason: string, message: string): ApiError {
  return new ApiError(message, { httpStatus, status, reason, domain });
}

const precondition = (reason: string, message: string) => error(400, 'FAILED_PRECONDITION', reason, message);
const invalid = (reason: string, message: string) => error(400, 'INVALID_ARGUMENT', reason, message);

export const metadataNotFound = () =>
  error(404, 'NOT_FOUND', 'METADATA_NOT_FOUND', 'the requested metadata is unavailable');

export const sliverNotFound = () =>
  error(404, 'NOT_FOUND', 'SLIVER_NOT_FOUND', 'the requested sliver is unavailable');

export const notRegistered = () =>
  precondition('NOT_REGISTERED', 'the blob has not been registered or has already expired');

export const missingMetadata = () =>
  precondition('METADATA_NOT_FOUND', 'blob metadata is required but missing');

export const missingSlivers = () =>
  precondition('MISSING_SLIVERS', 'the required slivers are not all stored');

export const tooManyUploads = () =>
  precondition('CACHE_SATURATED', 'too many uploads of slivers are unfinished: retry later');

export const shardNotAssigned = (shard: number) =>
  precondition('SHARD_NOT_ASSIGNED', `shard ${shard} is not assigned to this node`);

export const invalidMetadata = (why: string) =>
  invalid('INVALID_METADATA', `the provided metadata failed to verify: ${why}`);

export const invalidSliver = (why: string) =>
  invalid('INVALID_SLIVER', `the provided sliver is invalid: ${why}`);

export const indexOutOfRange = (max: number) =>
  invalid('INDEX_OUT_OF_RANGE', `requires a whole number: 0 <= index < ${max}`);

/** For slivers that all match the metadata but do not encode any blob. */
export const inconsistentBlob = () =>
  precondition('INVALID_BLOB', 'the slivers are not the encoding of a blob with this id');

/** For a stored blob that is too large to be encoded for each reader. */
export const tooLargeForSlivers = (maxBytes: number) =>
  error(
    403,
    'SIZE_EXCEEDED',
    'BLOB_TOO_LARGE',
    `slivers are exchanged for blobs of up to ${maxBytes} bytes: use the aggregator, the publisher or the upload relay`,
  );
