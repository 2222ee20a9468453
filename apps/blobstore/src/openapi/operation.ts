/** The parts of OpenAPI 3.1 that the document uses. */

export type Schema = Readonly<Record<string, unknown>>;

export interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
  required?: boolean;
  description: string;
  schema: Schema;
}

export interface Media {
  schema: Schema;
  examples?: Record<string, { summary?: string; value: unknown }>;
}

export interface Answer {
  description: string;
  headers?: Record<string, Schema>;
  content?: Record<string, Media>;
}

export type Answers = Record<string, Answer>;

export interface Operation {
  operationId: string;
  tags: string[];
  summary: string;
  description?: string;
  parameters?: Parameter[];
  requestBody?: { required: boolean; description?: string; content: Record<string, Media> };
  responses: Answers;
  security?: Record<string, string[]>[];
  /** Hides the operation on the page but not in the document */
  'x-internal'?: boolean;
}

export type Method = 'get' | 'head' | 'put' | 'post' | 'patch' | 'delete';

export type Paths = Record<string, Partial<Record<Method, Operation>>>;

export function schemaRef(name: string): Schema {
  return { $ref: `#/components/schemas/${name}` };
}

export function headerRefs(...names: string[]): Record<string, Schema> {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

/** Headers of every response, including errors. */
export const sharedHeaders = headerRefs(
  'X-Request-Id',
  'Access-Control-Allow-Origin',
  'Access-Control-Expose-Headers',
);

/** A JSON response with status 200. */
export function jsonAnswer(
  description: string,
  schema: Schema,
  headers: Record<string, Schema> = {},
): Answers {
  return {
    200: {
      description,
      headers: { ...sharedHeaders, ...headers },
      content: { 'application/json': { schema } },
    },
  };
}

/** The `HEAD` of a read: the same headers and statuses, no body. */
export function withHead(get: Operation): { get: Operation; head: Operation } {
  const responses = Object.fromEntries(
    Object.entries(get.responses).map(([code, { content: _, ...answer }]) => [code, answer]),
  );
  return { get, head: { ...get, operationId: `${get.operationId}Head`, responses, 'x-internal': true } };
}

const texts: Schema = { type: 'string' };

export function pathParameter(name: string, description: string, schema: Schema = texts): Parameter {
  return { name, in: 'path', required: true, description, schema };
}

export function queryParameter(
  name: string,
  description: string,
  schema: Schema,
  required = false,
): Parameter {
  return { name, in: 'query', required, description, schema };
}
