import { Dicer } from '@fastify/busboy';

/** The body does not match its multipart content type. */
export class MultipartError extends Error {
  override readonly name = 'MultipartError';
}

/** The beginning of a part. The bytes of its content follow. */
export interface PartStart {
  /** Name of the form field; empty when there is none */
  name: string;
}

/** A header block has room for a name of 65,535 bytes. A longer one is truncated and then fails to parse. */
const maxHeaderSize = 128 * 1024;
const maxHeaderPairs = 100;
const maxBoundaryLength = 200;

const boundaryPattern = /;\s*boundary=(?:"([^"\\]+)"|([^\s;"]+))/i;

/** The boundary in a `multipart/form-data` content type; undefined for any other. */
export function boundaryOf(contentType: string | undefined): string | undefined {
  if (contentType === undefined || !/^multipart\/form-data\s*;/i.test(contentType)) return undefined;
  const match = boundaryPattern.exec(contentType);
  const boundary = match?.[1] ?? match?.[2];
  return boundary !== undefined && boundary.length <= maxBoundaryLength ? boundary : undefined;
}

const dispositionParameter = /\s*;\s*([\w!#$%&'*+.^`|~-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;"]*)(?!"))/y;
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The field name in a `Content-Disposition: form-data` header. Only quotation marks in it are escaped. */
function nameOf(header: string | undefined): string {
  if (header === undefined) return '';
  let text: string;
  try {
    text = utf8.decode(Buffer.from(header, 'latin1'));
  } catch {
    throw new MultipartError('the header of a part is not UTF-8');
  }
  const kind = /^form-data(?=\s*(?:;|$))/i.exec(text);
  if (kind === null) throw new MultipartError('a part is not form data');
  for (let position = kind[0].length; position < text.trimEnd().length; ) {
    dispositionParameter.lastIndex = position;
    const match = dispositionParameter.exec(text);
    if (match === null) throw new MultipartError('the header of a part is malformed');
    const [, key, quoted, bare] = match;
    if (key?.toLowerCase() === 'name') return quoted?.replaceAll('\\"', '"') ?? bare ?? '';
    position = dispositionParameter.lastIndex;
  }
  return '';
}

/** A part that may have data to read. */
interface OpenPart {
  stream: { read(): Buffer | null };
  name: string | undefined;
  isAnnounced: boolean;
}

/** Everything received of the parts so far, in order. Only the last part can receive more. */
function* drain(parts: OpenPart[]): Generator<PartStart | Buffer> {
  for (;;) {
    const [part] = parts;
    if (part === undefined) return;
    if (part.name === undefined) {
      if (parts.length === 1) return;
      throw new MultipartError('a part ends within its headers');
    }
    if (!part.isAnnounced) yield { name: part.name };
    part.isAnnounced = true;
    for (let data = part.stream.read(); data !== null; data = part.stream.read()) yield data;
    if (parts.length === 1) return;
    parts.shift();
  }
}

/**
 * The parts of a multipart body, each as its start and the pieces of its content. Buffers no more than one chunk of
 * the body. Throws `MultipartError` if the body is malformed or ends early; only bytes before the first boundary and
 * after the last are skipped.
 */
export async function* readMultipart(
  body: AsyncIterable<Uint8Array>,
  boundary: string,
): AsyncGenerator<PartStart | Buffer> {
  const parts: OpenPart[] = [];
  let failure: Error | undefined;
  // The data of each chunk is read right after it was written, so parts need no back-pressure on the tokenizer.
  const config = { boundary, maxHeaderSize, maxHeaderPairs, partHwm: Number.MAX_SAFE_INTEGER };
  const tokenizer = new Dicer(config);
  tokenizer.on('error', (error) => {
    failure ??= new MultipartError(error.message);
  });
  tokenizer.on('part', (stream) => {
    const part: OpenPart = { stream, name: undefined, isAnnounced: false };
    parts.push(part);
    stream.on('error', () => undefined);
    stream.on('header', (header: { 'content-disposition'?: string[] }) => {
      try {
        part.name = nameOf(header['content-disposition']?.[0]);
      } catch (error) {
        failure ??= error as Error;
      }
    });
  });

  for await (const chunk of body) {
    tokenizer.write(chunk);
    if (failure !== undefined) throw failure;
    yield* drain(parts);
  }
  await new Promise<void>((resolve) => tokenizer.end(resolve));
  // A missing end is only reported on the next tick.
  await new Promise((resolve) => setImmediate(resolve));
  if (failure !== undefined) throw failure;
  yield* drain(parts);
  if (parts.at(-1)?.isAnnounced === false) throw new MultipartError('a part ends within its headers');
}
