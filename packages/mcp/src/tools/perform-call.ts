import { MemRelayError } from '@memrelay/sdk/errors';
import type { CallToolResult, ServerContext } from '@modelcontextprotocol/server';
import { readArguments } from './arguments.ts';
import { startProgress } from './call-progress.ts';
import { errorWords } from './error-words.ts';
import type { Tool, ToolAnswer } from './tool-definition.ts';
import { ToolRefusal } from './tool-refusal.ts';
import { type FinishedCall, presentValue, type ToolServerOptions } from './tool-server-options.ts';

const defaultWaitMs = 15_000;

type Outcome = Pick<FinishedCall, 'outcome' | 'code' | 'error'>;

/** Serves one call. Every failure becomes a result with `isError` and an explanation for the agent. */
export async function performCall(
  tool: Tool,
  args: unknown,
  context: ServerContext,
  options: ToolServerOptions,
): Promise<CallToolResult> {
  const started = performance.now();
  const { signal } = context.mcpReq;
  const progress = startProgress(context);
  let outcome: Outcome = { outcome: 'ok' };
  try {
    const memory = await options.client();
    const read = readArguments(tool, args, presentValue(options.namespace));
    const { report } = progress;
    const waitMs = options.waitMs ?? defaultWaitMs;
    const call = { memory, signal, report, waitMs, relayerUrl: presentValue(options.relayerUrl) };
    const answer = await tool.run(read, call);
    if (answer.isError) outcome = { outcome: 'failed', code: 'job_failed' };
    return resultOf(answer);
  } catch (error) {
    const failure = failureOf(error, tool, signal, options);
    outcome = failure.outcome;
    return { content: [{ type: 'text', text: failure.text }], isError: true };
  } finally {
    progress.stop();
    options.onCall?.({ tool: tool.name, durationMs: performance.now() - started, ...outcome });
  }
}

function resultOf({ lines, next = [], structured, isError }: ToolAnswer<object>): CallToolResult {
  return {
    content: [{ type: 'text', text: [...lines, ...next].join('\n') }],
    structuredContent: { ...structured, ...(next.length > 0 ? { next: next.join(' ') } : {}) },
    ...(isError ? { isError } : {}),
  };
}

function failureOf(
  error: unknown,
  tool: Tool,
  signal: AbortSignal,
  { signIn }: ToolServerOptions,
): { outcome: Outcome; text: string } {
  // The protocol sends no answer to a cancelled call. Its progress messages already reported what continues.
  if (signal.aborted) return { outcome: { outcome: 'cancelled' }, text: 'The call was cancelled.' };
  if (error instanceof ToolRefusal)
    return { outcome: { outcome: 'refused', code: error.code }, text: error.message };
  if (error instanceof MemRelayError) {
    const writes = tool.config.annotations.readOnlyHint !== true;
    const { code, text } = errorWords(error, { writes, signIn });
    return { outcome: { outcome: 'failed', code }, text };
  }
  return {
    outcome: { outcome: 'broken', error },
    text: `${tool.name} failed because of an internal error of the tool server. Tell the user; retrying immediately will not help.`,
  };
}
