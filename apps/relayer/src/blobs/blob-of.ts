/** Length of a blob id in bytes. A patch id begins with the quilt's blob id. */
const blobIdBytes = 32;

/** Returns a blob id (43 characters) unchanged; for a patch id (50 characters), the blob id of its quilt. */
export function blobOf(id: string): string {
  return Buffer.from(id, 'base64url').subarray(0, blobIdBytes).toString('base64url');
}
