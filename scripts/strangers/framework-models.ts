/** What replaces the provider of a framework's models. */
export interface FrameworkModel {
  files: Readonly<Record<string, string>>;
  /** One of the files, which is loaded before the program */
  preload?: string;
}

const manifest = (name: string): string =>
  JSON.stringify({ name, version: '0.0.0', type: 'module', main: 'index.js', types: 'index.d.ts' });

/** Answers with the whole prompt, so that a program prints the memories that the model got. */
const aiSdk: FrameworkModel = {
  files: {
    'node_modules/@ai-sdk/openai/package.json': manifest('@ai-sdk/openai'),
    'node_modules/@ai-sdk/openai/index.d.ts': `import type { wrapLanguageModel } from 'ai';
export declare function openai(name: string): Parameters<typeof wrapLanguageModel>[0]['model'];
`,
    'node_modules/@ai-sdk/openai/index.js': `import * as test from 'ai/test';
const isFirst = test.MockLanguageModelV2 !== undefined && test.MockLanguageModelV3 === undefined;
const Mock = test.MockLanguageModelV4 ?? test.MockLanguageModelV3 ?? test.MockLanguageModelV2;
const tokens = { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0, text: 1, reasoning: 0 };
export const openai = (modelId) =>
  new Mock({
    modelId,
    doGenerate: async ({ prompt }) => ({
      content: [{ type: 'text', text: JSON.stringify(prompt) }],
      finishReason: isFirst ? 'stop' : { unified: 'stop', raw: undefined },
      usage: isFirst
        ? { inputTokens: 1, outputTokens: 1, totalTokens: 2 }
        : { inputTokens: tokens, outputTokens: tokens },
      warnings: [],
    }),
  });
`,
  },
};

/** The same for the default provider of the Agents SDK. */
const openaiAgents: FrameworkModel = {
  preload: 'provider.mjs',
  files: {
    'provider.mjs': `import { setDefaultModelProvider, setTracingDisabled, Usage } from '@openai/agents';
setTracingDisabled(true);
const getResponse = async ({ input }) => ({
  usage: new Usage(),
  output: [
    {
      type: 'message',
      role: 'assistant',
      status: 'completed',
      content: [{ type: 'output_text', text: JSON.stringify(input) }],
    },
  ],
});
setDefaultModelProvider({ getModel: () => ({ getResponse }) });
`,
  },
};

export const frameworkModels = { aiSdk, openaiAgents };
