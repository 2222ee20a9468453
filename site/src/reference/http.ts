import { read } from '../base/repository.ts';

const document = 'apps/relayer/src/api/openapi/openapi.json';
/** Where the interactive page is, and the document that it shows. */
export const explorer = { page: 'reference/http-explorer.html', document: 'reference/openapi.json' };

interface Schema {
  $ref?: string;
  type?: string | string[];
  description?: string;
  default?: unknown;
  enum?: readonly unknown[];
  const?: unknown;
  items?: Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
  properties?: Record<string, Schema>;
  required?: string[];
}

interface Content {
  description?: string;
  content?: Record<string, { schema?: Schema }>;
}

interface Operation {
  tags: string[];
  summary: string;
  description?: string;
  requestBody?: Content;
  responses: Record<string, Content & { $ref?: string }>;
}

interface OpenApi {
  info: { version: string; description: string };
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema> };
}

export const openApiText = (): string => read(document);

/** The routes of a relayer as Markdown: what each does, takes and returns. */
export function httpReference(): string {
  const api = JSON.parse(openApiText()) as OpenApi;
  const operations = Object.entries(api.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  );
  const sections = api.tags.map(({ name, description }) => {
    const listed = operations.filter(({ operation }) => operation.tags[0] === name);
    const parts = listed.map(({ path, method, operation }) => operationText(api, method, path, operation));
    return `## ${name}\n\n${description}.\n\n${parts.join('\n')}`;
  });
  return [
    '# HTTP API\n',
    `Version ${api.info.version}. ${api.info.description.replace('docs/connect-an-app.md', '[connect an app](../connect-an-app.md)')}\n`,
    // Not a page of the generator, so its router must not follow the link
    'The <a href="./http-explorer.html" target="_self">interactive page</a> has every field with its limits, and the schemas of all errors. A relayer serves the same page at `/reference`, and the document at `/openapi.json`.\n',
    ...sections,
  ].join('\n');
}

function operationText(api: OpenApi, method: string, path: string, operation: Operation): string {
  const body = Object.values(operation.requestBody?.content ?? {})[0]?.schema;
  const ok = Object.entries(operation.responses).find(([status]) => status.startsWith('2'));
  const answer = Object.values(ok?.[1].content ?? {})[0]?.schema;
  return [
    `### \`${method} ${path}\`\n`,
    `${operation.summary}.${operation.description ? ` ${operation.description}` : ''}\n`,
    fieldTable(api, 'Body', body),
    fieldTable(api, `Response ${ok?.[0] ?? ''}`, answer),
  ].join('\n');
}

function fieldTable(api: OpenApi, title: string, schema: Schema | undefined): string {
  const { properties = {}, required = [] } = schema ? resolve(api, schema) : {};
  const rows = Object.entries(properties).map(([name, field]) => {
    const resolved = resolve(api, field);
    const { default: preset } = field;
    const notes = [
      field.description ?? resolved.description,
      preset === undefined ? undefined : `Default: \`${JSON.stringify(preset)}\``,
    ].filter((note) => note !== undefined);
    const type = cell(`\`${typeOf(api, field)}${required.includes(name) ? '' : '?'}\``);
    return `| \`${name}\` | ${type} | ${cell(notes.join('. '))} |`;
  });
  return rows.length === 0 ? '' : `| ${title} | Type | |\n| --- | --- | --- |\n${rows.join('\n')}\n`;
}

function resolve(api: OpenApi, schema: Schema): Schema {
  const name = schema.$ref?.split('/').at(-1);
  return name === undefined ? schema : (api.components.schemas[name] ?? {});
}

function typeOf(api: OpenApi, schema: Schema): string {
  const { type, items, anyOf, oneOf, enum: values, const: only } = resolve(api, schema);
  if (only !== undefined) return JSON.stringify(only);
  if (values) return values.length > 6 ? 'string' : values.map((value) => JSON.stringify(value)).join(' | ');
  const choices = anyOf ?? oneOf;
  if (choices) return [...new Set(choices.map((choice) => typeOf(api, choice)))].join(' | ');
  if (type === 'array') return items ? `${typeOf(api, items)}[]` : 'array';
  return Array.isArray(type) ? type.join(' | ') : (type ?? 'any');
}

const cell = (text: string): string => text.replaceAll(/\s+/g, ' ').replaceAll('|', '\\|');
