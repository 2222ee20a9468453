import type { StandardSchemaWithJSON } from '@modelcontextprotocol/server';
import { z } from 'zod';

/**
 * A schema as the MCP SDK lists it, created once and shared by all sessions: converting zod to JSON Schema for every
 * `tools/list` costs 0.1 ms per tool. The schema accepts every value: arguments are validated in arguments.ts, where the
 * session's namespace is known and an error can say what to do, and results are checked against their schema by the compiler.
 */
export function sharedSchema(schema: z.ZodType, io: 'input' | 'output'): StandardSchemaWithJSON {
  // Each word costs the agent tokens: 2020-12 is the default without `$schema`, and the bounds of safe integers carry no information.
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
