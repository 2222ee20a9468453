import { Ajv2020 } from 'ajv/dist/2020.js';
import type { Answer, Sent } from '../conformance/exchange.ts';
import { openApiDocument } from '../src/openapi/document.ts';
import type { Media, Method, Operation } from '../src/openapi/operation.ts';

const documentId = 'https://blobstore.test/openapi.json';

/** Headers that HTTP itself adds, independent of the document. */
const transport = new Set([
  'connection',
  'content-length',
  'content-type',
  'date',
  'keep-alive',
  'transfer-encoding',
]);

const ajv = new Ajv2020({ strict: false });
ajv.addSchema(openApiDocument, documentId);

function pointer(...parts: string[]): string {
  const escaped = parts.map((part) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1')));
  return `${documentId}#/${escaped.join('/')}`;
}

/** The mismatches between a value and the schema at a location of the document. */
export function problemWith(value: unknown, ...place: string[]): string | undefined {
  const validate = ajv.getSchema(pointer(...place));
  if (validate === undefined) throw new Error(`no schema at ${place.join(' ')}`);
  return validate(value) ? undefined : ajv.errorsText(validate.errors);
}

export const operations = Object.entries(openApiDocument.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method: method as Method, operation })),
);

function templateOf(pathname: string): string | undefined {
  const matching = Object.keys(openApiDocument.paths).filter((path) =>
    new RegExp(`^${path.replaceAll('.', '\\.').replace(/\{\w+\}/g, '[^/]+')}$`).test(pathname),
  );
  const parameters = (path: string): number => path.split('{').length;
  return matching.toSorted((a, b) => parameters(a) - parameters(b))[0];
}

function hasReason({ body }: Answer, status: number, reason: string, answer: Answer): boolean {
  return answer.status === status && (body.length === 0 || body.includes(`"${reason}"`));
}

function problemOfHeaders(operation: Operation, answer: Answer): string | undefined {
  const declared = operation.responses[answer.status]?.headers ?? {};
  const names = Object.keys(declared).map((name) => name.toLowerCase());
  const other = Object.keys(answer.headers).find((name) => !transport.has(name) && !names.includes(name));
  if (other !== undefined) return `header ${other} is not described`;
  const { headers } = openApiDocument.components;
  const missing = Object.keys(declared).find(
    (name) => headers[name]?.required === true && answer.headers[name.toLowerCase()] === undefined,
  );
  return missing === undefined ? undefined : `header ${missing} is missing`;
}

function problemOfBody(operation: Operation, answer: Answer, place: string[]): string | undefined {
  const content: Record<string, Media> = operation.responses[answer.status]?.content ?? {};
  const [type = ''] = (answer.headers['content-type'] ?? '').split(';');
  if (content['*/*'] !== undefined) return undefined;
  if (content[type] === undefined) return `content type ${type} is not described`;
  if (type !== 'application/json') return undefined;
  const value: unknown = JSON.parse(answer.body.toString());
  return problemWith(value, ...place, 'responses', String(answer.status), 'content', type, 'schema');
}

/** Collects the observed responses and their differences from the document. */
export function createDocumentCheck() {
  const seen = new Set<string>();
  const problems = new Set<string>();

  function judge(sent: Sent, answer: Answer): string | undefined {
    const { pathname } = new URL(sent.url);
    const template = templateOf(pathname);
    if (sent.method === 'OPTIONS') return answer.status === 200 ? undefined : 'a preflight is not 200';
    if (template === undefined) {
      return hasReason(answer, 404, 'ROUTE_NOT_FOUND', answer) ? undefined : 'the path is not described';
    }
    const method = sent.method.toLowerCase() as Method;
    const operation = openApiDocument.paths[template]?.[method];
    if (operation === undefined) {
      return hasReason(answer, 405, 'METHOD_NOT_ALLOWED', answer) ? undefined : 'the method is not described';
    }
    if (operation.responses[answer.status] === undefined) return 'the status is not described';
    seen.add(`${method} ${template} ${answer.status}`);
    const headers = problemOfHeaders(operation, answer);
    if (headers !== undefined || method === 'head') return headers;
    return problemOfBody(operation, answer, ['paths', template, method]);
  }

  return {
    seen,
    problems,
    observe(sent: Sent, answer: Answer): void {
      const problem = judge(sent, answer);
      if (problem !== undefined)
        problems.add(`${sent.method} ${new URL(sent.url).pathname} ${answer.status}: ${problem}`);
    },
  };
}
