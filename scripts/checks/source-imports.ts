import { posix } from 'node:path';
import ts from 'typescript';

export interface SourceImport {
  /** As written: `./x.ts`, `@memrelay/protocol/signing`, `node:fs`. */
  specifier: string;
  line: number;
}

/** Every import, re-export and dynamic import with a fixed name, types included. */
export function readImports(text: string): SourceImport[] {
  const { importedFiles } = ts.preProcessFile(text, true, true);
  return importedFiles.map(({ fileName, pos }) => ({ specifier: fileName, line: lineAt(text, pos) }));
}

/** 1-based line of an offset. */
export function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length;
}

/** The path of a relative import, from the root of the tree; undefined for a package. */
export function relativeTarget(from: string, specifier: string): string | undefined {
  if (!specifier.startsWith('.')) return undefined;
  return posix.join(posix.dirname(from), specifier.split('?')[0] ?? '');
}

/** `@scope/name` or `name` of a package import; undefined for relative ones, Node's own, and the package's own (`#name`). */
export function packageOf(specifier: string): string | undefined {
  if (/^(?:[./#]|node:)/.test(specifier)) return undefined;
  const [first = '', second = ''] = specifier.split('/');
  return first.startsWith('@') ? `${first}/${second}` : first;
}
