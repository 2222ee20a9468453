import type { MemRelay } from '@memrelay/sdk/mem-relay';
import type { StandardSchemaWithJSON, ToolAnnotations } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { sharedSchema } from './shared-schema.ts';

/** What a tool has while it serves one call. */
export interface ToolCall {
  memory: MemRelay;
  /** Aborted when the caller cancels or is gone */
  signal: AbortSignal;
  /** Tells the caller how far the work is, where it asked for that */
  report: (message: string) => void;
  /** How long a write waits for its jobs, in ms */
  waitMs: number;
  /** Of the relayer, where the host tells it */
  relayerUrl: string | undefined;
}

/** The same answer twice: for the agent to read, and by the tool's output schema. */
export interface ToolAnswer<Output> {
  /** Each stands on lines of its own */
  lines: readonly string[];
  structured: Output;
  /** What to do now, sentence by sentence. Stands in both, since some hosts pass on the structured one alone */
  next?: readonly string[];
  /** The call was understood, and failed */
  isError?: true;
}

interface ToolDefinition<Input extends z.ZodObject, Output extends z.ZodObject> {
  name: string;
  title: string;
  /** When to call it and what to pass: all that an agent knows of it */
  description: string;
  input: Input;
  output: Output;
  annotations: Required<Omit<ToolAnnotations, 'title'>>;
  run: (args: z.output<Input>, call: ToolCall) => Promise<ToolAnswer<z.input<Output>>>;
}

/** A tool with its schemas as they are listed, made once for all sessions. */
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
  /** `args` as `input` has read them */
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
