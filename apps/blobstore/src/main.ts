import { runPart } from '@memrelay/process/run-part';
import { helpText } from './config/flags.ts';
import { startPart } from './start-blob-store.ts';

process.stdout.on('error', ({ code }: NodeJS.ErrnoException) => {
  process.stderr.write(`blobstore: the output cannot be written (${code}).\n`);
  process.exit(1);
});

if (process.argv.includes('--help')) process.stdout.write(helpText());
else await runPart((surroundings) => startPart(surroundings, process.argv.slice(2)));
