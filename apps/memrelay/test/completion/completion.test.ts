import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { completionScript, type Shell } from '../../src/completion/completion-script.ts';
import { createProgram } from '../../src/program.ts';

const run = promisify(execFile);
const has = (shell: Shell): boolean =>
  ['/bin', '/usr/bin', '/usr/local/bin', '/opt/homebrew/bin'].some((folder) =>
    existsSync(join(folder, shell)),
  );

let folder: string;
const script = (shell: Shell): string => join(folder, `memrelay.${shell}`);

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'memrelay-completion-'));
  for (const shell of ['bash', 'zsh', 'fish'] as const)
    await writeFile(script(shell), completionScript(shell, createProgram({})));
  await writeFile(join(folder, 'notes for me.txt'), '');
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** What each shell offers for a line whose last word is being typed. */
const offers: Record<Shell, (words: readonly string[]) => Promise<string[]>> = {
  async bash(words) {
    const program = `source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _memrelay; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const { stdout } = await run('bash', ['--norc', '-c', program, 'bash', script('bash'), ...words], {
      cwd: folder,
    });
    return stdout.split('\n').filter((line) => line !== '');
  },
  async fish(words) {
    const line = words.map((word) => word.replaceAll(' ', '\\ ')).join(' ');
    const { stdout } = await run(
      'fish',
      ['--no-config', '-c', `source $argv[1]; complete --do-complete $argv[2]`, script('fish'), line],
      { cwd: folder, env: { ...process.env, HOME: folder } },
    );
    return stdout.split('\n').flatMap((offer) => (offer === '' ? [] : [offer.split('\t')[0]!]));
  },
  /** Runs the completion in a terminal of its own, with what it adds caught before it is displayed. */
  async zsh(words) {
    const program = `
zmodload zsh/zpty
zpty z zsh -f -i
zpty -w z 'PROMPT=; autoload -Uz compinit; compinit -u -D; source ${script('zsh')}; cd ${folder}'
zpty -w z 'compadd() { builtin compadd -O found "$@" 2>/dev/null; (( $#found )) && print -rl -- "<"$^found">" >> ${folder}/offered; builtin compadd "$@" }'
zpty -w z 'print REA''DY'
zpty -r z output '*REA''DY*'
zpty -n -w z ${"'"}${words.join(' ')}${"'"}$'\\t'
zpty -n -w z $'\\C-u'
zpty -w z 'print DO''NE'
zpty -r z output '*DO''NE*'
zpty -d z
`;
    await writeFile(join(folder, 'offered'), '');
    await run('zsh', ['-f', '-c', program], { cwd: folder, timeout: 20_000 });
    const { stdout } = await run('cat', [join(folder, 'offered')]);
    return [...new Set(stdout.split('\n').flatMap((line) => /^<(.*)>$/.exec(line)?.[1] ?? []))];
  },
};

describe.each(['bash', 'zsh', 'fish'] as const)('completion in %s', (shell) => {
  it.skipIf(!has(shell))('offers commands, the commands of a group, options and files', async () => {
    expect(await offers[shell](['memrelay', 're'])).toEqual(
      expect.arrayContaining(['remember', 'recall', 'restore', 'reindex', 'retry']),
    );
    expect(await offers[shell](['memrelay', 'account', 'tra'])).toContain('transfer');
    expect(await offers[shell](['memrelay', 'account', 'tra'])).not.toContain('recall');
    expect(await offers[shell](['memrelay', 'recall', '--li'])).toEqual(['--limit']);
    expect(await offers[shell](['memrelay', 'completion', 'f'])).toEqual(['fish']);
    const files = await offers[shell](['memrelay', 'import', 'not']);
    expect(files.map((name) => name.replaceAll('\\', ''))).toContain('notes for me.txt');
    expect(await offers[shell](['memrelay', 'recall', '--limit', 'not'])).toEqual([]);
  });
});
