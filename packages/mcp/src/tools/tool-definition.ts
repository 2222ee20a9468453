import type { MemRelay } from '@memrelay/sdk/mem-relay';
import type { StandardSchemaWithJSON, ToolAnnotations } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { sharedSchema } from './shared-schema.ts';

/** What a tool can use while it serves one call. */
export interface ToolCall {
  memory: MemRelay;
  /** Aborted when the caller cancels or disconnects */
  signal: AbortSignal;
  /** Reports progress to the caller, if it requested that */
  report: (message: string) => void;
  /** How long a write waits for its jobs, in ms */
  waitMs: number;
  /** URL of the relayer, if the host provides it */
  relayerUrl: string | undefined;
}

/** One answer in two forms: text for the agent, and data in the tool's output schema. */
export interface ToolAnswer<Output> {
  /** Each starts on a new line */
  lines: readonly string[];
  structured: Output;
  /** Next steps, one sentence each. Included in both forms, because some hosts pass on only the structured one */
  next?: readonly string[];
  /** The call was valid but failed */
  isError?: true;
}

interface ToolDefinition<Input extends z.ZodObject, Output extends z.ZodObject> {
  name: string;
  title: string;
  /** When to call the tool and what to pass. Agents know nothing else about it */
  description: string;
  input: Input;
  output: Output;
  annotations: Required<Omit<ToolAnnotations, 'title'>>;
  run: (args: z.output<Input>, call: ToolCall) => Promise<ToolAnswer<z.input<Output>>>;
}

/** A tool with its listed schemas, created once for all sessions. */
export interface Tool {
  name: string;
  input: z.ZodObject;
  config: {
    title: string;
    description: string;
    inputSchema: StandardSchemaWithJSON;
    outputSchema: StandardSchemaWithJSON;
    annotations: ToolAnnotations;
  };
  /** `args`: as parsed by `input` */
  run: (args: unknown, call: ToolCall) => Promise<ToolAnswer<object>>;
}

export function defineTool<Input extends z.ZodObject, Output extends z.ZodObject>(
  definition: ToolDefinition<Input, Output>,
): Tool {
  const { name, title, description, input, output, annotations, run } = definition;
  return {
    name,
    input,
    config: {
      title,
      description,
      inputSchema: sharedSchema(input, 'input'),
      outputSchema: sharedSchema(output.extend({ next: z.string().optional() }), 'output'),
      annotations: { title, ...annotations },
    },
    run: (args, call) => run(args as z.output<Input>, call),
  };
}
