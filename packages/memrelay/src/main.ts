import { CommanderError } from 'commander';
import { ExitError, exitCodes } from './exit-codes.ts';
import { createProgram } from './program.ts';

try {
  await createProgram(process.env).parseAsync(process.argv);
} catch (error) {
  if (error instanceof CommanderError) {
    // Commander has printed its message; help and version are no failures
    process.exitCode = error.exitCode === 0 ? exitCodes.ok : exitCodes.usage;
  } else if (error instanceof ExitError) {
    process.stderr.write(`memrelay: ${error.message}\n`);
    process.exitCode = error.exitCode;
  } else {
    process.stderr.write(`memrelay: ${(error as Error).stack}\n`);
    process.exitCode = exitCodes.failed;
  }
}
