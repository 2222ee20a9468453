import { setTimeout } from 'node:timers/promises';
import {
  completable,
  type ElicitRequestFormParams,
  fromJsonSchema,
  McpServer,
  ResourceTemplate,
} from '@modelcontextprotocol/server';
import { z } from 'zod';

/** The tools that the public conformance suite expects. Its scenarios define their names, texts and pauses. */

/** One pixel */
const png =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==';
const wav = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEARKwAAIhYAQACABAAZGF0YQAAAAA=';
const pauseMs = 50;
const description = 'A fixture';
const said = (text: string) => ({ content: [{ type: 'text' as const, text }] });
const user = <C>(content: C) => ({ role: 'user' as const, content });
const textOf = (text: string) => ({ type: 'text' as const, text });

export function createConformanceServer(): McpServer {
  const server = new McpServer(
    { name: 'conformance-fixture', version: '1.0.0' },
    { capabilities: { logging: {}, resources: { subscribe: true }, completions: {} } },
  );
  contentTools(server);
  conversationTools(server);
  elicitationTools(server);
  resources(server);
  prompts(server);
  return server;
}

function contentTools(server: McpServer): void {
  const image = { type: 'image' as const, data: png, mimeType: 'image/png' };
  const embedded = (uri: string, mimeType: string, text: string) => ({
    type: 'resource' as const,
    resource: { uri, mimeType, text },
  });
  server.registerTool('test_simple_text', { description }, () =>
    said('This is a simple text response for testing.'),
  );
  server.registerTool('test_image_content', { description }, () => ({ content: [image] }));
  server.registerTool('test_audio_content', { description }, () => ({
    content: [{ type: 'audio', data: wav, mimeType: 'audio/wav' }],
  }));
  server.registerTool('test_embedded_resource', { description }, () => ({
    content: [embedded('test://embedded-resource', 'text/plain', 'This is an embedded resource content.')],
  }));
  server.registerTool('test_multiple_content_types', { description }, () => ({
    content: [
      textOf('Multiple content types test:'),
      image,
      embedded('test://mixed-content-resource', 'application/json', '{"test":"data","value":123}'),
    ],
  }));
  server.registerTool('test_error_handling', { description }, () => {
    throw new Error('This tool intentionally returns an error for testing');
  });
  const inputSchema = fromJsonSchema({
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    $defs: {
      address: { type: 'object', properties: { street: { type: 'string' }, city: { type: 'string' } } },
    },
    properties: { name: { type: 'string' }, address: { $ref: '#/$defs/address' } },
    additionalProperties: false,
  });
  server.registerTool('json_schema_2020_12_tool', { description, inputSchema }, () => said('done'));
}

/**
 * These tools send requests to the client on the stream of their call (`mcpReq.send`). The SDK's `requestSampling`
 * and `elicitInput` use the session's stream instead, which a client may not have opened yet.
 */
function conversationTools(server: McpServer): void {
  server.registerTool('test_tool_with_logging', { description }, async ({ mcpReq }) => {
    await mcpReq.log('info', 'Tool execution started');
    await setTimeout(pauseMs);
    await mcpReq.log('info', 'Tool processing data');
    await setTimeout(pauseMs);
    await mcpReq.log('info', 'Tool execution completed');
    return said('done');
  });
  server.registerTool('test_tool_with_progress', { description }, async ({ mcpReq }) => {
    const progressToken = mcpReq._meta?.progressToken;
    for (const progress of [0, 50, 100]) {
      if (progressToken !== undefined)
        await mcpReq.notify({
          method: 'notifications/progress',
          params: { progressToken, progress, total: 100 },
        });
      await setTimeout(pauseMs);
    }
    return said('done');
  });
  server.registerTool('test_reconnection', { description }, async ({ http }) => {
    http?.closeSSE?.();
    await setTimeout(pauseMs);
    return said('reached after the stream was closed');
  });
  const inputSchema = z.object({ prompt: z.string() });
  server.registerTool('test_sampling', { description, inputSchema }, async ({ prompt }, { mcpReq }) => {
    const messages = [user(textOf(prompt))];
    const params = { messages, maxTokens: 100 };
    const answer = await mcpReq.send({ method: 'sampling/createMessage', params });
    return said(`LLM response: ${JSON.stringify(answer.content)}`);
  });
}

function elicitationTools(server: McpServer): void {
  const elicits = (name: string, requestedSchema: unknown): void => {
    server.registerTool(name, { description }, async ({ mcpReq }) => {
      const params = { message: 'Please answer', requestedSchema } as ElicitRequestFormParams;
      const { action, content } = await mcpReq.send({ method: 'elicitation/create', params });
      return said(`Elicitation completed: action=${action}, content=${JSON.stringify(content)}`);
    });
  };
  const inputSchema = z.object({ message: z.string() });
  server.registerTool('test_elicitation', { description, inputSchema }, async ({ message }, { mcpReq }) => {
    const requestedSchema = {
      type: 'object' as const,
      properties: {
        username: { type: 'string' as const, description: "User's response" },
        email: { type: 'string' as const, description: "User's email address" },
      },
      required: ['username', 'email'],
    };
    const params = { message, requestedSchema };
    const answer = await mcpReq.send({ method: 'elicitation/create', params });
    return said(`User response: ${JSON.stringify(answer)}`);
  });
  elicits('test_elicitation_sep1034_defaults', {
    type: 'object',
    properties: {
      name: { type: 'string', default: 'John Doe' },
      age: { type: 'integer', default: 30 },
      score: { type: 'number', default: 95.5 },
      status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
      verified: { type: 'boolean', default: true },
    },
  });
  const titled = [
    { const: 'value1', title: 'First Option' },
    { const: 'value2', title: 'Second Option' },
    { const: 'value3', title: 'Third Option' },
  ];
  const plain = { type: 'string', enum: ['option1', 'option2', 'option3'] };
  elicits('test_elicitation_sep1330_enums', {
    type: 'object',
    properties: {
      untitledSingle: plain,
      titledSingle: { type: 'string', oneOf: titled },
      legacyEnum: {
        type: 'string',
        enum: ['opt1', 'opt2', 'opt3'],
        enumNames: ['Option One', 'Option Two', 'Option Three'],
      },
      untitledMulti: { type: 'array', items: plain },
      titledMulti: { type: 'array', items: { anyOf: titled } },
    },
  });
}

function resources(server: McpServer): void {
  const described = (mimeType: string) => ({ description, mimeType });
  server.registerResource('static-text', 'test://static-text', described('text/plain'), () => ({
    contents: [
      {
        uri: 'test://static-text',
        mimeType: 'text/plain',
        text: 'This is the content of the static text resource.',
      },
    ],
  }));
  server.registerResource('static-binary', 'test://static-binary', described('image/png'), () => ({
    contents: [{ uri: 'test://static-binary', mimeType: 'image/png', blob: png }],
  }));
  const template = new ResourceTemplate('test://template/{id}/data', { list: undefined });
  server.registerResource('template', template, described('application/json'), (uri, { id }) => ({
    contents: [
      {
        uri: uri.href,
        mimeType: 'application/json',
        text: JSON.stringify({ id, templateTest: true, data: `Data for ID: ${String(id)}` }),
      },
    ],
  }));
  server.server.setRequestHandler('resources/subscribe', () => ({}));
  server.server.setRequestHandler('resources/unsubscribe', () => ({}));
}

function prompts(server: McpServer): void {
  server.registerPrompt('test_simple_prompt', { description }, () => ({
    messages: [user(textOf('This is a simple prompt for testing.'))],
  }));
  const word = () =>
    completable(z.string(), (value) => ['paris', 'park'].filter((city) => city.startsWith(value)));
  const twoWords = z.object({ arg1: word(), arg2: word() });
  server.registerPrompt(
    'test_prompt_with_arguments',
    { description, argsSchema: twoWords },
    ({ arg1, arg2 }) => ({
      messages: [user(textOf(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`))],
    }),
  );
  const argsSchema = z.object({ resourceUri: z.string() });
  server.registerPrompt(
    'test_prompt_with_embedded_resource',
    { description, argsSchema },
    ({ resourceUri: uri }) => ({
      messages: [
        user({
          type: 'resource' as const,
          resource: { uri, mimeType: 'text/plain', text: 'Embedded resource content for testing.' },
        }),
        user(textOf('Please process the embedded resource above.')),
      ],
    }),
  );
  server.registerPrompt('test_prompt_with_image', { description }, () => ({
    messages: [
      user({ type: 'image' as const, data: png, mimeType: 'image/png' }),
      user(textOf('Please analyze the image above.')),
    ],
  }));
}
