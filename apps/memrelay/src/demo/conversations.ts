import { dateOf, isObject } from '@memrelay/import-files/chat-message';
import { type FileMemory, memoriesOfJson, readMemories } from '@memrelay/import-files/read-memories';
import { asExitError } from '../import/read-source.ts';

export interface Question {
  question: string;
  /** Ids of the messages that answer it; empty if the file names none that exist in it */
  evidence: string[];
}

/** One conversation with the questions about it. Each conversation gets a separate namespace. */
export interface Conversation {
  name: string;
  memories: FileMemory[];
  questions: Question[];
  /** True when the file has no questions and they were created from its messages */
  made: boolean;
}

export interface ConversationLimits {
  messages?: number | undefined;
  questions?: number | undefined;
}

const questionKeys = ['questions', 'qa'];
const madeQuestions = 8;
const madeWords = 8;

/**
 * Reads the conversations of a file. A list whose entries all contain messages has one conversation per entry; any
 * other file is one conversation. Throws `ExitError` if it contains nothing to remember.
 */
export function readConversations(path: string, content: string, limits: ConversationLimits): Conversation[] {
  // Also checks the texts, and throws an error for a file without any.
  let all: FileMemory[];
  try {
    all = readMemories(path, content).memories;
  } catch (error) {
    throw asExitError(error);
  }
  const parts = conversationParts(content);
  if (parts === undefined)
    return [limited({ name: 'conversation-1', memories: all, value: undefined }, limits)];
  return parts.map((value, i) =>
    limited({ name: `conversation-${i + 1}`, memories: memoriesOfJson(value), value }, limits),
  );
}

function conversationParts(content: string): unknown[] | undefined {
  let json: unknown;
  try {
    json = JSON.parse(content);
  } catch {
    return undefined;
  }
  if (!Array.isArray(json)) return [json];
  const holdMessages = json.every(
    (part) =>
      isObject(part) &&
      dateOf(part) === undefined &&
      Object.values(part).some(isNested) &&
      memoriesOfJson(part).length > 0,
  );
  return holdMessages ? json : [json];
}

const isNested = (value: unknown): boolean => typeof value === 'object' && value !== null;

function limited(
  { name, memories: all, value }: { name: string; memories: FileMemory[]; value: unknown },
  limits: ConversationLimits,
): Conversation {
  const memories = all.slice(0, limits.messages);
  const ids = new Set(memories.map(({ id }) => id));
  const written = questionsOf(value)
    .map(({ question, evidence }) => ({ question, evidence: evidence.filter((id) => ids.has(id)) }))
    // Of a shortened conversation, ask only questions whose evidence is in it.
    .filter(({ evidence }) => limits.messages === undefined || evidence.length > 0);
  const questions = written.length > 0 ? written : makeQuestions(memories);
  return { name, memories, questions: questions.slice(0, limits.questions), made: written.length === 0 };
}

/** `questions` or `qa`: entries with a `question` and the ids of its `evidence`. */
function questionsOf(value: unknown): Question[] {
  if (!isObject(value)) return [];
  const list = questionKeys.map((key) => value[key]).find(Array.isArray) as unknown[] | undefined;
  return (list ?? []).flatMap((entry) => {
    if (!isObject(entry) || typeof entry.question !== 'string') return [];
    const evidence = [entry.evidence ?? []].flat().filter((id) => typeof id === 'string');
    // Some data sets write several ids in one text.
    return [
      { question: entry.question, evidence: [...new Set(evidence.flatMap((id) => id.split(/[;,\s]+/)))] },
    ];
  });
}

/** The first words of some messages, spread over the conversation: each should find its own message. */
function makeQuestions(memories: readonly FileMemory[]): Question[] {
  const count = Math.min(madeQuestions, memories.length);
  return Array.from({ length: count }, (_, i) => {
    const { text, place, id } = memories[Math.floor((i * memories.length) / count)]!;
    const said = text.replace(/^\[[^\]]*\] /, '').replace(/^[^:]{1,40}: /, '');
    return { question: said.split(/\s+/).slice(0, madeWords).join(' '), evidence: [id ?? place] };
  });
}
