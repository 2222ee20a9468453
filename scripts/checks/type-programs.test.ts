import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { readSourceTree } from './source-tree.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

function configOf(program: string): ts.ParsedCommandLine {
  const host = { ...ts.sys, onUnRecoverableConfigFileDiagnostic: () => undefined };
  const config = ts.getParsedCommandLineOfConfigFile(join(root, `tsconfig.${program}.json`), {}, host);
  if (!config) throw new Error(`tsconfig.${program}.json cannot be read`);
  return config;
}

/**
 * Type errors of each snippet as a separate file in each folder. The program also contains `roots` and their imports, so that a
 * dependency that loads Node's types is detected.
 */
function errorsOf(
  program: string,
  folders: readonly string[],
  roots: 'all' | string[],
  snippets: readonly string[],
): string[] {
  const { options, fileNames } = configOf(program);
  const planted = new Map(
    folders.flatMap((folder) =>
      snippets.map((code, i) => [join(root, folder, `planted-${i}.ts`), `${code}\nexport {};\n`] as const),
    ),
  );
  const host = ts.createCompilerHost(options);
  const { readFile, fileExists } = host;
  host.readFile = (path) => planted.get(path) ?? readFile(path);
  host.fileExists = (path) => planted.has(path) || fileExists(path);
  const others = roots === 'all' ? fileNames : roots.map((path) => join(root, path));
  const { incremental: _, tsBuildInfoFile: __, ...plain } = options;
  const created = ts.createProgram([...planted.keys(), ...others], plain, host);
  return [...planted.keys()].map((path) =>
    created
      .getSemanticDiagnostics(created.getSourceFile(path))
      .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, ' ').split('.')[0])
      .join('; '),
  );
}

const cannotFind = (name: string) => expect.stringContaining(`Cannot find name '${name}'`);

describe('type-check programs', () => {
  it('give Node code the globals of Node and none of a page', () => {
    const snippets = [
      'Buffer.from(String(process.pid)); void fetch(new URL("http://localhost/")); void crypto.subtle;',
      'document.title = "";',
      'window.close();',
      'export const show = (element: HTMLElement) => element;',
    ];
    expect(errorsOf('node', ['apps/relayer/src'], ['apps/relayer/src/main.ts'], snippets)).toEqual([
      '',
      cannotFind('document'),
      cannotFind('window'),
      cannotFind('HTMLElement'),
    ]);
  });

  it('give pages of the dashboard the globals of a page and none of Node', () => {
    const snippets = [
      'document.title = window.name; void fetch("/"); void crypto.subtle;',
      'Buffer.alloc(1);',
      'process.exit();',
      'import "node:fs";\nimport { readFile } from "node:fs";\nreadFile;',
    ];
    expect(errorsOf('browser', ['apps/dashboard/src/pages'], 'all', snippets)).toEqual([
      '',
      cannotFind('Buffer'),
      cannotFind('process'),
      cannotFind('node:fs'),
    ]);
  });

  it('give code for Node and browsers only the globals of both', () => {
    const folders = [
      'packages/protocol/src',
      'packages/envelope/src',
      'packages/sdk/src',
      'packages/blob-id/src',
    ];
    const snippets = [
      'void fetch(new URL("http://localhost/")); void crypto.subtle; new TextEncoder(); new AbortController();',
      'Buffer.alloc(1);',
      'process.exit();',
      'document.title = "";',
      'localStorage.clear();',
      'import { readFile } from "node:fs";\nreadFile;',
    ];
    const expected = [
      '',
      cannotFind('Buffer'),
      cannotFind('process'),
      cannotFind('document'),
      cannotFind('localStorage'),
      cannotFind('node:fs'),
    ];
    expect(errorsOf('shared', folders, 'all', snippets)).toEqual(folders.flatMap(() => expected));
  });

  it('together check every TypeScript file', () => {
    const checked = new Set(['shared', 'browser', 'node'].flatMap((program) => configOf(program).fileNames));
    const unchecked = readSourceTree(root).code.filter(
      ({ path }) => /\.tsx?$/.test(path) && !checked.has(join(root, path)),
    );
    expect(unchecked.map(({ path }) => path)).toEqual([]);
  });
});
