import type { HookEvent, HookHost } from './hook-input.ts';

/** What a hook has to say. */
export interface HookAnswer {
  /** For the model */
  context?: string | undefined;
  /** For the user */
  notice?: string | undefined;
}

const eventNames: Record<HookHost, Record<Exclude<HookEvent, 'capture'>, string>> = {
  'claude-code': { 'session-start': 'SessionStart', prompt: 'UserPromptSubmit' },
  codex: { 'session-start': 'SessionStart', prompt: 'UserPromptSubmit' },
  gemini: { 'session-start': 'SessionStart', prompt: 'BeforeAgent' },
  openclaw: { 'session-start': 'session_start', prompt: 'before_prompt_build' },
};

/** The answer as the host reads it from stdout. Empty when there is nothing to say: no host needs an answer. */
export function answerText(host: HookHost, event: HookEvent, { context, notice }: HookAnswer): string {
  if (context === undefined && notice === undefined) return '';
  const specific =
    context === undefined || event === 'capture'
      ? {}
      : { hookSpecificOutput: { hookEventName: eventNames[host][event], additionalContext: context } };
  return `${JSON.stringify({ ...specific, ...(notice === undefined ? {} : { systemMessage: notice }) })}\n`;
}
