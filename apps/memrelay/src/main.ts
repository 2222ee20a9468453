import { CommanderError } from 'commander';
import { createProgram } from './program.ts';
import { ExitError, exitCodes } from './terminal/exit-codes.ts';
import { explain } from './terminal/explain-error.ts';

// Output that was not delivered is a failure, even if the work itself is done.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  process.stderr.write(`memrelay: ${outputTrouble(error)}\n`);
  process.exit(exitCodes.failed);
});
// There is nowhere left to report that to.
process.stderr.on('error', () => undefined);

try {
  await createProgram(process.env).parseAsync(process.argv);
} catch (error) {
  if (error instanceof CommanderError) {
    // Commander has printed its message; help and version are no failures
    process.exitCode = error.exitCode === 0 ? exitCodes.ok : exitCodes.usage;
  } else {
    report(error, explain(error));
  }
}

function outputTrouble({ code, message }: NodeJS.ErrnoException): string {
  if (code === 'EPIPE') return 'The output was closed before everything was written.';
  if (code === 'ENOSPC') return 'The output cannot be written: the disk is full.';
  return `The output cannot be written: ${code ?? message}.`;
}

function report(error: unknown, expected: ExitError | undefined): void {
  const failure = expected ?? new ExitError(exitCodes.failed, (error as Error).message, { code: 'defect' });
  process.exitCode = failure.exitCode;
  if (process.argv.includes('--json')) {
    const { code, message, exitCode } = failure;
    process.stdout.write(`${JSON.stringify({ error: code, message, exit_code: exitCode })}\n`);
  } else if (failure.message !== '') {
    process.stderr.write(`memrelay: ${expected ? failure.message : (error as Error).stack}\n`);
  }
}
