import { ApiError } from '../base/api-error.ts';

/**
 * Errors of the upload relay. The statuses and messages are those of the real one, which sends only the message.
 * Here it is in the envelope of all other routes, which `@mysten/walrus` can read too.
 */

function refused(reason: string, message: string): ApiError {
  return new ApiError(message, { httpStatus: 400, status: 'INVALID_ARGUMENT', reason });
}

function unauthenticated(reason: string, message: string): ApiError {
  return new ApiError(message, { httpStatus: 401, status: 'UNAUTHENTICATED', reason });
}

function unpaid(reason: string, message: string): ApiError {
  return new ApiError(message, { httpStatus: 402, status: 'FAILED_PRECONDITION', reason });
}

export function relayNotOffered(): ApiError {
  return new ApiError(
    'this store has no chain, so it cannot relay uploads of blobs that are registered there',
    {
      httpStatus: 501,
      status: 'UNIMPLEMENTED',
      reason: 'UPLOAD_RELAY_NOT_OFFERED',
    },
  );
}

/** `@mysten/walrus` recognizes by this reason that the registration has not arrived yet. */
export function notRegistered(): ApiError {
  return refused(
    'NOT_REGISTERED',
    'the blob is not registered on chain, or its registration has expired or is of another kind: ' +
      'name the object of a deletable blob as deletable_blob_object, and none for a permanent one',
  );
}

export function blobIdMismatch(): ApiError {
  return refused(
    'BLOB_ID_MISMATCH',
    'the provided blob ID and the blob ID resulting from the blob encoding do not match',
  );
}

export function missingPayment(): ApiError {
  return refused(
    'MISSING_TX_ID_OR_NONCE',
    'The query parameters are missing the transaction ID or the nonce, but the proxy requires them to check the ' +
      'tip payment.',
  );
}

export function transactionNotFound(): ApiError {
  return refused('TRANSACTION_NOT_FOUND', 'no successful transaction has this ID');
}

export function transactionTooOld(): ApiError {
  return refused('TRANSACTION_TOO_OLD', 'the transaction is too old to pay for this upload');
}

export function transactionOfTheFuture(): ApiError {
  return refused(
    'TRANSACTION_IN_FUTURE',
    'the transaction is in the future by more than the allowed threshold',
  );
}

export function noTipSent(): ApiError {
  return unpaid('NO_TIP_SENT', 'the transaction sends no tip to the address of this relay');
}

export function insufficientTip(received: bigint, expected: bigint): ApiError {
  return unpaid(
    'INSUFFICIENT_TIP',
    `the tip of ${received} MIST is not sufficient; ${expected} MIST are expected`,
  );
}

export function missingAuthPackage(): ApiError {
  return unauthenticated(
    'MISSING_AUTH_PACKAGE',
    'the auth package is missing from the first input slot of the PTB',
  );
}

export function invalidAuthPackage(): ApiError {
  return unauthenticated('INVALID_AUTH_PACKAGE', 'the auth package was found but could not be read');
}

export function invalidNonceHash(): ApiError {
  return unauthenticated('INVALID_NONCE_HASH', 'the provided nonce hash in the ptb is invalid');
}

export function blobLengthMismatch(): ApiError {
  return unauthenticated(
    'BLOB_LENGTH_MISMATCH',
    'the provided blob length and the blob length resulting from the uploaded blob do not match',
  );
}

export function blobDigestMismatch(): ApiError {
  return unauthenticated(
    'BLOB_DIGEST_MISMATCH',
    'the provided blob digest and the blob digest resulting from the uploaded blob do not match',
  );
}
