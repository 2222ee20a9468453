import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { errorCatalogue } from '@memrelay/protocol/errors';
import { Validator } from '@seriousme/openapi-schema-validator';
import { expect, test } from 'vitest';
import { tags } from '../openapi/described-operation.ts';
import { buildDocument } from '../openapi/document.ts';
import { undocumented } from '../openapi/open-operations.ts';
import { operations } from '../openapi/operations.ts';
import { registeredRoutes } from '../openapi/routes.ts';

const path = fileURLToPath(new URL('../../src/api/openapi/openapi.json', import.meta.url));

interface Operation {
  operationId: string;
  description?: string;
  tags: string[];
  security?: object[];
  requestBody?: { content: Record<string, { schema: Schema }> };
  responses: Record<string, Response>;
}
interface Response {
  $ref?: string;
  content?: Record<string, { schema: Schema }>;
}
interface Schema {
  properties?: Record<string, Schema & { enum?: string[] }>;
  allOf?: Schema[];
  description?: string;
  required?: string[];
}

const document = (await buildDocument()) as unknown as {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema>; responses: Record<string, Response> };
};

test('the served document is current (update it with: npx vitest run apps/relayer/test/api/openapi -u)', async () => {
  await expect(`${JSON.stringify(document, null, 1)}\n`).toMatchFileSnapshot(path);
});

test('the served document is valid OpenAPI 3.1', async () => {
  const validator = new Validator();
  expect(await validator.validate(JSON.parse(readFileSync(path, 'utf8')))).toEqual({ valid: true });
  expect(validator.version).toBe('3.1');
});

test('describes exactly the routes of the relayer', async () => {
  const registered = (await registeredRoutes()).map(({ method, path: url }) => `${method} ${url}`);
  const expected = [...Object.keys(operations), ...undocumented];
  expect(registered.toSorted()).toEqual(expected.toSorted());
});

test('each operation has a unique name and a known tag', () => {
  const all = Object.values(operations);
  expect(new Set(all.map(({ id }) => id)).size).toBe(all.length);
  for (const { tag } of all) expect(Object.keys(tags)).toContain(tag);
});

test('each error code of a route is possible with that status', () => {
  let codes = 0;
  for (const methods of Object.values(document.paths))
    for (const { responses } of Object.values(methods))
      for (const [status, response] of Object.entries(responses)) {
        const { content } = document.components.responses[response.$ref?.split('/').at(-1) ?? ''] ?? response;
        const [, own] = content?.['application/json']?.schema.allOf ?? [];
        for (const code of own?.properties?.error?.enum ?? []) {
          const { status: usual } = errorCatalogue[code as keyof typeof errorCatalogue];
          expect([code, usual]).toEqual([code, Number(status)]);
          codes += 1;
        }
      }
  expect(codes).toBeGreaterThan(500);
});

test('every code of the catalogue that a signed or sponsor route can return appears', () => {
  const text = JSON.stringify([document.paths, document.components.responses]);
  const ofOtherRoutes = [
    // Unknown paths and methods have no operation
    'method_not_allowed',
    // Only routes of the consent page, or bearer tokens
    'invalid_authorization',
    'invalid_consent',
    'consent_too_long',
    'consent_not_registered',
    'invalid_token',
  ];
  const absent = Object.keys(errorCatalogue).filter((code) => !text.includes(`"${code}"`));
  expect(absent.toSorted()).toEqual(ofOtherRoutes.toSorted());
});

test('signed routes name all four headers, their permission and their weight', () => {
  const { security, description } = document.paths['/api/remember']!.post!;
  expect(Object.keys(security![0]!)).toEqual(['publicKey', 'signature', 'timestamp', 'nonce']);
  expect(description).toContain(
    'Permission: WRITE. Weight in the rate limits: 5. Longest body: 2097152 bytes.',
  );
  expect(document.paths['/health']!.get!.security).toBeUndefined();
});

test('fields have the comments of the source, also shared and nested ones', () => {
  const body = (path: string): Schema =>
    document.paths[path]!.post!.requestBody!.content['application/json']!.schema;
  const { properties } = body('/api/recall');
  expect(properties!.explain!.description).toBe('Whether to say for each hit why it has its rank');
  expect(properties!.tags!.properties!.any!.description).toBe('At least one of these');
  expect(body('/api/ask').properties!.min_score!.description).toContain('lower score');
  expect(body('/api/analyze').properties!.session!.description).toBe('The conversation it belongs to');
  expect(document.components.schemas.MemoryHit!.properties!.distance!.description).toContain('1 − cosine');
});
