import { ApiError } from '@memrelay/protocol/errors';
import { issueWords } from '@memrelay/protocol/issue-words';
import type { z } from 'zod';

/** Parses a request body with its schema; no body is the same as an empty object, `null` is not. Throws `invalid_request` with one issue per problem. */
export function validate<Schema extends z.ZodType>(schema: Schema, body: unknown): z.infer<Schema> {
  const result = schema.safeParse(body === undefined ? {} : body, { error: issueWords });
  if (result.success) return result.data;
  throw new ApiError('invalid_request', {
    details: {
      issues: result.error.issues.slice(0, 20).map((issue) => ({
        path: issue.path.map(String).join('.'),
        message: issue.message,
      })),
    },
  });
}
