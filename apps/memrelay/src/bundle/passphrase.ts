import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { ExitError, exitCodes } from '../terminal/exit-codes.ts';
import { fileTrouble } from '../terminal/explain-error.ts';
import type { Output } from '../terminal/output.ts';

export interface PassphraseOption {
  /** File whose first line is the passphrase */
  passphraseFile?: string;
}

/**
 * Reads a bundle's passphrase: the first line of a file, or typed without echo. With `twice` it must be typed twice,
 * because a typing error would make a new bundle unreadable. Throws `ExitError`.
 */
export async function readPassphrase(
  output: Output,
  { passphraseFile }: PassphraseOption,
  { twice }: { twice: boolean },
): Promise<string> {
  if (passphraseFile !== undefined) {
    const text = await readFile(passphraseFile, 'utf8').catch((error: unknown) => {
      throw fileTrouble(error, passphraseFile) ?? error;
    });
    const [line = ''] = text.split(/\r?\n/, 1);
    if (line !== '') return line;
    throw new ExitError(exitCodes.usage, `${passphraseFile} begins with an empty line.`);
  }
  if (output.json || !process.stdin.isTTY)
    throw new ExitError(
      exitCodes.usage,
      'The bundle needs a passphrase: pass a file that contains it with --passphrase-file.',
      { code: 'passphrase_required' },
    );
  const passphrase = await ask('Passphrase of the bundle: ');
  if (twice && (await ask('Repeat the passphrase: ')) !== passphrase)
    throw new ExitError(exitCodes.usage, 'The two passphrases differ.');
  return passphrase;
}

async function ask(question: string): Promise<string> {
  process.stdout.write(question);
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const prompt = createInterface({ input: process.stdin, output: nowhere, terminal: true });
  try {
    return await prompt.question('');
  } finally {
    prompt.close();
    process.stdout.write('\n');
  }
}
