import { ApiError } from './api-error.ts';

/** Errors of reads. Statuses and reasons are those of the real aggregator. */

export function forbiddenBlob(): ApiError {
  return new ApiError('the requested blob is blocked by this operator', {
    httpStatus: 451,
    status: 'UNAVAILABLE_FOR_LEGAL_REASONS',
    reason: 'FORBIDDEN_BLOB',
  });
}

export function blobTooLarge(maxBytes: number): ApiError {
  return new ApiError(`the blob size exceeds the maximum allowed size: ${maxBytes}`, {
    httpStatus: 403,
    status: 'SIZE_EXCEEDED',
    reason: 'BLOB_TOO_LARGE',
  });
}

/** For the parameters of the byte-range route; a `Range` header has 416 instead. */
export function invalidRangeParameters(message: string): ApiError {
  return new ApiError(message, {
    httpStatus: 400,
    status: 'INVALID_ARGUMENT',
    reason: 'INVALID_BYTE_RANGE',
  });
}

/** For one of several ids; `position` counts from 1. */
export function neitherId(position: number): ApiError {
  return new ApiError(`ID ${position} of the list is neither a blob ID nor an object ID`, {
    httpStatus: 400,
    status: 'INVALID_ARGUMENT',
    reason: 'INVALID_ID_FORMAT',
  });
}

export function objectNotResolved(objectId: string): ApiError {
  return new ApiError(`there is no blob object with the ID ${objectId}`, {
    httpStatus: 404,
    status: 'NOT_FOUND',
    reason: 'OBJECT_ID_RESOLUTION_FAILED',
  });
}

export function notJson(): ApiError {
  return new ApiError('the body must be JSON, with the content type application/json', {
    httpStatus: 415,
    status: 'INVALID_ARGUMENT',
    reason: 'UNSUPPORTED_MEDIA_TYPE',
  });
}

/** The body is valid JSON but does not have the shape that the route expects. */
export function wrongShape(message: string): ApiError {
  return new ApiError(message, {
    httpStatus: 422,
    status: 'INVALID_ARGUMENT',
    reason: 'MALFORMED_REQUEST',
  });
}
