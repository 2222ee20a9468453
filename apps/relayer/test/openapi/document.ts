import { type ErrorCode, errorCatalogue } from '@memrelay/protocol/errors';
import { headers } from '@memrelay/protocol/headers';
import { apiVersion } from '@memrelay/protocol/versions';
import { type DescribedOperation, tags } from './described-operation.ts';
import { operations } from './operations.ts';
import { type RegisteredRoute, registeredRoutes } from './routes.ts';
import { requestSchema, responseSchemas, type Schema } from './schemas.ts';

const description = `Stores and recalls encrypted text memories whose keys belong to their owner.

Requests are signed with a delegate key: \`x-public-key\`, \`x-signature\`, \`x-timestamp\` and \`x-nonce\`. The signature
covers method, path, body, nonce and account; the SDK and docs/connect-an-app.md show how. Routes that return text also need
a decrypt credential in \`x-enc-session\`, unless the owner has made the server's key a delegate.

Every error has the same body, with a code in \`error\`. An unknown path is 404 \`not_found\`; a method that a path does
not support is 405 \`method_not_allowed\` with \`Allow\`.`;

const anyRoute: ErrorCode[] = [
  'invalid_request',
  'host_not_allowed',
  'expectation_failed',
  'headers_too_large',
  'internal_error',
  'overloaded',
];
const withBody: ErrorCode[] = ['payload_too_large', 'unsupported_media_type', 'request_timeout'];
const signed: ErrorCode[] = [
  'missing_auth_header',
  'invalid_auth_header',
  'timestamp_out_of_window',
  'invalid_signature',
  'nonce_replayed',
  'unknown_delegate_key',
  'ambiguous_account',
  'account_inactive',
  'delegate_expired',
  'rate_limited',
  'auth_unavailable',
  'database_unavailable',
];
const reading: ErrorCode[] = [
  'decrypt_credential_required',
  'decrypt_denied',
  'decrypt_unavailable',
  'sidecar_unavailable',
];

const signatureHeaders = {
  publicKey: headers.publicKey,
  signature: headers.signature,
  timestamp: headers.timestamp,
  nonce: headers.nonce,
};

/** The OpenAPI 3.1 document of the relayer, from its routes, the schemas of the wire contract and `operations`. */
export async function buildDocument(): Promise<Schema> {
  const routes = new Map((await registeredRoutes()).map((each) => [`${each.method} ${each.path}`, each]));
  const paths: Record<string, Record<string, Schema>> = {};
  for (const [name, operation] of Object.entries(operations)) {
    const route = routes.get(name);
    if (!route) throw new Error(`no such route: ${name}`);
    const path = route.path.replaceAll(/:(\w+)/g, '{$1}');
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: await operationObject(route, operation) };
  }
  const responses = shareResponses(paths);
  const types = Object.values(operations).flatMap(({ answers = {} }) => Object.values(answers));
  return {
    openapi: '3.1.0',
    info: {
      title: 'memrelay API',
      version: apiVersion,
      description,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    tags: Object.entries(tags).map(([name, text]) => ({ name, description: text })),
    paths,
    components: {
      schemas: responseSchemas([...new Set(types), 'ErrorBody']),
      responses,
      parameters: sharedParameters,
      headers: sharedHeaders,
      securitySchemes: {
        publicKey: apiKey(headers.publicKey, 'Ed25519 public key of the delegate, 64 hex digits'),
        signature: apiKey(headers.signature, 'Ed25519 signature of the request, 128 hex digits'),
        timestamp: apiKey(
          headers.timestamp,
          'Unix time in seconds, at most 5 minutes from the clock of the server',
        ),
        nonce: apiKey(headers.nonce, 'A UUID v4 that was not used before'),
        bearer: {
          type: 'http',
          scheme: 'bearer',
          description: 'A delegate key, or an access token of this server',
        },
      },
    },
  };
}

/** Replaces the error responses that are equal on several routes by references, and returns them: they repeat in most routes. */
function shareResponses(paths: Record<string, Record<string, Schema>>): Record<string, Schema> {
  const shared: Record<string, Schema> = {};
  const names = new Map<string, string>();
  for (const operation of Object.values(paths).flatMap((methods) => Object.values(methods))) {
    const responses = operation.responses as Record<string, Schema>;
    for (const [status, response] of Object.entries(responses)) {
      const text = JSON.stringify(response);
      if (!text.includes('/ErrorBody')) continue;
      let name = names.get(text);
      if (!name) {
        const count = Object.keys(shared).filter((each) => each.startsWith(`Error${status}`)).length;
        name = `Error${status}${count === 0 ? '' : `-${count + 1}`}`;
        names.set(text, name);
        shared[name] = response;
      }
      responses[status] = { $ref: `#/components/responses/${name}` };
    }
  }
  return shared;
}

async function operationObject(route: RegisteredRoute, operation: DescribedOperation): Promise<Schema> {
  const { declaration } = route;
  const parameters = [
    ...[...route.path.matchAll(/:(\w+)/g)].map(([, name]) => ({
      name,
      in: 'path',
      required: true,
      schema: { type: 'string' },
    })),
    ...(operation.query ? await queryParameters(operation.query) : []),
    ...(declaration.auth === 'signature' ? [parameter('accountId')] : []),
    ...(operation.reads ? [parameter('encSession')] : []),
    ...(operation.idempotent ? [parameter('idempotencyKey')] : []),
    parameter('requestId'),
  ];
  return {
    operationId: operation.id,
    tags: [operation.tag],
    summary: operation.summary,
    ...descriptionOf(route, operation),
    ...(declaration.auth === 'signature'
      ? { security: [Object.fromEntries(Object.keys(signatureHeaders).map((name) => [name, []]))] }
      : {}),
    ...(declaration.auth === 'bearer' ? { security: [{ bearer: [] }] } : {}),
    parameters,
    ...(await bodyOf(operation)),
    responses: {
      ...successes(route, operation),
      ...(operation.ownErrors
        ? { default: { description: 'An error in the form that the description states' } }
        : failures(route, operation)),
    },
  };
}

function descriptionOf(
  { declaration, bodyLimit }: RegisteredRoute,
  { description: text, body, otherBody }: DescribedOperation,
): { description?: string } {
  const facts = [
    declaration.auth === 'signature' && declaration.scope.length > 0
      ? `Permission: ${declaration.scope.map((scope) => scope.toUpperCase()).join(' and ')}.`
      : '',
    declaration.auth === 'signature'
      ? `Weight in the rate limits: ${declaration.cost}${declaration.costPerFact ? `, and ${declaration.costPerFact} for each fact` : ''}.`
      : '',
    body || otherBody ? `Longest body: ${bodyLimit} bytes.` : '',
  ].filter(Boolean);
  const paragraphs = [text, facts.join(' ')].filter(Boolean);
  return paragraphs.length > 0 ? { description: paragraphs.join('\n\n') } : {};
}

async function bodyOf({ body, otherBody }: DescribedOperation): Promise<Schema> {
  if (body) {
    const schema = await requestSchema(body);
    // Without required fields, no body is the same as an empty object
    const required = Array.isArray(schema.required);
    return { requestBody: { required, content: { 'application/json': { schema } } } };
  }
  return otherBody ? { requestBody: { required: true, content: freeContent(otherBody) } } : {};
}

function freeContent(types: Record<string, string>): Schema {
  return Object.fromEntries(
    Object.entries(types).map(([type, text]) => [
      type,
      { schema: { description: text, ...(type === 'application/json' ? {} : { type: 'string' }) } },
    ]),
  );
}

async function queryParameters(path: string): Promise<Schema[]> {
  const { properties = {}, required = [] } = (await requestSchema(path)) as {
    properties?: Record<string, Schema>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, { description: text, ...schema }]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    ...(text ? { description: text } : {}),
    schema,
  }));
}

const titles: Record<string, string> = {
  200: 'Success',
  201: 'Created',
  202: 'Accepted',
  204: 'No content',
  303: 'A redirect',
  400: 'The link is not valid',
  503: 'Not ready',
};

function successes(
  { declaration }: RegisteredRoute,
  { answers = {}, otherAnswers = {} }: DescribedOperation,
): Record<string, Schema> {
  const isLimited = declaration.auth === 'signature' && declaration.cost > 0;
  const statuses = [...new Set([...Object.keys(answers), ...Object.keys(otherAnswers)])];
  return Object.fromEntries(
    statuses.map((status) => {
      const type = answers[Number(status)];
      const content = {
        ...(type ? { 'application/json': { schema: { $ref: `#/components/schemas/${type}` } } } : {}),
        ...freeContent(otherAnswers[Number(status)] ?? {}),
      };
      return [
        status,
        {
          description: titles[status],
          headers: headerRefs('requestId', ...(isLimited ? ['rateLimit', 'rateLimitPolicy'] : [])),
          ...(Object.keys(content).length > 0 ? { content } : {}),
        },
      ];
    }),
  );
}

function failures(
  { declaration, method }: RegisteredRoute,
  operation: DescribedOperation,
): Record<string, Schema> {
  const codes = new Set<ErrorCode>([
    ...anyRoute,
    ...(method === 'POST' ? withBody : []),
    ...(declaration.auth === 'signature' ? signed : []),
    ...(declaration.auth === 'signature' && declaration.scope.length > 0
      ? (['insufficient_scope'] as const)
      : []),
    ...(declaration.auth === 'none' && method === 'POST' ? (['rate_limited'] as const) : []),
    ...(operation.reads ? reading : []),
    ...(operation.idempotent ? (['idempotency_key_reused'] as const) : []),
    ...(operation.errors ?? []),
  ]);
  const byStatus = Map.groupBy([...codes].sort(), (code) => errorCatalogue[code].status);
  return Object.fromEntries(
    [...byStatus]
      .sort(([a], [b]) => a - b)
      .filter(([status]) => !(status in (operation.answers ?? {})))
      .map(([status, ofStatus]) => [
        status,
        {
          description: ofStatus.map((code) => `\`${code}\`: ${errorCatalogue[code].message}`).join('\n\n'),
          headers: headerRefs('requestId', ...(status === 429 || status === 503 ? ['retryAfter'] : [])),
          content: {
            'application/json': {
              schema: {
                allOf: [
                  { $ref: '#/components/schemas/ErrorBody' },
                  { type: 'object', properties: { error: { enum: ofStatus } } },
                ],
              },
            },
          },
        },
      ]),
  );
}

function apiKey(name: string, text: string): Schema {
  return { type: 'apiKey', in: 'header', name, description: text };
}

const text = { type: 'string' };
const sharedParameters = {
  accountId: {
    name: headers.accountId,
    in: 'header',
    description: 'The account; needed if the key belongs to several',
    schema: text,
  },
  encSession: {
    name: headers.encSession,
    in: 'header',
    description:
      'The decrypt credential: an exported Seal session, base64 of JSON. Not needed if the server key is a delegate of the account',
    schema: text,
  },
  idempotencyKey: {
    name: headers.idempotencyKey,
    in: 'header',
    description: 'The same key and body get the same response for 24 hours',
    schema: { type: 'string', pattern: '^[!-~]{1,128}$' },
  },
  requestId: {
    name: headers.requestId,
    in: 'header',
    description: 'Appears in logs and errors; the server makes one if it is absent',
    schema: text,
  },
} as const;

const sharedHeaders = {
  requestId: { description: `\`${headers.requestId}\``, schema: text },
  retryAfter: { description: 'Seconds to wait before a retry', schema: { type: 'integer' } },
  rateLimit: {
    description: 'What is left of each limit, and the seconds until it is full again; absent if all are off',
    schema: text,
  },
  rateLimitPolicy: { description: 'Units and seconds of each limit; absent if all are off', schema: text },
};

const headerNames: Record<string, string> = {
  requestId: headers.requestId,
  retryAfter: 'retry-after',
  rateLimit: 'ratelimit',
  rateLimitPolicy: 'ratelimit-policy',
};

function headerRefs(...names: string[]): Schema {
  return Object.fromEntries(
    names.map((name) => [headerNames[name]!, { $ref: `#/components/headers/${name}` }]),
  );
}

function parameter(name: keyof typeof sharedParameters): Schema {
  return { $ref: `#/components/parameters/${name}` };
}
