import type { z } from 'zod';
import { quoted } from './quoted.ts';
import type { Tool } from './tool-definition.ts';
import { ToolRefusal } from './tool-refusal.ts';

/**
 * Reads the arguments of a call. A namespace that is left out or blank is the session's (spec "Stdio package flags",
 * default namespace precedence), filled in before anything is judged; `null` counts as left out, since some models send it
 * for every optional parameter. Throws `ToolRefusal` that names each wrong parameter.
 */
export function readArguments(tool: Tool, args: unknown, sessionNamespace: string | undefined): unknown {
  const given = withoutNulls(args);
  if ('namespace' in tool.input.shape && isBlank(given.namespace)) {
    delete given.namespace;
    if (sessionNamespace !== undefined) given.namespace = sessionNamespace;
  }
  const read = tool.input.safeParse(given);
  if (read.success) return read.data;
  const wrong = read.error.issues.flatMap((issue) => issueLines(issue, tool, given));
  throw new ToolRefusal(
    'invalid_arguments',
    [
      `The arguments of ${tool.name} are not valid, and nothing was done:`,
      ...wrong.map((line) => `- ${line}`),
      'Mend them and call again.',
    ].join('\n'),
  );
}

function withoutNulls(args: unknown): Record<string, unknown> {
  return Object.fromEntries(Object.entries(args ?? {}).filter(([, value]) => value !== null));
}

function isBlank(value: unknown): boolean {
  return value === undefined || (typeof value === 'string' && value.trim() === '');
}

function issueLines(issue: z.core.$ZodIssue, tool: Tool, given: Record<string, unknown>): string[] {
  if (issue.code === 'unrecognized_keys') {
    const known = Object.keys(tool.input.shape).join(', ') || 'no parameters';
    return issue.keys.map((key) => `${quoted(key.slice(0, 64))}: no such parameter; it takes ${known}`);
  }
  const [name, ...inside] = issue.path.map(String);
  if (inside.length === 0 && given[name!] === undefined) return [`${name}: required, and it is missing`];
  return [`${issue.path.join('.')}: ${issue.message}`];
}
