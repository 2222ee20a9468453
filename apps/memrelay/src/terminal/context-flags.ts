import type { TagFilterOptions } from '@memrelay/sdk/types';
import { ExitError, exitCodes } from './exit-codes.ts';

/** Options of `remember` and `analyze` for the fields that are sealed with the text. */
export interface ContextFlags {
  session?: string;
  speaker?: string;
  happenedAt?: string;
  tag?: string[];
  /** JSON */
  metadata?: string;
  expires?: string;
}

/** `--tag` may be repeated. */
export function collectTag(tag: string, before: string[] | undefined): string[] {
  return [...(before ?? []), tag];
}

/** Options of `recall`, `ask` and `list` for the tags of memories; each may be repeated. */
export interface TagFlags {
  tag?: string[];
  anyTag?: string[];
  notTag?: string[];
}

/** The filter as the SDK takes it; undefined without one. */
export function tagFilter({ tag: all, anyTag: any, notTag: not }: TagFlags): TagFilterOptions | undefined {
  return all || any || not ? { all, any, not } : undefined;
}

type Metadata = Record<string, string | number | boolean | null>;

/** The fields as the SDK takes them. Throws `ExitError` for metadata that is not a JSON object. */
export function contextOptions({ session, speaker, happenedAt, tag, metadata, expires }: ContextFlags) {
  return {
    ...(session === undefined ? {} : { session }),
    ...(speaker === undefined ? {} : { speaker }),
    ...(happenedAt === undefined ? {} : { happenedAt }),
    ...(tag === undefined ? {} : { tags: tag }),
    ...(metadata === undefined ? {} : { metadata: metadataOf(metadata) }),
    ...(expires === undefined ? {} : { expiresAt: expires }),
  };
}

function metadataOf(text: string): Metadata {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Metadata;
  } catch {
    // Reported below
  }
  throw new ExitError(exitCodes.usage, '--metadata must be a JSON object, such as \'{"source":"mail"}\'.');
}
