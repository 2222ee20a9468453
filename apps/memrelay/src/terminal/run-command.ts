import { createOutput, type Output } from './output.ts';

/** Runs a command with an output. If it fails, ends the step that is shown. */
export async function runCommand(
  options: { json?: boolean },
  work: (output: Output) => Promise<void>,
): Promise<void> {
  const output = createOutput({ json: options.json === true });
  try {
    await work(output);
  } catch (error) {
    output.abandon();
    throw error;
  }
}
