import { jsonLine, markdownSection } from '@memrelay/import-files/open-format';
import { type ExportProgress, exportBundle, exportOpen } from '@memrelay/sdk/bundle/export-bundle';
import type { MemRelay } from '@memrelay/sdk/mem-relay';
import { download, type MadeFile } from './download.ts';

export type ExportFormat = 'bundle' | 'jsonl' | 'md';

export interface ExportChoice {
  format: ExportFormat;
  /** Undefined: all that the key of this browser may read */
  namespace: string | undefined;
  /** Of a bundle, at least 12 characters */
  passphrase: string;
}

export interface Exported extends ExportProgress {
  file: MadeFile;
}

const types: Readonly<Record<ExportFormat, string>> = {
  bundle: 'application/octet-stream',
  jsonl: 'application/jsonl',
  md: 'text/markdown',
};
const endings: Readonly<Record<ExportFormat, string>> = { bundle: 'mrb', jsonl: 'jsonl', md: 'md' };

/** Makes a file of memories and lets the browser save it. Rejects with `MemRelayError`; nothing is saved then. */
export async function exportMemories(
  client: MemRelay,
  { format, namespace, passphrase }: ExportChoice,
  signal: AbortSignal,
  onProgress: (memories: number) => void,
): Promise<Exported> {
  let last: ExportProgress = { memories: 0, failed: [] };
  const options = {
    namespace,
    signal,
    onProgress(progress: ExportProgress) {
      last = progress;
      onProgress(progress.memories);
    },
  };
  const parts: BlobPart[] = [];
  if (format === 'bundle')
    for await (const part of exportBundle(client, { ...options, passphrase }))
      parts.push(Uint8Array.from(part));
  else {
    const write = format === 'jsonl' ? jsonLine : markdownSection;
    for await (const page of exportOpen(client, options)) parts.push(page.map(write).join(''));
  }
  signal.throwIfAborted();
  const day = new Date().toISOString().slice(0, 10);
  return { ...last, file: download(`memrelay-${day}.${endings[format]}`, parts, types[format]) };
}
