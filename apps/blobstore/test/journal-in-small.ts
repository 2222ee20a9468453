/** Part of `full-disk.test.ts`: appends what fits, what does not, and what fits, under a limit of its process. */
import { openJournal } from '../src/registry/journal.ts';

const journal = await openJournal<string>(process.argv[2]!, ['small']);
const outcome = await journal.append('x'.repeat(10_000)).then(
  () => 'taken',
  (error: NodeJS.ErrnoException) => error.code,
);
if (outcome !== 'EFBIG') throw new Error(`a record beyond the limit: ${outcome}`);
await journal.append('small again');
await journal.close();
