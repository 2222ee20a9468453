import { capture, store } from '../hooks/capture-hooks.ts';
import { answerText, type HookAnswer } from '../hooks/hook-answer.ts';
import { hintOf } from '../hooks/hook-hint.ts';
import { type HookEvent, type HookHost, type HookInput, parseHookInput } from '../hooks/hook-input.ts';
import { hookSettings } from '../hooks/hook-settings.ts';
import { beforePrompt, sessionStart } from '../hooks/recall-hooks.ts';
import { readShown, saveShown } from '../hooks/session-state.ts';

export interface HookOptions {
  host: HookHost;
}

/**
 * `memrelay hook EVENT`: called by the hooks of an agent, with their input on stdin. Never fails and never blocks the agent:
 * whatever goes wrong, the answer is empty, or one hint per session for the user.
 */
export async function hook(
  event: HookEvent | 'store',
  { host }: HookOptions,
  environment: NodeJS.ProcessEnv,
): Promise<void> {
  const input = await readInput();
  if (input === undefined) return;
  const settings = hookSettings(environment, input.cwd ?? process.cwd());
  if (event === 'store') {
    // What could not be stored is read again after the next turn
    await store(host, input, settings).catch(() => undefined);
    return;
  }
  const work = {
    'session-start': () => sessionStart(input, settings),
    prompt: () => beforePrompt(input, settings),
    capture: () => capture(host, input, settings),
  }[event];
  const answer = await work().catch((error: unknown) => hintOnce(input, error));
  process.stdout.write(answerText(host, event, answer));
}

async function readInput(): Promise<HookInput | undefined> {
  process.stdin.setEncoding('utf8');
  let text = '';
  for await (const chunk of process.stdin) text += chunk;
  try {
    return parseHookInput(text);
  } catch {
    return undefined;
  }
}

/** Without memory the agent works on; the user learns about it once. */
async function hintOnce(input: HookInput, error: unknown): Promise<HookAnswer> {
  const notice = hintOf(error);
  try {
    const state = await readShown(input.session_id);
    if (state.hinted) return {};
    await saveShown(input.session_id, { ...state, hinted: true });
    return { notice };
  } catch {
    return {};
  }
}
