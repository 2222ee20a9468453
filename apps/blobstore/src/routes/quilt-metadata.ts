import type { Tags } from '../quilt/bcs-writer.ts';
import { QuiltInputError } from '../quilt/quilt-errors.ts';

/** The part of a quilt's form that contains its tags. */
export const metadataField = '_metadata';

/** Maximum nesting of JSON, as in the real publisher. */
const maxDepth = 128;

const utf8 = new TextDecoder('utf-8', { fatal: true });

function parseJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(utf8.decode(bytes));
  } catch {
    throw new QuiltInputError(`${metadataField} must be JSON`);
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Throws for values that cannot be stored exactly (integers that were already rounded) or are nested too deeply.
 */
function checkTagValue(value: unknown, depth = 0): void {
  if (typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value))
    throw new QuiltInputError(`a number in ${metadataField} is too large to be kept; give it as text`);
  if (typeof value !== 'object' || value === null) return;
  if (depth === maxDepth) throw new QuiltInputError(`a tag in ${metadataField} is nested too deeply`);
  for (const part of Object.values(value)) checkTagValue(part, depth + 1);
}

/** A tag's value as text; other values become JSON. */
function tagText(value: unknown): string {
  if (typeof value === 'string') return value;
  checkTagValue(value);
  return JSON.stringify(value);
}

function tagsOf(tags: unknown): Tags {
  if (!isRecord(tags)) throw new QuiltInputError(`tags in ${metadataField} must be an object`);
  const entries = Object.entries(tags).map(([key, value]) => [key, tagText(value)] as const);
  if (!entries.flat().every((text) => text.isWellFormed()))
    throw new QuiltInputError('a tag is not valid Unicode');
  return new Map(entries);
}

/**
 * Tags by identifier, from the contents of all `_metadata` parts: `[{"identifier": "…", "tags": {…}}]`. Throws
 * `QuiltInputError` for JSON of the wrong shape and for duplicate identifiers.
 */
export function parseQuiltMetadata(parts: readonly Buffer[]): Map<string, Tags> {
  const tags = new Map<string, Tags>();
  for (const part of parts) {
    const list = parseJson(part);
    if (!Array.isArray(list)) throw new QuiltInputError(`${metadataField} must be a list`);
    for (const entry of list) {
      if (!isRecord(entry) || typeof entry.identifier !== 'string')
        throw new QuiltInputError(`each entry of ${metadataField} must have an identifier`);
      if (tags.has(entry.identifier))
        throw new QuiltInputError(`duplicate identifiers found in ${metadataField}`);
      tags.set(entry.identifier, tagsOf(Object.hasOwn(entry, 'tags') ? entry.tags : {}));
    }
  }
  return tags;
}
