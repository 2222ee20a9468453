import { ApiError } from '@memrelay/protocol/errors';
import pLimit from 'p-limit';
import type { Logger } from 'pino';
import { z } from 'zod';
import type { ChatClient } from '../llm/chat-client.ts';
import { dataDocument } from '../llm/data-document.ts';
import { type AnswerFormat, completeStructured } from '../llm/structured.ts';
import type { UsageMeter } from '../llm/usage.ts';
import { extractPrompt } from '../prompts/extract.ts';
import { anchorDates } from './anchor-dates.ts';
import { type Fact, importanceOf, maxFactCharacters, oneLine } from './fact.ts';
import { halves, type Passage } from './passages.ts';

/** A stored memory that the model compares the facts with. */
export interface OfferedMemory {
  id: string;
  text: string;
}

/** A passage with the most similar stored memories, best first. */
export interface Question {
  passage: Passage;
  offered: readonly OfferedMemory[];
}

export interface Extraction {
  chat: ChatClient;
  usage: UsageMeter;
  accountId: string;
  /** `performance.now()` */
  deadline: number;
  occurredAt: string | undefined;
  log: Logger;
}

/** Concurrent passages of one request, so that a long text leaves room for other requests */
const passagesAtOnce = 4;
const maxTokens = 6_000;
const maxFacts = 60;
/** Longest part of an offered memory that the model sees, in characters */
const offeredCharacters = 600;

const relations = ['new', 'restates', 'replaces'] as const;
const importances = ['vital', 'standard', 'trivial'] as const;

const answerSchema = z.strictObject({
  facts: z
    .array(
      z.strictObject({
        text: z.string().max(maxFactCharacters),
        importance: z.enum(importances),
        relation: z.enum(relations),
        memory: z.string().max(40).nullable(),
      }),
    )
    .max(maxFacts),
});

const format: AnswerFormat<typeof answerSchema> = {
  name: 'facts',
  schema: answerSchema,
  jsonSchema: {
    type: 'object',
    properties: {
      facts: {
        type: 'array',
        items: {
          type: 'object',
          properties: {
            text: { type: 'string' },
            importance: { type: 'string', enum: importances },
            relation: { type: 'string', enum: relations },
            memory: { type: ['string', 'null'] },
          },
          required: ['text', 'importance', 'relation', 'memory'],
          additionalProperties: false,
        },
      },
    },
    required: ['facts'],
    additionalProperties: false,
  },
};

/** Extracts the facts of all passages, in order, with the model. Has no side effects. Throws `ApiError`. */
export async function extractFacts(questions: readonly Question[], extraction: Extraction): Promise<Fact[]> {
  const limit = pLimit(passagesAtOnce);
  const found = await Promise.all(
    questions.map((question) => limit(() => factsOf(question, extraction))),
  ).catch((error: unknown) => {
    limit.clearQueue();
    throw error;
  });
  return found.flat();
}

async function factsOf({ passage, offered }: Question, extraction: Extraction): Promise<Fact[]> {
  const { chat, usage, accountId, deadline, occurredAt, log } = extraction;
  const document = dataDocument({
    ...(occurredAt === undefined ? {} : { occurred_at: occurredAt }),
    memories: offered.map(({ text }, i) => ({ id: labelOf(i), text: text.slice(0, offeredCharacters) })),
    before: passage.before,
    passage: passage.text,
  });
  const answer = await completeStructured(
    chat,
    {
      messages: [
        { role: 'system', content: extractPrompt.text },
        { role: 'user', content: document },
      ],
      maxTokens,
      usage,
      accountId,
      deadline,
    },
    format,
    log,
  );
  if (answer === 'cut') {
    const parts = halves(passage);
    if (!parts) throw new ApiError('llm_answer_invalid');
    const [first, second] = parts.map((part) => ({ passage: part, offered })) as [Question, Question];
    return [...(await factsOf(first, extraction)), ...(await factsOf(second, extraction))];
  }
  return answer.facts.flatMap(({ text, importance, relation, memory }): Fact[] => {
    const line = oneLine(text);
    if (line === '') return [];
    // Ignore the label of a memory that was not offered
    const meant = relation === 'new' ? undefined : offered.find((_, i) => labelOf(i) === memory);
    return [
      {
        text: anchorDates(line, occurredAt),
        importance: importanceOf[importance],
        ...(meant && relation !== 'new' ? { relation: { is: relation, memoryId: meant.id } } : {}),
      },
    ];
  });
}

function labelOf(index: number): string {
  return `m${index + 1}`;
}
