import { CommanderError } from 'commander';
import { ExitError, exitCodes } from './exit-codes.ts';
import { explain } from './explain-error.ts';
import { createProgram } from './program.ts';

// The reader of a pipe may leave early, as `head` does: that is no failure of ours.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit(process.exitCode ?? exitCodes.ok);
});

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
