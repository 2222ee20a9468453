import { openDatabase } from '@memrelay/relayer/base/db/open-database';
import { pino } from 'pino';
import { copyPrepared } from './services/run-directory.ts';

/**
 * Fills a directory as the embedded database does when it is first opened there, which takes three seconds of CPU
 * time. Tests of that first start leave the directory empty instead.
 */
export function fillEmbeddedDirectory(directory: string): Promise<void> {
  return copyPrepared('embedded-database', directory, async (empty) => {
    const db = await openDatabase(`pglite:${empty}`, pino({ enabled: false }));
    await db.close();
  });
}
