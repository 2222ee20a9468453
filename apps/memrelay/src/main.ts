import { CommanderError } from 'commander';
import { wantsJson } from './command-line/help-style.ts';
import { createProgram } from './program.ts';
import { painter } from './terminal/colours.ts';
import { ExitError, exitCodes } from './terminal/exit-codes.ts';
import { explain } from './terminal/explain-error.ts';
import { hideExperimentalWarnings } from './terminal/quiet-warnings.ts';

hideExperimentalWarnings();

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
    // Help and the version have been printed, and are no failures
    if (error.exitCode === 0) process.exitCode = exitCodes.ok;
    else report(error, usageError(error));
  } else {
    report(error, explain(error));
  }
}

function outputTrouble({ code, message }: NodeJS.ErrnoException): string {
  if (code === 'EPIPE') return 'The output was closed before everything was written.';
  if (code === 'ENOSPC') return 'The output cannot be written: the disk is full.';
  return `The output cannot be written: ${code ?? message}.`;
}

function usageError({ code, message }: CommanderError): ExitError {
  // A group without a command: its help has been printed
  if (code === 'commander.help')
    return new ExitError(exitCodes.usage, wantsJson(process.argv) ? 'Which command? See --help.' : '');
  const reason = message
    .replace(/^error: /, '')
    .replace(/\n\(Did you mean (.*)\)$/, ' (did you mean $1)')
    .replace(/\.?$/, '.');
  const text = `${reason.charAt(0).toUpperCase()}${reason.slice(1)}`;
  return new ExitError(exitCodes.usage, `${text} Run it with --help to see how it is called.`);
}

function report(error: unknown, expected: ExitError | undefined): void {
  const failure = expected ?? new ExitError(exitCodes.failed, (error as Error).message, { code: 'defect' });
  process.exitCode = failure.exitCode;
  if (wantsJson(process.argv)) {
    const { code, message, exitCode } = failure;
    process.stdout.write(`${JSON.stringify({ error: code, message, exit_code: exitCode })}\n`);
  } else if (failure.message !== '') {
    const name = painter(process.stderr)('red', 'memrelay:');
    process.stderr.write(`${name} ${expected ? failure.message : (error as Error).stack}\n`);
  }
}
