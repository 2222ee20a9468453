/** Bytes of a blob id; a patch id has the quilt's blob id in front. */
const blobIdBytes = 32;

/** The blob that is stored under an id of 43 characters, or the quilt that a patch (50 characters) is in. */
export function blobOf(id: string): string {
  return Buffer.from(id, 'base64url').subarray(0, blobIdBytes).toString('base64url');
}
