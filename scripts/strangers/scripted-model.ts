import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A model endpoint that answers every request in the same way and keeps what it was asked. */
export interface ScriptedModel extends AsyncDisposable {
  url: string;
  /** Bodies of the requests since the last call, as text */
  taken(): string[];
}

export const scriptedAnswer = 'Understood, I will.';

/** Speaks the forms of Anthropic (`/v1/messages`), OpenAI (`/responses`) and Gemini (`:streamGenerateContent`), streamed. */
export async function startScriptedModel(): Promise<ScriptedModel> {
  let bodies: string[] = [];
  const server = createServer(async (request, response) => {
    const body = await textOf(request);
    if (request.method !== 'POST') return void response.writeHead(404).end('{}');
    bodies.push(body);
    const path = new URL(request.url!, 'http://model').pathname;
    if (path.endsWith('/messages')) answerAnthropic(response);
    else if (path.endsWith('/responses')) answerOpenAi(response);
    else if (path.endsWith('GenerateContent')) answerGemini(response);
    else if (path.endsWith('generateContent')) answerGeminiAtOnce(response);
    else
      response
        .writeHead(404, json)
        .end('{"type":"error","error":{"type":"not_found_error","message":"none"}}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    taken() {
      const taken = bodies;
      bodies = [];
      return taken;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const json = { 'content-type': 'application/json' };
const events = { 'content-type': 'text/event-stream' };

async function textOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request.setEncoding('utf8')) text += chunk;
  return text;
}

function send(response: ServerResponse, list: readonly Record<string, unknown>[]): void {
  response.writeHead(200, events);
  for (const event of list) response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
  response.end();
}

function answerAnthropic(response: ServerResponse): void {
  const usage = { input_tokens: 10, output_tokens: 4 };
  const message = { id: 'msg_1', type: 'message', role: 'assistant', model: 'scripted', content: [] };
  send(response, [
    { type: 'message_start', message: { ...message, stop_reason: null, stop_sequence: null, usage } },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: scriptedAnswer } },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: 'end_turn', stop_sequence: null }, usage },
    { type: 'message_stop' },
  ]);
}

function answerOpenAi(response: ServerResponse): void {
  const item = {
    type: 'message',
    role: 'assistant',
    id: 'msg_1',
    content: [{ type: 'output_text', text: scriptedAnswer, annotations: [] }],
  };
  const usage = { input_tokens: 10, output_tokens: 4, total_tokens: 14 };
  send(response, [
    { type: 'response.created', response: { id: 'resp_1' } },
    { type: 'response.output_item.done', output_index: 0, item },
    { type: 'response.completed', response: { id: 'resp_1', output: [item], usage } },
  ]);
}

const geminiAnswer = {
  candidates: [
    { content: { role: 'model', parts: [{ text: scriptedAnswer }] }, finishReason: 'STOP', index: 0 },
  ],
  usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 4, totalTokenCount: 14 },
};

function answerGemini(response: ServerResponse): void {
  response.writeHead(200, events).end(`data: ${JSON.stringify(geminiAnswer)}\r\n\r\n`);
}

function answerGeminiAtOnce(response: ServerResponse): void {
  response.writeHead(200, json).end(JSON.stringify(geminiAnswer));
}
