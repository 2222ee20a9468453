import { ApiError } from '@memrelay/protocol/errors';
import type { Logger } from 'pino';
import type { z } from 'zod';
import type { ChatClient, ChatRequest } from './chat-client.ts';

/** The format of a response: a JSON schema for the provider, and the schema that parses it here. */
export interface AnswerFormat<Schema extends z.ZodType> {
  name: string;
  jsonSchema: object;
  schema: Schema;
}

/** Longest part of an invalid response that is shown to the model for the second attempt */
const shownCharacters = 8_000;

/**
 * Returns the parsed response. If the first one does not match the schema (text around it, an extra or a missing
 * field), asks the model once more. `cut`: the response was longer than allowed. Throws like the client.
 */
export async function completeStructured<Schema extends z.ZodType>(
  chat: ChatClient,
  request: Omit<ChatRequest, 'format'>,
  format: AnswerFormat<Schema>,
  log: Logger,
): Promise<z.infer<Schema> | 'cut'> {
  const first = await chat.complete({ ...request, format });
  if (first.cut) return 'cut';
  const parsed = parseAnswer(first.text, format.schema);
  if (parsed.ok) return parsed.value;
  log.warn({ format: format.name, problem: parsed.problem }, 'invalid model response; asking again');
  const second = await chat.complete({
    ...request,
    format,
    messages: [
      ...request.messages,
      { role: 'assistant', content: first.text.slice(0, shownCharacters) },
      {
        role: 'user',
        content: `That was not valid (${parsed.problem}). Answer with the JSON object of the schema and nothing else.`,
      },
    ],
  });
  if (second.cut) return 'cut';
  const repaired = parseAnswer(second.text, format.schema);
  if (repaired.ok) return repaired.value;
  log.warn({ format: format.name, problem: repaired.problem }, 'unusable model response');
  throw new ApiError('llm_answer_invalid');
}

/** Parses a whole text as JSON of a schema. `problem` names fields and rules, and quotes nothing of the text. */
export function parseAnswer<Schema extends z.ZodType>(
  text: string,
  schema: Schema,
): { ok: true; value: z.infer<Schema> } | { ok: false; problem: string } {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return { ok: false, problem: 'not JSON' };
  }
  const result = schema.safeParse(json);
  if (result.success) return { ok: true, value: result.data };
  const [issue] = result.error.issues;
  // Unknown field names in the response may contain text of a memory
  const path = issue!.path.filter((part) => typeof part === 'number' || knownField.test(String(part)));
  return { ok: false, problem: `${issue!.code} at ${path.map(String).join('.') || 'the top'}` };
}

const knownField = /^[a-z_]{1,20}$/;
