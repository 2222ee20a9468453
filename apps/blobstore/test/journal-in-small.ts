/**
 * Part of `full-disk.test.ts`: in a process with a file size limit, appends a record that fits, one that does not,
 * and another that fits.
 */
import { openJournal } from '../src/registry/journal.ts';

const journal = await openJournal<string>(process.argv[2]!, ['small']);
const outcome = await journal.append('x'.repeat(10_000)).then(
  () => 'taken',
  (error: NodeJS.ErrnoException) => error.code,
);
if (outcome !== 'EFBIG') throw new Error(`unexpected result for a record beyond the limit: ${outcome}`);
await journal.append('small again');
await journal.close();
