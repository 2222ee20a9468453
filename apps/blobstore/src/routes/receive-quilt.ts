import type { IncomingMessage } from 'node:http';
import { inBatches } from '../http/in-batches.ts';
import { boundaryOf, MultipartError, readMultipart } from '../http/multipart.ts';
import type { ReceivedFile } from '../publisher/store-quilt.ts';
import { identifierProblem } from '../quilt/identifier.ts';
import { QuiltInputError } from '../quilt/quilt-errors.ts';
import { maxPatches } from '../quilt/quilt-layout.ts';
import { BodyTooLargeError, type StagedBlob } from '../storage/storage.ts';
import type { BlobStoreContext } from './context.ts';
import { metadataField, parseQuiltMetadata } from './quilt-metadata.ts';

/** A file without its tags, because the metadata may be the last part. */
type FileContent = Omit<ReceivedFile, 'tags'>;

export interface ReceivedQuilt {
  /** The contents of all files, one after another */
  staged: StagedBlob;
  files: ReceivedFile[];
}

/** Unlike the files, the metadata is kept in memory. */
const maxMetadataBytes = 8 * 1024 * 1024;

/**
 * Receives the form of `PUT /v1/quilts`: one part for each file, named by its identifier, and `_metadata` with
 * their tags before, between or after them. The caller discards `staged`. If it throws `MultipartError`,
 * `QuiltInputError` or `BodyTooLargeError`, nothing is left behind.
 */
export async function receiveQuilt(
  { storage, limits, nShards }: Pick<BlobStoreContext, 'storage' | 'limits' | 'nShards'>,
  raw: IncomingMessage,
): Promise<ReceivedQuilt> {
  const boundary = boundaryOf(raw.headers['content-type']);
  if (boundary === undefined)
    throw new MultipartError('the content type must be multipart/form-data with a boundary');
  const files: FileContent[] = [];
  const metadata: Buffer[] = [];
  const parts = readMultipart(boundedBody(raw, limits.maxQuiltBodyBytes), boundary);
  const contents = inBatches(sortParts(parts, files, metadata, maxPatches(nShards)));
  const staged = await storage.stage(contents, limits.maxQuiltBodyBytes);
  try {
    const tags = parseQuiltMetadata(metadata);
    return {
      staged,
      files: files.map((file) => ({ ...file, tags: tags.get(file.identifier) ?? new Map<string, string>() })),
    };
  } catch (error) {
    await storage.discard(staged);
    throw error;
  }
}

/** The chunks of a body. Throws `BodyTooLargeError` above the limit, immediately if the size is announced. */
async function* boundedBody(raw: IncomingMessage, limitBytes: number): AsyncGenerator<Buffer> {
  const refusal = () => new BodyTooLargeError(`the body is larger than ${limitBytes} bytes`);
  if (Number(raw.headers['content-length'] ?? 0) > limitBytes) throw refusal();
  let size = 0;
  // Leaving the loop must not destroy the connection, which is needed for the rejection.
  for await (const chunk of raw.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > limitBytes) throw refusal();
    yield chunk;
  }
}

/**
 * Yields the contents of the files and adds the files to `files`. Adds each metadata part to `metadata` as one
 * buffer.
 */
async function* sortParts(
  parts: ReturnType<typeof readMultipart>,
  files: FileContent[],
  metadata: Buffer[],
  maxFiles: number,
): AsyncGenerator<Buffer> {
  let file: FileContent | undefined;
  let pieces: Buffer[] = [];
  let offset = 0;
  let metadataBytes = 0;

  function endMetadata(): void {
    if (pieces.length > 0) metadata.push(Buffer.concat(pieces));
    pieces = [];
  }

  for await (const event of parts) {
    if (!Buffer.isBuffer(event)) {
      endMetadata();
      file = event.name === metadataField ? undefined : { identifier: event.name, offset, size: 0 };
      if (file === undefined) pieces = [Buffer.alloc(0)];
      else addFile(files, file, maxFiles);
    } else if (file === undefined) {
      metadataBytes += event.length;
      if (metadataBytes > maxMetadataBytes)
        throw new QuiltInputError(`${metadataField} is larger than ${maxMetadataBytes} bytes`);
      pieces.push(event);
    } else {
      file.size += event.length;
      offset += event.length;
      yield event;
    }
  }
  endMetadata();
}

/** Adds a file. Throws early if the files cannot form a quilt. */
function addFile(files: FileContent[], file: FileContent, maxFiles: number): void {
  const problem = identifierProblem(file.identifier);
  if (problem !== undefined) throw new QuiltInputError(`the name of a part ${problem}`);
  if (files.length === maxFiles) throw new QuiltInputError(`a quilt holds at most ${maxFiles} files`);
  files.push(file);
}
