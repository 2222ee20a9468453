/**
 * The BCS form (length prefix and UTF-8) must be shorter than 65,535 bytes. From 16,384 bytes on, the length prefix
 * takes three bytes.
 */
const maxIdentifierBytes = 65_531;

/**
 * The problem with the name of a patch; undefined if it is valid. The rules are those of the real publisher
 * (release 1.56): not empty, no white space at the end, no control characters. The first character need not be a
 * letter or a digit, although the public documentation requires that.
 */
export function identifierProblem(identifier: string): string | undefined {
  if (identifier === '') return 'is empty';
  if (!identifier.isWellFormed()) return 'is not valid Unicode';
  if (Buffer.byteLength(identifier) > maxIdentifierBytes) return `is longer than ${maxIdentifierBytes} bytes`;
  if (/\p{White_Space}$/u.test(identifier)) return 'has white space at its end';
  if (/\p{Cc}/u.test(identifier)) return 'contains control characters';
  return undefined;
}
