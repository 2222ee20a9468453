import { ApiError, malformedRequest, payloadTooLarge } from '../base/api-error.ts';
import { MultipartError } from '../http/multipart.ts';
import { InvalidQuiltError, QuiltInputError, QuiltTooLargeError } from '../quilt/quilt-errors.ts';
import { BodyTooLargeError } from '../storage/storage.ts';
import { throwReadFailure } from './send-blob.ts';

/** Errors of quilts. They also replace 500s in which the real daemon exposes its internals. */

export function invalidPatchId(): ApiError {
  return new ApiError(
    'a quilt patch ID is 50 characters of unpadded URL-safe base64 that name a quilt and columns of it',
    { httpStatus: 400, status: 'INVALID_ARGUMENT', reason: 'INVALID_ID_FORMAT' },
  );
}

export function patchNotFound(): ApiError {
  return new ApiError('the requested quilt patch does not exist on Walrus', {
    httpStatus: 404,
    status: 'NOT_FOUND',
    reason: 'QUILT_PATCH_NOT_FOUND',
  });
}

/** `cause` goes into the log, never into the response. */
export function notAQuilt(cause: unknown): ApiError {
  return new ApiError(
    'the blob with this ID is not a quilt',
    { httpStatus: 400, status: 'FAILED_PRECONDITION', reason: 'NOT_A_QUILT' },
    { cause },
  );
}

/** The response for a quilt read that failed before the response started. */
export function throwQuiltReadFailure(error: unknown): never {
  if (error instanceof InvalidQuiltError) throw notAQuilt(error);
  return throwReadFailure(error);
}

/** The response for a quilt store that failed because of the request. */
export function asQuiltRefusal(error: unknown, maxBodyBytes: number): unknown {
  if (error instanceof BodyTooLargeError) return payloadTooLarge(maxBodyBytes);
  if (error instanceof MultipartError || error instanceof QuiltInputError)
    return malformedRequest(error.message);
  if (error instanceof QuiltTooLargeError) {
    return new ApiError(error.message, {
      httpStatus: 413,
      status: 'SIZE_EXCEEDED',
      reason: 'PAYLOAD_TOO_LARGE',
    });
  }
  return error;
}
