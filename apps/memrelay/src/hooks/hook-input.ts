import { z } from 'zod';

/** Hosts whose hooks this command serves. Codex has the events and answers of Claude Code. */
export const hookHosts = ['claude-code', 'codex', 'gemini', 'openclaw'] as const;
export type HookHost = (typeof hookHosts)[number];

export const hookEvents = ['session-start', 'prompt', 'capture'] as const;
export type HookEvent = (typeof hookEvents)[number];

export interface Message {
  role: 'user' | 'assistant';
  text: string;
  /** RFC 3339 */
  at?: string | undefined;
}

/** What a host passes to its hooks on stdin, as far as it is used here. */
const inputSchema = z.looseObject({
  session_id: z.string().default('none'),
  cwd: z.string().optional(),
  transcript_path: z.string().nullish(),
  hook_event_name: z.string().optional(),
  /** Why a session starts: startup, resume, clear, compact */
  source: z.string().optional(),
  prompt: z.string().optional(),
  /** Gemini CLI, after a turn: the answer to `prompt` */
  prompt_response: z.string().optional(),
  /** OpenClaw plugin: the messages of the turn */
  messages: z
    .array(z.object({ role: z.enum(['user', 'assistant']), text: z.string(), at: z.string().optional() }))
    .optional(),
});
export type HookInput = z.output<typeof inputSchema>;

/** Throws for a text that is not the input of a hook. */
export function parseHookInput(text: string): HookInput {
  return inputSchema.parse(JSON.parse(text));
}
