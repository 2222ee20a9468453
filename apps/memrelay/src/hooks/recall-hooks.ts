import { prepareText } from '@memrelay/capture/prepare-text';
import type { HookAnswer } from './hook-answer.ts';
import { withHookClient } from './hook-client.ts';
import type { HookInput } from './hook-input.ts';
import type { HookSettings } from './hook-settings.ts';
import { type Recalled, recalledContext } from './recalled-context.ts';
import { readShown, removeOldStates, type ShownState, saveShown } from './session-state.ts';
import { withoutHostText } from './transcript.ts';

/** The user waits for these hooks, so they give up early. */
const startLimits = { deadlineMs: 5_000, maxAttempts: 1 };
const promptLimits = { deadlineMs: 3_000, maxAttempts: 1 };
const startFacts = 30;
const promptHits = 10;
const shortestPrompt = 8;
const queryCharacters = 4_000;

/** A prompt with this word is neither looked up nor captured. */
export const skipWord = /(?:^|\s)#nomemory\b/i;

/** At the start of a session: the most important facts of the project. */
export async function sessionStart(input: HookInput, settings: HookSettings): Promise<HookAnswer> {
  await removeOldStates();
  const before = await readShown(input.session_id);
  // The model has lost what it was shown
  const state = input.source === 'compact' || input.source === 'clear' ? { ...before, shown: [] } : before;
  if (!settings.recalls || settings.tokens === 0) return {};
  return withHookClient(settings, startLimits, async (memory, signal) => {
    const { facts } = await memory.profile({ limit: startFacts, signal });
    const found = facts.map(({ text, sources }) => ({
      id: sources[0]!.id,
      text,
      createdAt: sources[0]!.createdAt,
    }));
    return shownNow(input, state, settings, found, settings.tokens);
  });
}

/** Before a prompt: the memories that match it. */
export async function beforePrompt(input: HookInput, settings: HookSettings): Promise<HookAnswer> {
  const prompt = withoutHostText(input.prompt ?? '');
  if (!settings.recalls || settings.tokens === 0) return {};
  if (prompt.length < shortestPrompt || prompt.startsWith('/') || skipWord.test(prompt)) return {};
  const { text } = prepareText(prompt, { maskSecrets: settings.masksSecrets });
  if (text.trim() === '') return {};
  const state = await readShown(input.session_id);
  return withHookClient(settings, promptLimits, async (memory, signal) => {
    const { results } = await memory.recall(text.slice(0, queryCharacters), { limit: promptHits, signal });
    return shownNow(input, state, settings, results, Math.floor(settings.tokens / 2));
  });
}

async function shownNow(
  input: HookInput,
  state: ShownState,
  { namespace }: HookSettings,
  memories: readonly Recalled[],
  tokens: number,
): Promise<HookAnswer> {
  const made = recalledContext(memories, { tokens, shown: new Set(state.shown), namespace });
  if (made === undefined) return {};
  await saveShown(input.session_id, { ...state, shown: [...state.shown, ...made.ids] });
  return { context: made.context };
}
