import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Ajv2020 } from 'ajv/dist/2020.js';

interface Response {
  $ref?: string;
  content?: Record<string, object>;
}

interface Document {
  paths: Record<string, Record<string, { responses: Record<string, Response> }>>;
  components: { responses: Record<string, Response> };
}

const documentPath = fileURLToPath(
  new URL('../../../apps/relayer/src/api/openapi/openapi.json', import.meta.url),
);
const documentId = 'https://relayer.test/openapi.json';

/** Compares responses of a relayer with its OpenAPI document. */
export interface DescribedApi {
  /** Whether the document describes the path, by whatever method */
  describes(pathname: string): boolean;
  /** How a response differs from the document, if it does */
  problemOf(request: { method: string; pathname: string }, response: ApiResponse): string | undefined;
}

export interface ApiResponse {
  status: number;
  /** Without parameters */
  contentType: string;
  body: string;
}

export function readDescribedApi(): DescribedApi {
  const document = JSON.parse(readFileSync(documentPath, 'utf8')) as Document;
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  ajv.addSchema(document, documentId);
  const templates = Object.keys(document.paths).map((path) => ({
    path,
    pattern: new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`),
  }));

  const templatesOf = (pathname: string): string[] =>
    templates
      .filter(({ pattern }) => pattern.test(pathname))
      .map(({ path }) => path)
      .toSorted((a, b) => a.split('{').length - b.split('{').length);

  return {
    describes: (pathname) => templatesOf(pathname).length > 0,
    problemOf({ method, pathname }, { status, contentType, body }) {
      // A literal path goes before one with parameters, if it has the method
      const path = templatesOf(pathname).find((each) => document.paths[each]![method.toLowerCase()]);
      const operation = path && document.paths[path]![method.toLowerCase()];
      if (!operation) return [204, 404, 405].includes(status) ? undefined : `${method} is not described`;
      const described = operation.responses[status] ?? operation.responses.default;
      if (!described) return `status ${status} is not described: ${body.slice(0, 300)}`;
      const place =
        described.$ref?.slice(1) ?? pointer('paths', path, method.toLowerCase(), 'responses', status);
      const { content = {} } = described.$ref
        ? document.components.responses[described.$ref.split('/').at(-1)!]!
        : described;
      if (Object.keys(content).length === 0) return undefined;
      if (!content[contentType]) return `content type ${contentType} is not described`;
      if (contentType !== 'application/json') return undefined;
      const validate = ajv.getSchema(`${documentId}#${place}${pointer('content', contentType, 'schema')}`)!;
      return validate(JSON.parse(body))
        ? undefined
        : `${ajv.errorsText(validate.errors)}: ${body.slice(0, 300)}`;
    },
  };
}

function pointer(...parts: (string | number)[]): string {
  return parts
    .map((part) => `/${encodeURIComponent(String(part).replaceAll('~', '~0').replaceAll('/', '~1'))}`)
    .join('');
}
