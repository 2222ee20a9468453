import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { documented } from '@memrelay/protocol/fields';
import { createGenerator } from 'ts-json-schema-generator';
import { z } from 'zod';
import { type FieldComments, fieldComments } from './field-comments.ts';

/** JSON schemas of the wire contract: requests from its zod schemas, responses from its interfaces. */

export type Schema = Record<string, unknown>;

const folder = fileURLToPath(new URL('../../../../packages/protocol/src/', import.meta.url));
const files = readdirSync(folder).filter((name) => name.endsWith('.ts'));
const commentsOf = fieldComments(files.map((name) => readFileSync(folder + name, 'utf8')));

/** The schema of a request body, as `file/constant` in packages/protocol. */
export async function requestSchema(path: string): Promise<Schema> {
  const [file, name] = path.split('/') as [string, string];
  const module = (await import(`@memrelay/protocol/${file}`)) as Record<string, z.ZodType>;
  const { $schema: _, ...schema } = z.toJSONSchema(module[name]!, {
    io: 'input',
    unrepresentable: 'any',
    metadata: documented,
    override({ zodSchema, jsonSchema }) {
      if (zodSchema._zod.def.type === 'undefined') jsonSchema.not = {};
    },
  }) as Schema;
  return withComments(withoutRefused(schema), commentsOf(name));
}

/** The schemas of these exported types, and of all types that they use, by name. */
export function responseSchemas(names: readonly string[]): Record<string, Schema> {
  const generator = createGenerator({
    path: `${folder}*.ts`,
    tsconfig: fileURLToPath(new URL('../../../../tsconfig.shared.json', import.meta.url)),
    type: '*',
    expose: 'export',
    jsDoc: 'extended',
    topRef: true,
    skipTypeCheck: true,
    additionalProperties: true,
    sortProps: false,
  });
  const all: Record<string, Schema> = {};
  for (const name of names)
    Object.assign(all, generator.createSchema(name).definitions as Record<string, Schema>);
  return JSON.parse(JSON.stringify(all).replaceAll('"#/definitions/', '"#/components/schemas/')) as Record<
    string,
    Schema
  >;
}

/** Leaves out fields that a request must not have: they exist only for their error message. */
function withoutRefused(schema: Schema): Schema {
  const properties = Object.entries((schema.properties ?? {}) as Record<string, Schema>);
  return { ...schema, properties: Object.fromEntries(properties.filter(([, { not }]) => !not)) };
}

/** Adds the comments as descriptions, also within arrays and alternatives. */
function withComments(schema: Schema, comments: FieldComments | undefined): Schema {
  if (!comments) return schema;
  const result: Schema = { ...schema };
  if (comments.comment) result.description = comments.comment;
  const properties = schema.properties as Record<string, Schema> | undefined;
  const below: FieldComments = { fields: comments.fields };
  if (properties)
    result.properties = Object.fromEntries(
      Object.entries(properties).map(([name, property]) => [
        name,
        withComments(property, comments.fields.get(name)),
      ]),
    );
  if (schema.items) result.items = withComments(schema.items as Schema, below);
  return result;
}
