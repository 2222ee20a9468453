/**
 * Errors of the publisher and aggregator, in the envelope that the real ones use. The names of statuses and
 * reasons are part of the wire contract.
 */

interface ApiErrorFields {
  httpStatus: number;
  /** Canonical status name in the envelope */
  status: string;
  reason: string;
  /** `domain` in the envelope; the daemon's by default */
  domain?: string;
  /** Whether the client caused the error although the status is 5xx; such errors are not logged */
  ofTheClient?: boolean;
  headers?: Record<string, string>;
}

export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly fields: ApiErrorFields;

  constructor(message: string, fields: ApiErrorFields, options?: ErrorOptions) {
    super(message, options);
    this.fields = fields;
  }
}

const daemonDomain = 'daemon.walrus.space';

/** The response body of an error; `requestId` lets a reader find the log line of a 500. */
export function errorBody({ message, fields }: ApiError, requestId: string): string {
  const { httpStatus: code, status, reason, domain = daemonDomain } = fields;
  const details: object[] = [{ '@type': 'ErrorInfo', reason, domain, metadata: {} }];
  if (code === 500) {
    details.push({ '@type': 'DebugInfo', stackEntries: [], detail: `TraceID: ${requestId}` });
  }
  return JSON.stringify({ error: { status, code, message, details } });
}

function invalidArgument(reason: string, message: string): ApiError {
  return new ApiError(message, { httpStatus: 400, status: 'INVALID_ARGUMENT', reason });
}

export function malformedRequest(message: string): ApiError {
  return invalidArgument('MALFORMED_REQUEST', message);
}

function permissionDenied(reason: string, message: string): ApiError {
  return new ApiError(message, { httpStatus: 403, status: 'PERMISSION_DENIED', reason });
}

export function hostNotAllowed(): ApiError {
  return permissionDenied(
    'HOST_NOT_ALLOWED',
    'on a loopback address the store only accepts the hosts localhost, 127.0.0.1 and [::1]',
  );
}

export function originNotAllowed(): ApiError {
  return permissionDenied('ORIGIN_NOT_ALLOWED', 'pages from this origin may only read');
}

export function invalidIdFormat(): ApiError {
  return invalidArgument('INVALID_ID_FORMAT', 'a blob ID is 43 characters of unpadded URL-safe base64');
}

export function invalidObjectId(): ApiError {
  return invalidArgument('INVALID_ID_FORMAT', 'an object ID is 0x and up to 64 hex digits');
}

export function invalidEpochs(maximum: number): ApiError {
  return invalidArgument('INVALID_EPOCHS', `epochs must be a whole number from 1 to ${maximum}`);
}

export function invalidBlobPersistence(): ApiError {
  return invalidArgument(
    'INVALID_BLOB_PERSISTENCE',
    'a blob cannot be both deletable and permanent; set at most one of the two to true',
  );
}

export function invalidConsistencyCheck(): ApiError {
  return invalidArgument(
    'INVALID_CONSISTENCY_CHECK',
    'strict_consistency_check and skip_consistency_check cannot both be true',
  );
}

export function blobNotFound(): ApiError {
  return new ApiError(
    'the requested blob ID does not exist on Walrus, ensure that it was entered correctly',
    { httpStatus: 404, status: 'NOT_FOUND', reason: 'BLOB_NOT_FOUND' },
  );
}

/** `blobNotFound` as a CDN returns it: `age` and `x-cache` show that the response is from a cache. */
export function cachedNotFound(): ApiError {
  const { message, fields } = blobNotFound();
  return new ApiError(message, { ...fields, headers: { age: '1', 'x-cache': 'HIT' } });
}

/** `cause` goes into the log, never into the response. */
export function blobUnavailable(cause: unknown): ApiError {
  return new ApiError(
    'the requested blob cannot be read at the moment, please try again later',
    { httpStatus: 503, status: 'UNAVAILABLE', reason: 'BLOB_UNAVAILABLE', headers: { 'retry-after': '1' } },
    { cause },
  );
}

/** `cause` goes into the log, never into the response. */
export function storageFull(cause: unknown): ApiError {
  return new ApiError(
    'no space left for more blobs; stored blobs stay readable',
    { httpStatus: 507, status: 'RESOURCE_EXHAUSTED', reason: 'STORAGE_FULL' },
    { cause },
  );
}

/** The operator's limit for the whole store. Deleting blobs or raising the limit makes room; a retry does not. */
export function storeLimitReached(limitBytes: number): ApiError {
  return new ApiError(
    `this store holds at most ${limitBytes} bytes of blobs (--max-store-bytes), and this blob does not fit`,
    { httpStatus: 507, status: 'RESOURCE_EXHAUSTED', reason: 'STORE_LIMIT_REACHED' },
  );
}

export function storeUnavailable(cause: unknown): ApiError {
  return new ApiError(
    'the blob cannot be registered at the moment, please try again later',
    {
      httpStatus: 503,
      status: 'UNAVAILABLE',
      reason: 'REGISTRY_UNAVAILABLE',
      headers: { 'retry-after': '1' },
    },
    { cause },
  );
}

/**
 * The real publisher's response if too few storage nodes accepted a blob. The blob is registered but not certified.
 */
export function insufficientConfirmations(): ApiError {
  return new ApiError('the blob could not be stored on enough storage nodes in time, please try again', {
    httpStatus: 504,
    status: 'DEADLINE_EXCEEDED',
    reason: 'INSUFFICIENT_CONFIRMATIONS',
  });
}

/** `totalBytes` is the size of the blob that the range does not fit. */
export function invalidByteRange(totalBytes: number): ApiError {
  return new ApiError('the requested byte range is not valid for this blob', {
    httpStatus: 416,
    status: 'RANGE_NOT_SATISFIABLE',
    reason: 'INVALID_BYTE_RANGE',
    headers: { 'content-range': `bytes */${totalBytes}` },
  });
}

export function payloadTooLarge(limitBytes: number): ApiError {
  return new ApiError(`the body is larger than the allowed ${limitBytes} bytes`, {
    httpStatus: 413,
    status: 'SIZE_EXCEEDED',
    reason: 'PAYLOAD_TOO_LARGE',
  });
}

export function tooManyRequests(part: 'publisher' | 'aggregator'): ApiError {
  return new ApiError(`the ${part} is receiving too many requests; please try again later`, {
    httpStatus: 429,
    status: 'RESOURCE_EXHAUSTED',
    reason: 'TOO_MANY_REQUESTS',
    headers: { 'retry-after': '1' },
  });
}

export function unknownRoute(): ApiError {
  return new ApiError('no route at this path', {
    httpStatus: 404,
    status: 'NOT_FOUND',
    reason: 'ROUTE_NOT_FOUND',
  });
}

export function methodNotAllowed(allow: string): ApiError {
  return new ApiError(`this path accepts ${allow}`, {
    httpStatus: 405,
    status: 'METHOD_NOT_ALLOWED',
    reason: 'METHOD_NOT_ALLOWED',
    headers: { allow },
  });
}

export function internalError(cause: unknown): ApiError {
  return new ApiError(
    'internal error; the server log has the reason under the trace ID',
    { httpStatus: 500, status: 'INTERNAL', reason: 'INTERNAL_ERROR' },
    { cause },
  );
}
