import { randomUUID } from 'node:crypto';

export interface Part {
  name: string | undefined;
  content: string | Uint8Array;
  /** Lines between the disposition and the content */
  headers?: string;
}

export interface Form {
  contentType: string;
  body: Buffer;
}

/** A `multipart/form-data` body. The parts may be malformed. */
export function formOf(parts: readonly Part[], boundary: string = randomUUID()): Form {
  const pieces = parts.flatMap(({ name, content, headers = '' }) => {
    const field = name === undefined ? '' : `; name="${name.replaceAll('"', '%22')}"`;
    const head = `--${boundary}\r\ncontent-disposition: form-data${field}\r\n${headers}\r\n`;
    return [Buffer.from(head), Buffer.from(content), Buffer.from('\r\n')];
  });
  const body = Buffer.concat([...pieces, Buffer.from(`--${boundary}--\r\n`)]);
  return { contentType: `multipart/form-data; boundary=${boundary}`, body };
}
