import { issueWords } from '@memrelay/protocol/issue-words';
import { defaultNamespace } from '@memrelay/protocol/limits';
import type { z } from 'zod';
import { quoted } from './quoted.ts';
import type { Tool } from './tool-definition.ts';
import { ToolRefusal } from './tool-refusal.ts';

/**
 * Parses the arguments of a call. A namespace that is omitted or blank is the session's (spec "Stdio package flags",
 * default namespace precedence), filled in before validation. A tool whose schema requires a namespace gets `default` in a
 * session without one (decisions.md, "Restore"). `null` counts as omitted, since some models send it for every optional
 * parameter. Throws a `ToolRefusal` that names each invalid parameter.
 */
export function readArguments(tool: Tool, args: unknown, sessionNamespace: string | undefined): unknown {
  const values = withoutNulls(args);
  const { namespace } = tool.input.shape as { namespace?: z.ZodType };
  if (namespace && isBlank(values.namespace)) {
    delete values.namespace;
    const filledIn = sessionNamespace ?? (isRequired(namespace) ? defaultNamespace : undefined);
    if (filledIn !== undefined) values.namespace = filledIn;
  }
  const read = tool.input.safeParse(values, { error: issueWords });
  if (read.success) return read.data;
  const wrong = read.error.issues.flatMap((issue) => issueLines(issue, tool, values));
  throw new ToolRefusal(
    'invalid_arguments',
    [
      `The arguments of ${tool.name} are invalid, and nothing was done:`,
      ...wrong.map((line) => `- ${line}`),
      'Fix these and try again.',
    ].join('\n'),
  );
}

function withoutNulls(args: unknown): Record<string, unknown> {
  return Object.fromEntries(Object.entries(args ?? {}).filter(([, value]) => value !== null));
}

function isRequired(field: z.ZodType): boolean {
  return !field.safeParse(undefined).success;
}

function isBlank(value: unknown): boolean {
  return value === undefined || (typeof value === 'string' && value.trim() === '');
}

function issueLines(issue: z.core.$ZodIssue, tool: Tool, values: Record<string, unknown>): string[] {
  if (issue.code === 'unrecognized_keys') {
    const known = Object.keys(tool.input.shape).join(', ') || 'no parameters';
    return issue.keys.map((key) => `${quoted(key.slice(0, 64))}: unknown parameter; the tool takes ${known}`);
  }
  const [name, ...inside] = issue.path.map(String);
  if (inside.length === 0 && values[name!] === undefined) return [`${name}: required, but missing`];
  return [`${issue.path.join('.')}: ${issue.message}`];
}
