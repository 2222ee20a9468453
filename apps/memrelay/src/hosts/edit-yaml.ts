import { isDeepStrictEqual } from 'node:util';
import { type Document, parseDocument } from 'yaml';
import { valueAt, withValue } from './value-at.ts';

/** The value at a path of keys, or undefined. Throws `Error` for what is not YAML. */
export function yamlAt(text: string, path: readonly string[]): unknown {
  return valueAt(parsed(text).toJS(), path);
}

/** The text with `value` at `path`. Comments and everything else are kept. Throws `Error`. */
export function setInYaml(text: string, path: readonly string[], value: unknown): string {
  const document = parsed(text);
  const before = document.toJS() ?? {};
  if (typeof before !== 'object' || Array.isArray(before)) throw new Error('its content is not a mapping');
  for (let depth = 1; depth < path.length; depth++) {
    const parent = document.getIn(path.slice(0, depth));
    if (parent === null) document.deleteIn(path.slice(0, depth));
    else if (parent !== undefined && typeof valueAt(document.toJS(), path.slice(0, depth)) !== 'object')
      throw new Error(`"${path.slice(0, depth).join('.')}" is not a mapping`);
  }
  document.setIn(path, document.createNode(value));
  return checked(document, before, path, value);
}

/** The text without the value at `path`, or the same text if there is none. Throws `Error`. */
export function removeFromYaml(text: string, path: readonly string[]): string {
  const document = parsed(text);
  if (!document.hasIn(path)) return text;
  const before = document.toJS();
  document.deleteIn(path);
  return checked(document, before, path, undefined);
}

function parsed(text: string): Document {
  const document = parseDocument(text);
  if (document.errors.length > 0) throw new Error(`it is not valid YAML (${document.errors[0]!.code})`);
  return document;
}

/** Throws unless a program that reads the file sees no change except the value at `path`. */
function checked(document: Document, before: unknown, path: readonly string[], value: unknown): string {
  const after = document.toString({ lineWidth: 0 });
  if (isDeepStrictEqual(parsed(after).toJS(), withValue(before, path, value))) return after;
  throw new Error('it has a form that cannot be changed safely');
}
