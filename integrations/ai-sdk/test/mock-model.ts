import { convertArrayToReadableStream, MockLanguageModelV4 } from 'ai/test';

/** What the model answers in one call: a text, or a call of a tool. */
export type Reply = string | { tool: string; input: object };

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
};

/** The mock model of the AI SDK with these answers in turn. `prompts` has what it was sent. */
export function createMockModel(...replies: readonly Reply[]) {
  const prompts: string[] = [];
  let number = 0;
  const next = (prompt: unknown): Reply => {
    prompts.push(JSON.stringify(prompt));
    return replies[Math.min(number++, replies.length - 1)]!;
  };
  const reasonOf = (reply: Reply) =>
    ({ unified: typeof reply === 'string' ? 'stop' : 'tool-calls', raw: undefined }) as const;
  const contentOf = (reply: Reply) =>
    typeof reply === 'string'
      ? ({ type: 'text', text: reply } as const)
      : ({
          type: 'tool-call',
          toolCallId: `call-${number}`,
          toolName: reply.tool,
          input: JSON.stringify(reply.input),
        } as const);
  const model = new MockLanguageModelV4({
    async doGenerate({ prompt }) {
      const reply = next(prompt);
      return { content: [contentOf(reply)], finishReason: reasonOf(reply), usage, warnings: [] };
    },
    async doStream({ prompt }) {
      const reply = next(prompt);
      const content = contentOf(reply);
      const parts =
        content.type === 'text'
          ? [
              { type: 'text-start', id: '1' } as const,
              ...[...content.text].map((delta) => ({ type: 'text-delta', id: '1', delta }) as const),
              { type: 'text-end', id: '1' } as const,
            ]
          : [content];
      return {
        stream: convertArrayToReadableStream([
          { type: 'stream-start', warnings: [] } as const,
          ...parts,
          { type: 'finish', finishReason: reasonOf(reply), usage } as const,
        ]),
      };
    },
  });
  return { model, prompts };
}
