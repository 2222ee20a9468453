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

/** A memory that the model compares with. */
export interface OfferedMemory {
  id: string;
  text: string;
}

/** A passage with what is stored near it, nearest first. */
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

/** Of one request, so that a long text leaves turns to others */
const passagesAtOnce = 4;
const maxTokens = 6_000;
const maxFacts = 60;
/** Characters of an offered memory that the model sees */
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

/** The facts of all passages, in order, as the model finds them. Throws `ApiError` and then has no side effect. */
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
    // Only what was offered can be meant: any other name is none
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
