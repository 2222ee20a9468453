import { createInterface } from 'node:readline/promises';
import { ExitError, exitCodes } from '../terminal/exit-codes.ts';
import type { Output } from '../terminal/output.ts';
import { columns } from '../terminal/plain-text.ts';

const signing = { question: 'Sign this?', declined: 'Nothing was signed' };

/**
 * Shows what will be done and asks for consent, unless `yes`. Throws `ExitError` if the answer is no, or if stdin is
 * not a terminal.
 */
export async function confirm(
  output: Output,
  what: string,
  facts: readonly (readonly [string, string])[],
  yes: boolean | undefined,
  { question, declined } = signing,
): Promise<void> {
  output.line(`${what}\n`);
  for (const line of columns(facts.map(([name, value]) => [`  ${name}`, value]))) output.line(line);
  output.line('');
  if (yes) return;
  if (output.json || !process.stdin.isTTY)
    throw new ExitError(exitCodes.usage, `${declined}: add --yes to do it without being asked.`, {
      code: 'not_confirmed',
    });
  const prompt = createInterface({ input: process.stdin, output: process.stdout });
  try {
    const answer = await prompt.question(`${question} [y/N] `);
    if (/^y(es)?$/i.test(answer.trim())) return;
  } finally {
    prompt.close();
  }
  throw new ExitError(exitCodes.failed, `${declined}.`, { code: 'not_confirmed' });
}
