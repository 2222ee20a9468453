import { randomBytes } from 'node:crypto';
import type { QuiltFile } from './quilt-encoding.ts';

/** The multipart form of `PUT /v1/quilts`: one part for each file, named by its identifier. */
export function quiltForm(files: readonly QuiltFile[]): { contentType: string; body: Buffer } {
  const boundary = `memrelay-${randomBytes(16).toString('hex')}`;
  const parts = files.flatMap(({ identifier, contents }) => [
    Buffer.from(`--${boundary}\r\nContent-Disposition: form-data; name="${identifier}"\r\n\r\n`),
    contents,
    Buffer.from('\r\n'),
  ]);
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    body: Buffer.concat([...parts, Buffer.from(`--${boundary}--\r\n`)]),
  };
}
