/** The input cannot be packed into a quilt; the message is for the client. */
export class QuiltInputError extends Error {
  override readonly name = 'QuiltInputError';
}

/** The files would fill a quilt that is larger than allowed. */
export class QuiltTooLargeError extends Error {
  override readonly name = 'QuiltTooLargeError';
}

/** A stored blob is not a valid quilt. */
export class InvalidQuiltError extends Error {
  override readonly name = 'InvalidQuiltError';
}

/** For `createBcsReader`. */
export function invalidQuilt(problem: string): InvalidQuiltError {
  return new InvalidQuiltError(problem);
}
