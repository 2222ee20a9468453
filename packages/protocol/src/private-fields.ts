import { z } from 'zod';
import { base64ByteLength, base64Pattern } from './bytes.ts';
import { documented, timeField } from './fields.ts';

/**
 * Search data of private namespaces (security.md, "Private namespaces"): tokens that clients make under keys of the
 * namespace's readers. A relayer makes its own tokens from them and learns no word.
 */

/** Length of a client's token in bytes */
export const privateTokenBytes = 16;
/** Different terms of one text */
export const maxPrivateTokens = 16_384;

/** `envelope_id` of a search secret, 32 lower-case hex digits */
export const searchIdField = z.string().regex(/^[0-9a-f]{32}$/, 'must be 32 lower-case hex digits');

/** One token: 16 bytes as standard base64 */
const token = z
  .string()
  .regex(/^[A-Za-z0-9+/]{21}[AQgw]==$/, 'must be 16 bytes as standard base64')
  .register(documented, { minLength: 24, maxLength: 24 });

/** Different tokens, joined in the order of their bytes, as standard base64 */
const joinedTokens = z.string().superRefine((text, context) => {
  const maxLength = Math.ceil((maxPrivateTokens * privateTokenBytes) / 3) * 4;
  if (text.length > maxLength || !base64Pattern.test(text)) context.addIssue('must be standard base64');
  else if (base64ByteLength(text) % privateTokenBytes !== 0)
    context.addIssue(`must decode to tokens of ${privateTokenBytes} bytes`);
});

/** Version of the rules by which a text becomes terms; tokens of different versions differ */
const tokenizer = z.int().min(1).max(32_767);

/** The index data of a text that its client has sealed. */
export const privateIndexField = z.object({
  search_id: searchIdField,
  tokenizer,
  /** A token for each different term of the text; at most 16,384 */
  tokens: joinedTokens,
  /** Those of terms that occur at least twice; among `tokens` */
  twice: joinedTokens.optional(),
  /** Those of terms that occur at least three times; among `twice` */
  often: joinedTokens.optional(),
  /** Logarithm of the number of words, as relayers compute it */
  length_bucket: z.int().min(0).max(7),
  /** Token of the text's numbers and negations */
  distinctions: token,
  /** Tokens of context fields */
  context: z
    .object({
      session: token.optional(),
      speaker: token.optional(),
      day: token.optional(),
      month: token.optional(),
    })
    .optional(),
  tags: z.array(token).max(32, 'must be at most 32 tags').optional(),
  /** From then on no request returns the memory, and the relayer forgets it */
  expires_at: timeField.optional(),
});
export type PrivateIndex = z.infer<typeof privateIndexField>;

const maxTerms = 128;
/** A token, and the index of the question's term that it counts for */
const insteadOf = z.tuple([token, z.int().min(0).max(maxTerms)]);
const tagTokens = z.array(token).max(32, 'must be at most 32 tags').optional();

/** What a question looks for. */
export const privateQuestionField = z.object({
  search_id: searchIdField,
  tokenizer,
  /** Different terms of the question */
  terms: z.array(token).max(maxTerms),
  /** Other forms of the same words: they count like the term */
  forms: z.array(insteadOf).max(128),
  /** Words that may answer instead: they count less */
  related: z.array(insteadOf).max(64),
  /** Indexes of the terms that are names */
  names: z.array(z.int().min(0).max(maxTerms)).max(maxTerms),
  /** Speakers, days and months that the question may name */
  context: z
    .object({
      speakers: z.array(token).max(256).optional(),
      days: z.array(token).max(2_048).optional(),
      months: z.array(token).max(512).optional(),
    })
    .optional(),
  /** Only memories whose tags pass */
  tags: z.object({ any: tagTokens, all: tagTokens, not: tagTokens }).optional(),
});
export type PrivateQuestion = z.infer<typeof privateQuestionField>;
