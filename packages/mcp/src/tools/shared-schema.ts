import type { StandardSchemaWithJSON } from '@modelcontextprotocol/server';
import { z } from 'zod';

/**
 * A schema as the MCP SDK lists it, made once and shared by all sessions: turning zod into JSON Schema for every
 * `tools/list` costs 0.1 ms a tool. It lets every value through. Arguments are read in arguments.ts, where a session's
 * namespace is known and a refusal can say what to do; results are held to their schema by the compiler.
 */
export function sharedSchema(schema: z.ZodType, io: 'input' | 'output'): StandardSchemaWithJSON {
  // Each word costs the agent tokens: 2020-12 is assumed without `$schema`, and the bounds of safe integers say nothing.
  const { $schema: _, ...json } = z.toJSONSchema(schema, {
    io,
    override: ({ jsonSchema }) => {
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
      if (io === 'output') delete jsonSchema.additionalProperties;
    },
  });
  return {
    '~standard': {
      version: 1,
      vendor: 'memrelay',
      validate: (value) => ({ value }),
      jsonSchema: { input: () => json, output: () => json },
    },
  };
}
