import { ApiError } from '../base/api-error.ts';

/** Rejections of a publisher token have this domain in the envelope, all others the daemon's. */
const domain = 'auth.publisher.walrus.space';

/** Problems of a token, or of the store that it is used for. All get status 400. */
export type Precondition =
  | 'MISSING_TOKEN'
  | 'INVALID_TOKEN'
  | 'INCONSISTENT_TOKEN'
  | 'INVALID_EXPIRATION'
  | 'INVALID_TIMESTAMP'
  | 'INVALID_EPOCHS'
  | 'INVALID_SIZE'
  | 'INVALID_SEND_OBJECT_TO';

export function failedPrecondition(reason: Precondition, message: string): ApiError {
  return new ApiError(message, { httpStatus: 400, status: 'FAILED_PRECONDITION', reason, domain });
}

export function invalidToken(message: string): ApiError {
  return failedPrecondition('INVALID_TOKEN', message);
}

export function invalidSignature(): ApiError {
  return new ApiError('the signature of the token is not valid', {
    httpStatus: 401,
    status: 'UNAUTHENTICATED',
    reason: 'INVALID_SIGNATURE',
    domain,
  });
}

/** Status 504, because the real publisher uses it. */
export function expiredToken(): ApiError {
  return new ApiError('the token has expired', {
    httpStatus: 504,
    status: 'DEADLINE_EXCEEDED',
    reason: 'EXPIRED_SIGNATURE',
    domain,
    ofTheClient: true,
  });
}

export function tokenAlreadyUsed(): ApiError {
  return new ApiError('the token has been used already; each token is valid for one store', {
    httpStatus: 429,
    status: 'RESOURCE_EXHAUSTED',
    reason: 'TOKEN_ALREADY_USED',
    domain,
  });
}

/** A token must not be used if its use cannot be recorded. */
export function tokenCacheFull(): ApiError {
  return new ApiError('too many tokens are remembered as used, please try again later', {
    httpStatus: 500,
    status: 'INTERNAL',
    reason: 'INTERNAL_ERROR',
    domain,
  });
}
