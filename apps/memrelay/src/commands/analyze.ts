import { defaultNamespace } from '@memrelay/protocol/limits';
import type { Analyzed } from '@memrelay/sdk/analyze';
import { type ConnectOptions, type NamespaceOption, withClient } from '../client/connect.ts';
import { type ContextFlags, contextOptions } from '../terminal/context-flags.ts';
import { ExitError, exitCodes } from '../terminal/exit-codes.ts';
import { givenText } from '../terminal/given-text.ts';
import type { Output } from '../terminal/output.ts';
import { counted, plainText, wrap } from '../terminal/plain-text.ts';

export interface AnalyzeOptions extends ConnectOptions, NamespaceOption, ContextFlags {
  wait: boolean;
  /** RFC 3339 */
  occurredAt?: string;
}

/** Extracts the facts of a text, stores each as a memory and reports which were known already. */
export async function analyze(
  output: Output,
  words: readonly string[],
  options: AnalyzeOptions,
): Promise<void> {
  const text = await givenText(words, 'text to analyze');
  const namespace = options.namespace ?? defaultNamespace;
  await withClient(options, async ({ client }) => {
    output.step('Looking for facts');
    const { occurredAt } = options;
    const found = await client.analyze(text, {
      namespace,
      ...(occurredAt ? { occurredAt } : {}),
      ...contextOptions(options),
    });
    const failed: string[] = [];
    if (options.wait && found.jobIds.length > 0) {
      output.step('Encrypting and storing');
      for (const job of await client.waitForJobs(found.jobIds))
        if (job.status !== 'done') failed.push(job.jobId);
    }
    output.done();
    output.result(asJson(found, namespace, failed));
    for (const line of lines(found, output.width)) output.line(line);
    if (failed.length > 0)
      throw new ExitError(
        exitCodes.failed,
        `${failed.length} of ${counted(found.factCount, 'fact', 'facts')} could not be stored. Nothing is lost: \`npx memrelay retry ID\` retries one: ${failed.join(', ')}.`,
      );
  });
}

function asJson({ facts, unchanged, usage, context, mock }: Analyzed, namespace: string, failed: string[]) {
  return {
    namespace,
    facts,
    ...(unchanged
      ? {
          unchanged: unchanged.map(({ blobId, ...rest }) => ({
            ...rest,
            ...(blobId ? { blob_id: blobId } : {}),
          })),
        }
      : {}),
    ...(failed.length > 0 ? { failed } : {}),
    ...(context ? { context } : {}),
    ...(usage
      ? {
          usage: {
            calls: usage.calls,
            prompt_tokens: usage.promptTokens,
            completion_tokens: usage.completionTokens,
          },
        }
      : {}),
    ...(mock ? { mock } : {}),
  };
}

function lines({ facts, unchanged = [], context, mock }: Analyzed, width: number): string[] {
  const entry = (mark: string, text: string) =>
    wrap(plainText(text), width - 10).map((line, i) => `${(i === 0 ? mark : '').padEnd(8)}  ${line}`);
  return [
    ...facts.flatMap(({ text, supersedes }) => entry(supersedes ? 'replaced' : 'new', text)),
    ...unchanged.flatMap(({ text }) => entry('known', text)),
    ...(facts.length + unchanged.length === 0
      ? ['There is no fact in it.']
      : ['', summary(facts, unchanged.length)]),
    ...(context
      ? ['Stored memories could not be read at the moment, so some facts may be stored twice.']
      : []),
    ...(mock ? ['Split into sentences: set LLM_API_KEY where the relayer runs to have facts found.'] : []),
  ];
}

function summary(facts: Analyzed['facts'], known: number): string {
  const replaced = facts.filter(({ supersedes }) => supersedes).length;
  return [
    `${facts.length} stored`,
    ...(replaced > 0 ? [`${replaced} of them replace memories that are no longer valid`] : []),
    ...(known > 0 ? [`${known} known already`] : []),
  ].join(', ');
}
