import { addCounts, prepareText, type SecretCount } from '@memrelay/capture/prepare-text';
import type { HookInput, Message } from './hook-input.ts';
import { skipWord } from './recall-hooks.ts';
import { readTranscript, withoutHostText } from './transcript.ts';

export interface CapturedTurns {
  /** Without private sections and with masks instead of secrets */
  messages: readonly Message[];
  masked: readonly SecretCount[];
  privateSections: number;
  /** Where the next capture begins in the transcript */
  end: number;
}

/** What was said since byte `start` of the transcript, or what the host passes itself, prepared for capture. */
export async function capturedTurns(
  input: HookInput,
  start: number,
  maskSecrets: boolean,
): Promise<CapturedTurns> {
  const { messages, end } = await turnsOf(input, start);
  const prepared = withoutSkipped(messages).map((message) => ({
    ...prepareText(message.text, { maskSecrets }),
    message,
  }));
  return {
    messages: prepared
      .map(({ text, message }) => ({ ...message, text: text.trim() }))
      .filter(({ text }) => text !== ''),
    masked: addCounts(prepared.flatMap(({ masked }) => masked)),
    privateSections: prepared.reduce((sum, { privateSections }) => sum + privateSections, 0),
    end,
  };
}

async function turnsOf(
  input: HookInput,
  start: number,
): Promise<{ messages: readonly Message[]; end: number }> {
  if (input.messages) return { messages: input.messages.map(own), end: 0 };
  if (input.prompt_response !== undefined)
    return {
      messages: [
        own({ role: 'user', text: input.prompt ?? '' }),
        own({ role: 'assistant', text: input.prompt_response }),
      ],
      end: 0,
    };
  if (!input.transcript_path) return { messages: [], end: start };
  return readTranscript(input.transcript_path, start);
}

const own = (message: Message): Message => ({ ...message, text: withoutHostText(message.text) });

/** Without the prompts that ask for it, and the answers to them. */
function withoutSkipped(messages: readonly Message[]): Message[] {
  let skipping = false;
  return messages.filter(({ role, text }) => {
    if (role === 'user') skipping = skipWord.test(text);
    return !skipping;
  });
}
