import { type ApiError, errorBody } from '../base/api-error.ts';
import { type Answer, type Answers, headerRefs, type Schema, schemaRef, sharedHeaders } from './operation.ts';

/** Placeholder for the trace id of a 500. */
const exampleRequestId = '5f0c9a52-8a3e-4bb0-9d0b-0c3f3f1d2a44';

/** The spelling of error headers in the document. */
const headerNames: Record<string, string> = {
  'retry-after': 'Retry-After',
  'content-range': 'Content-Range',
  'www-authenticate': 'WWW-Authenticate',
  age: 'Age',
  'x-cache': 'X-Cache',
};

function schemaOf(errors: ApiError[]): Schema {
  const [{ httpStatus }] = errors.map(({ fields }) => fields) as [ApiError['fields']];
  const info = {
    properties: { reason: { enum: [...new Set(errors.map(({ fields }) => fields.reason))] } },
    required: ['reason'],
  };
  const error = {
    properties: {
      code: { const: httpStatus },
      status: { enum: [...new Set(errors.map(({ fields }) => fields.status))] },
      details: { contains: info },
    },
  };
  return { allOf: [schemaRef('Error'), { properties: { error } }] };
}

function answerOf(errors: ApiError[]): Answer {
  const lines = errors.map(({ message, fields }) => `- \`${fields.reason}\`: ${message}`);
  const examples = errors.map((error) => [
    error.fields.reason,
    { summary: error.fields.reason, value: JSON.parse(errorBody(error, exampleRequestId)) as unknown },
  ]);
  const headers = errors.flatMap(({ fields }) => Object.keys(fields.headers ?? {}));
  return {
    description: [...new Set(lines)].join('\n'),
    headers: { ...sharedHeaders, ...headerRefs(...headers.map((name) => headerNames[name] ?? name)) },
    content: {
      'application/json': {
        schema: schemaOf(errors),
        examples: Object.fromEntries(examples) as NonNullable<Answer['content']>[string]['examples'] & object,
      },
    },
  };
}

/**
 * The responses for these errors, by status. Generated from the errors themselves, so that the document matches the
 * code.
 */
export function refusals(...errors: ApiError[]): Answers {
  const byStatus = Map.groupBy(errors, ({ fields }) => String(fields.httpStatus));
  return Object.fromEntries([...byStatus].map(([code, group]) => [code, answerOf(group)]));
}
