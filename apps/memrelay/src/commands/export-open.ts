import { type FileHandle, open, rm } from 'node:fs/promises';
import { nodePrimitives } from '@memrelay/envelope/node-primitives';
import { jsonLine, markdownSection } from '@memrelay/import-files/open-format';
import { type ExportProgress, exportOpen, type OpenMemory } from '@memrelay/sdk/bundle/export-bundle';
import type { ConnectOptions, NamespaceOption } from '../client/connect.ts';
import { runResumable } from '../client/resumable.ts';
import { ExitError, exitCodes } from '../terminal/exit-codes.ts';
import type { Output } from '../terminal/output.ts';
import { counted } from '../terminal/plain-text.ts';
import { reportFailures } from './export.ts';

/** Long enough to continue after a restart of the relayer or of its key servers. */
const patience = { retryForMs: 5 * 60_000, interrupted: 'Interrupted. Nothing was kept: start again.' };

/**
 * Writes readable memories into a new file, as JSON Lines or Markdown by the name of the file. The file is for its
 * owner alone (0600), and removed if the export does not finish.
 */
export async function exportOpenFile(
  output: Output,
  path: string,
  options: ConnectOptions & NamespaceOption,
): Promise<void> {
  const write = formatOf(path);
  await runResumable(output, { connect: options, ...patience }, async ({ client, signal }) => {
    await client.account({ signal });
    let last: ExportProgress = { memories: 0, failed: [] };
    let file: FileHandle | undefined;
    output.step('Exporting');
    try {
      file = await open(path, 'wx', 0o600);
      const pages = exportOpen(client, {
        namespace: options.namespace,
        signal,
        primitives: nodePrimitives,
        onProgress(progress) {
          last = progress;
          output.progress(() => counted(progress.memories, 'memory', 'memories'));
        },
      });
      for await (const page of pages) await file.write(page.map(write).join(''));
      await file.sync();
      await file.close();
    } catch (error) {
      if (file) {
        await file.close().catch(() => undefined);
        await rm(path, { force: true });
      }
      throw error;
    }
    output.done();
    const { memories, failed } = last;
    output.result({
      file: path,
      open: true,
      memories,
      failed: failed.map(({ id, reason }) => ({ id, reason })),
    });
    output.line(`${counted(memories, 'memory', 'memories')} in ${path}.`);
    output.line('It is not encrypted: anyone who can read the file can read them.');
    reportFailures(output, failed);
  });
}

function formatOf(path: string): (memory: OpenMemory) => string {
  if (/\.jsonl$/i.test(path)) return jsonLine;
  if (/\.(?:md|markdown)$/i.test(path)) return markdownSection;
  throw new ExitError(
    exitCodes.usage,
    `${path}: the name chooses the format. Let it end in .jsonl (JSON Lines, which \`memrelay import\` reads) or .md (Markdown).`,
  );
}
