import { ApiError } from '@memrelay/protocol/errors';
import type { Logger } from 'pino';
import type { z } from 'zod';
import type { ChatClient, ChatRequest } from './chat-client.ts';

/** The form that an answer must have: for the provider as JSON schema, for us as the schema that reads it. */
export interface AnswerFormat<Schema extends z.ZodType> {
  name: string;
  jsonSchema: object;
  schema: Schema;
}

/** What of a wrong answer is shown to the model again */
const shownCharacters = 8_000;

/**
 * The answer in its form, after one more try where the first is of another: prose around it, a field too many or one
 * too few is no answer. `cut`: it was longer than allowed. Throws as the client does.
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
  log.warn({ format: format.name, problem: parsed.problem }, 'an answer of the model is asked for again');
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
  log.warn({ format: format.name, problem: repaired.problem }, 'an answer of the model is of no use');
  throw new ApiError('llm_answer_invalid');
}

/** Reads a whole text as JSON of a schema. `problem` names fields and rules, nothing of the text. */
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
  // Field names of the answer may be text of the memory
  const path = issue!.path.filter((part) => typeof part === 'number' || knownField.test(String(part)));
  return { ok: false, problem: `${issue!.code} at ${path.map(String).join('.') || 'the top'}` };
}

const knownField = /^[a-z_]{1,20}$/;
