import { z } from 'zod';
import { base64Pattern } from './bytes.ts';
import { invisibleCharacterIn } from './invisible-characters.ts';
import { limits } from './limits.ts';

/** Fields that several requests share, with their rules in decisions.md, "Fields and limits". */

const encoder = new TextEncoder();

/**
 * JSON Schema keywords for the OpenAPI document, for rules that a schema checks with a function. A separate registry: the
 * schemas of the tools must not change with it.
 */
export const documented = z.registry<Record<string, unknown>>();

/** Text of 1 to `maxBytes` bytes of UTF-8, well-formed and not only white space. */
export function textField(maxBytes: number) {
  return z
    .string()
    .superRefine((text, context) => {
      if (!text.isWellFormed()) context.addIssue('must be well-formed Unicode');
      else if (text.trim() === '') context.addIssue('must not be empty or only white space');
      else if (text.length > maxBytes || encoder.encode(text).byteLength > maxBytes)
        context.addIssue(`must be at most ${maxBytes} bytes of UTF-8`);
    })
    .register(documented, { minLength: 1, maxLength: maxBytes });
}

/** A UUID of any version (RFC 9562), in either case. */
export const uuidPattern = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern rejects control characters
const controlCharacters = /[\u0000-\u001f\u007f-\u009f]/;

/** A namespace to read from or to forget in. Accepts every name that could be written at any time. */
export const namespaceField = z
  .string()
  .superRefine((namespace, context) => {
    if (!namespace.isWellFormed()) context.addIssue('must be well-formed Unicode');
    else if (namespace.trim() === '') context.addIssue('must not be empty or only white space');
    else if (controlCharacters.test(namespace)) context.addIssue('must not contain control characters');
    else if (
      namespace.length > limits.namespaceCharacters &&
      [...namespace].length > limits.namespaceCharacters
    )
      context.addIssue(`must be at most ${limits.namespaceCharacters} characters`);
  })
  .register(documented, { minLength: 1, maxLength: limits.namespaceCharacters });

/** A namespace to write to or to name in a scope. Invisible characters are rejected, so that names that look the same are the same. */
export const newNamespaceField = namespaceField
  .superRefine((namespace, context) => {
    const found = invisibleCharacterIn(namespace);
    if (found !== undefined)
      context.addIssue(`must not contain bidirectional controls or zero-width characters (${found})`);
  })
  .register(documented, { minLength: 1, maxLength: limits.namespaceCharacters });

/** A whole number from 0. 0 and an absent field are the default; a number above `max` is clamped to it. */
export function limitField(range: { default: number; max: number }) {
  return z
    .number()
    .refine((limit) => Number.isInteger(limit) && limit >= 0, 'must be a whole number, 0 or more')
    .register(documented, {
      type: 'integer',
      minimum: 0,
      description: `At most ${range.max}; a larger number counts as that`,
    })
    .default(range.default)
    .transform((limit) => (limit === 0 ? range.default : Math.min(limit, range.max)));
}

/** Replaces an `idempotency-key` header, which takes precedence if both are sent. */
export const idempotencyKeyField = z
  .string()
  .regex(/^[!-~]{1,128}$/, 'must be 1 to 128 visible ASCII characters');

/** A finite number array; its length is checked against the configured dimension by the use case. */
export const vectorField = z.array(z.number()).min(1).max(65_536);

export const weight = z.number().min(0).max(100);

export const scoringWeightsField = z.object({
  semantic: weight.default(1),
  recency: weight.default(0),
  recency_half_life_days: weight.default(30),
  importance: weight.default(0),
  // Without it, the relayer decides by whether memories stored one after the other belong together
  context: weight.optional(),
  // What a session, a named speaker and a named date add; 1 without them
  session: weight.optional(),
  speaker: weight.optional(),
  date: weight.optional(),
});

const withOffset = { offset: true } as const;
const withSeconds = /T\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/;

/** RFC 3339 with offset and seconds, at most nanosecond precision. Converted to upper case. */
export const timeField = z
  .string()
  .max(40)
  .register(documented, { format: 'date-time' })
  .toUpperCase()
  .pipe(z.iso.datetime(withOffset))
  .superRefine((time, context) => {
    if (!withSeconds.test(time)) context.addIssue('must include seconds, with at most nine decimal places');
  });

/** 43 characters name a blob, 50 a quilt patch. */
export const blobIdPattern = /^(?:[A-Za-z0-9_-]{43}|[A-Za-z0-9_-]{50})$/;

/** Base64 of 1 to `maxLength` characters. */
export function base64Field(maxLength: number, message: string) {
  return z.string().superRefine((text, context) => {
    if (text.length === 0 || text.length > maxLength) context.addIssue(message);
    else if (!base64Pattern.test(text)) context.addIssue('must be standard base64');
  });
}
