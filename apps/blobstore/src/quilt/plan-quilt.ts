import type { Tags } from './bcs-writer.ts';
import { identifierProblem } from './identifier.ts';
import { encodePatchHeader } from './patch-header.ts';
import { QuiltInputError } from './quilt-errors.ts';
import { encodeIndex } from './quilt-index.ts';
import { columnBytes, fitLayout, type QuiltLayout } from './quilt-layout.ts';

/** A file to be stored as a patch. */
export interface QuiltFile {
  identifier: string;
  tags: Tags;
  /** Bytes */
  size: number;
}

export interface PlannedPatch<F extends QuiltFile> {
  file: F;
  /** The header before its content */
  header: Buffer;
  start: number;
  /** Exclusive */
  end: number;
}

/** The position of everything in a quilt. */
export interface QuiltPlan<F extends QuiltFile> {
  layout: QuiltLayout;
  index: Buffer;
  /** In the order of their identifiers' bytes */
  patches: PlannedPatch<F>[];
}

function sorted<F extends QuiltFile>(files: readonly F[]): F[] {
  const filesByName = files.map((file) => ({ file, name: Buffer.from(file.identifier) }));
  filesByName.sort((a, b) => a.name.compare(b.name));
  const twice = filesByName.find(({ name }, position) => filesByName[position + 1]?.name.equals(name));
  if (twice !== undefined) throw new QuiltInputError('two files have the same identifier');
  return filesByName.map(({ file }) => file);
}

/**
 * Lays files out as the Rust implementation does (`quilt_encoding.rs`, release 1.56), so that the same files make
 * the same quilt on every network with `nShards` shards. Throws `QuiltInputError` for files that cannot form a
 * quilt.
 */
export function planQuilt<F extends QuiltFile>(files: readonly F[], nShards: number): QuiltPlan<F> {
  if (files.length === 0) throw new QuiltInputError('no files');
  for (const { identifier } of files) {
    const problem = identifierProblem(identifier);
    if (problem !== undefined) throw new QuiltInputError(`the identifier of a file ${problem}`);
  }
  const ordered = sorted(files);
  const headers = ordered.map(({ identifier, tags, size }) => encodePatchHeader(identifier, tags, size));
  const sizes = ordered.map(({ size }, position) => (headers[position] as Buffer).length + size);
  const indexSize = encodeIndex(ordered.map((file) => ({ ...file, end: 0 }))).length;
  const layout = fitLayout(indexSize, sizes, nShards);

  let start = Math.ceil(indexSize / columnBytes(layout));
  const patches = ordered.map((file, position) => {
    const end = start + Math.ceil((sizes[position] as number) / columnBytes(layout));
    const patch = { file, header: headers[position] as Buffer, start, end };
    start = end;
    return patch;
  });
  const index = encodeIndex(patches.map(({ file, end }) => ({ ...file, end })));
  return { layout, index, patches };
}
