import { z } from 'zod';
import { documented, timeField } from './fields.ts';

/** Fields of a memory that are sealed with its text (decisions.md, "Context fields"). */

const encoder = new TextEncoder();
const maxMetadataBytes = 4_096;
/** Leaves room in the 16 KiB of meta for the fields that the relayer adds */
const maxContextBytes = 15_360;

/** Well-formed text of 1 to `max` characters, not only white space. */
function shortText(max: number) {
  return z
    .string()
    .superRefine((text, context) => {
      if (!text.isWellFormed()) context.addIssue('must be well-formed Unicode');
      else if (text.trim() === '') context.addIssue('must not be empty or only white space');
      else if (text.length > 2 * max || [...text].length > max)
        context.addIssue(`must be at most ${max} characters`);
    })
    .register(documented, { minLength: 1, maxLength: max });
}

const tagField = shortText(64);
const tagList = z
  .array(tagField)
  .max(32, 'must be at most 32 tags')
  .transform((tags) => [...new Set(tags)]);

const wellFormed = z.string().refine((text) => text.isWellFormed(), 'must be well-formed Unicode');
const metadataField = z
  .record(wellFormed, z.union([wellFormed, z.number(), z.boolean(), z.null()]))
  .refine(
    (value) => encoder.encode(JSON.stringify(value)).byteLength <= maxMetadataBytes,
    `must be at most ${maxMetadataBytes} bytes of JSON`,
  );

/** What tells to what a memory belongs; all optional. */
export const contextFields = {
  /** The conversation it belongs to */
  session: shortText(128).optional(),
  /** Who said it */
  speaker: shortText(128).optional(),
  /** When it was said or happened */
  happened_at: timeField.optional(),
  /** Labels that recall, ask and lists can filter by */
  tags: tagList.optional(),
  /** Values for the application, returned with the memory */
  metadata: metadataField.optional(),
  /** From then on no request returns the memory, and the relayer forgets it */
  expires_at: timeField.refine((time) => Date.parse(time) > Date.now(), 'must be in the future').optional(),
};

/** The fields of a text that replaces a memory: null drops what the memory has. */
export const replacingFields = {
  session: contextFields.session.nullable(),
  speaker: contextFields.speaker.nullable(),
  happened_at: contextFields.happened_at.nullable(),
  tags: contextFields.tags.nullable(),
  metadata: contextFields.metadata.nullable(),
  expires_at: contextFields.expires_at.nullable(),
};

const anyContext = z.object(contextFields);
export type ContextFields = z.infer<typeof anyContext>;
export type PresentContext = { [Name in keyof ContextFields]?: NonNullable<ContextFields[Name]> };
const names = Object.keys(contextFields) as (keyof ContextFields)[];

/** Fields that may be null, as those of a replacement */
type NullableFields = { [Name in keyof ContextFields]?: ContextFields[Name] | null };

/** Those of the context fields that are present and not empty; undefined if there are none. */
export function contextIn(item: NullableFields): PresentContext | undefined {
  const present = names.filter((name) => {
    const value = item[name];
    return value !== undefined && value !== null && !(Array.isArray(value) && value.length === 0);
  });
  return present.length > 0 ? Object.fromEntries(present.map((name) => [name, item[name]])) : undefined;
}

/** Adds an issue if the context fields of a request are too long together. */
export function checkContextSize(item: NullableFields, context: z.RefinementCtx): void {
  const bytes = encoder.encode(JSON.stringify(contextIn(item) ?? {})).byteLength;
  if (bytes > maxContextBytes)
    context.addIssue({
      code: 'custom',
      path: ['metadata'],
      message: `session, speaker, happened_at, tags, metadata and expires_at must be at most ${maxContextBytes} bytes of JSON together`,
    });
}

/** The context fields as a reader gets them from an envelope, which was checked when it was opened. */
export interface SealedContext {
  /** The conversation it belongs to */
  session?: string | undefined;
  /** Who said it */
  speaker?: string | undefined;
  /** When it was said or happened, RFC 3339 */
  happened_at?: string | undefined;
  tags?: string[] | undefined;
  metadata?: Record<string, string | number | boolean | null> | undefined;
  /** From then on no request returns the memory, RFC 3339 */
  expires_at?: string | undefined;
}

export const sealedContext = z.object({
  session: z.string().optional(),
  speaker: z.string().optional(),
  happened_at: z.string().optional(),
  tags: z.array(z.string()).optional(),
  metadata: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()])).optional(),
  expires_at: z.string().optional(),
}) satisfies z.ZodType<SealedContext>;

/** Which memories a search or a list may return, by their tags. An absent or empty list asks for nothing. */
export const tagFilterField = z.object({
  /** At least one of these */
  any: tagList.optional(),
  /** Each of these */
  all: tagList.optional(),
  /** None of these */
  not: tagList.optional(),
});
export type TagFilter = z.infer<typeof tagFilterField>;
