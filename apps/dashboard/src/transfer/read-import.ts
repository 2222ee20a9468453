import { ImportFileError } from '@memrelay/import-files/import-file-error';
import { archiveFiles, isArchive } from '@memrelay/import-files/read-archive';
import { archiveSource, type Source, textSource } from '@memrelay/import-files/source';
import { isBundle } from '@memrelay/sdk/bundle/bundle-key';
import { type Bundle, openBundle } from '@memrelay/sdk/bundle/open-bundle';

/** Slightly less than the longest string that browsers support, bytes. */
const maxBytes = 500_000_000;

/** Whether the file is a bundle, judged by its first bytes. */
export async function isBundleFile(file: Blob): Promise<boolean> {
  return isBundle(new Uint8Array(await file.slice(0, 4).arrayBuffer()));
}

/**
 * Reads the memories of a text, of JSON, of notes or of a zip. `everyone`: also what the assistant said in a chat export.
 * Throws `ImportFileError`.
 */
export async function readSource(file: File, everyone: boolean): Promise<Source> {
  if (file.size > maxBytes) throw new ImportFileError('import_too_large', `${file.name} is too large.`);
  const bytes = new Uint8Array(await file.arrayBuffer());
  const options = everyone ? { roles: 'all' } : {};
  if (isArchive(bytes)) return archiveSource(file.name, archiveFiles(file.name, bytes), options);
  return textSource(file.name, textIn(file.name, bytes), options);
}

function textIn(name: string, bytes: Uint8Array): string {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    if (!text.includes('\0')) return text;
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
  }
  throw new ImportFileError('import_not_text', `${name} is not UTF-8 text.`);
}

/** A bundle that was read and verified completely, with the number of its memories by namespace. */
export interface ReadBundle {
  bundle: Bundle;
  namespaces: ReadonlyMap<string, number>;
}

/** Reads and verifies a bundle. Throws `MemRelayError`: `wrong_passphrase`, `bundle_cut_off`, `invalid_bundle`. */
export async function readBundle(file: Blob, passphrase: string): Promise<ReadBundle> {
  const bundle = await openBundle(() => bytesOf(file), passphrase);
  const namespaces = new Map<string, number>();
  for await (const { head } of bundle.pages())
    if (head.kind === 'page')
      for (const { namespace } of head.memories)
        namespaces.set(namespace, (namespaces.get(namespace) ?? 0) + 1);
  return { bundle, namespaces };
}

/** With a reader: not every browser iterates over streams. */
async function* bytesOf(file: Blob): AsyncGenerator<Uint8Array, void, undefined> {
  const reader = file.stream().getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    await reader.cancel();
  }
}
