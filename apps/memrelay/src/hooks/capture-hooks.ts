import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { countedSecrets } from '@memrelay/capture/prepare-text';
import { capturedTurns } from './captured-turns.ts';
import type { HookAnswer } from './hook-answer.ts';
import { withHookClient } from './hook-client.ts';
import type { HookHost, HookInput } from './hook-input.ts';
import type { HookSettings } from './hook-settings.ts';
import { readCaptured, readShown, saveCaptured, saveShown, withCaptureLock } from './session-state.ts';
import { type StoredTurns, storeTurns } from './store-turns.ts';

/** No one waits for the process that stores, and a model may read for minutes. */
const storeLimits = { deadlineMs: 280_000, maxAttempts: 4 };
const lockWaitMs = 240_000;

/**
 * After a turn, and before a conversation is compacted: starts a process that stores the turn, and does not wait for it.
 * Reports which secrets it will mask.
 */
export async function capture(host: HookHost, input: HookInput, settings: HookSettings): Promise<HookAnswer> {
  if (!settings.captures) return {};
  await startStoring(host, input);
  if (!settings.masksSecrets) return {};
  const state = await readShown(input.session_id);
  const { masked, end } = await capturedTurns(input, state.reported, true);
  if (end !== state.reported) await saveShown(input.session_id, { ...state, reported: end });
  if (masked.length === 0) return {};
  return { notice: `memrelay masked ${countedSecrets(masked)} before storing anything from this turn.` };
}

/** The process belongs to no terminal and survives the host. It gets the input over its stdin, not as an argument. */
async function startStoring(host: HookHost, input: HookInput): Promise<void> {
  // With this variable the process would end together with the shell of npm
  const { npm_lifecycle_event: _, ...env } = process.env;
  const child = spawn(process.execPath, [process.argv[1]!, 'hook', 'store', '--host', host], {
    detached: true,
    windowsHide: true,
    stdio: ['pipe', 'ignore', 'ignore'],
    env,
  });
  child.on('error', () => undefined);
  child.stdin.on('error', () => undefined);
  child.stdin.end(JSON.stringify(input));
  await Promise.race([once(child.stdin, 'finish'), once(child, 'exit'), once(child, 'error')]);
  child.unref();
}

/** Stores what was said since the last time. Returns undefined if there is nothing new, or another process stores it. */
export async function store(
  host: HookHost,
  input: HookInput,
  settings: HookSettings,
): Promise<StoredTurns | undefined> {
  const session = input.session_id;
  return withCaptureLock(session, lockWaitMs, async () => {
    const { captured } = await readCaptured(session);
    const { messages, end } = await capturedTurns(input, captured, settings.masksSecrets);
    if (!messages.some(({ role }) => role === 'user')) return undefined;
    const stored = await withHookClient(settings, storeLimits, (memory) =>
      storeTurns(memory, messages, { session, host }),
    );
    if (end > 0) await saveCaptured(session, { captured: end });
    return stored;
  });
}
