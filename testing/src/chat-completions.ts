import type { IncomingMessage, ServerResponse } from 'node:http';

/** A request to `chat/completions` as it arrived. */
export interface ChatCall {
  model: string;
  messages: { role: string; content: string }[];
  response_format: { type: string; json_schema: { name: string; strict: boolean; schema: object } };
  max_tokens?: number;
  stream?: boolean;
}

/** The response to a call: a model's text (as JSON unless it is a string) or a fault. */
export type ChatReply =
  | string
  | { content: object | string; finishReason?: string; refusal?: string }
  | { status: number; retryAfter?: number }
  /** The body of the response, sent unchanged */
  | { raw: string }
  /** The call gets no response */
  | 'hang'
  /** The connection breaks; for a streamed response, after its first half */
  | { dropAfter: string };

/** The chat API of the stand-in provider, with scripted responses. Records the requests. */
export interface ChatCompletions {
  calls: ChatCall[];
  /** Chooses the response to each call; `number` counts from 1 */
  answer: (call: ChatCall, number: number) => ChatReply;
  /** Resolves when another call hangs (not the previous one) */
  hanging(): Promise<void>;
  /** Resolves when the caller has given up on a hanging call */
  givenUp(): Promise<void>;
}

/** 7 characters per event, so that events end within words and escapes */
const streamedCharacters = 7;
const usage = { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 };

export function createChatCompletions(): ChatCompletions & {
  handle(body: ChatCall, request: IncomingMessage, response: ServerResponse): void;
} {
  let hanging = Promise.withResolvers<void>();
  let givenUp = Promise.withResolvers<void>();
  const chat = {
    calls: [] as ChatCall[],
    answer: (): ChatReply => ({ content: { facts: [] } }),
    async hanging() {
      await hanging.promise;
      hanging = Promise.withResolvers();
    },
    async givenUp() {
      await givenUp.promise;
      givenUp = Promise.withResolvers();
    },
    handle(body: ChatCall, request: IncomingMessage, response: ServerResponse): void {
      chat.calls.push(body);
      const decide: ChatCompletions['answer'] = chat.answer;
      const reply = decide(body, chat.calls.length);
      if (reply === 'hang') {
        request.socket.once('close', () => givenUp.resolve());
        hanging.resolve();
      } else if (typeof reply === 'object' && 'status' in reply) {
        const retry = reply.retryAfter === undefined ? {} : { 'retry-after': String(reply.retryAfter) };
        response.writeHead(reply.status, retry).end('{"error":{}}');
      } else if (typeof reply === 'object' && 'raw' in reply) {
        response.writeHead(200, { 'content-type': 'application/json' }).end(reply.raw);
      } else if (typeof reply === 'object' && 'dropAfter' in reply) {
        response.writeHead(200);
        response.write(events(reply.dropAfter).join(''), () => response.destroy());
      } else {
        write(typeof reply === 'string' ? { content: reply } : reply, body.stream === true, response);
      }
    },
  };
  return chat;
}

function write(
  { content, finishReason = 'stop', refusal }: Exclude<Extract<ChatReply, { content: unknown }>, string>,
  stream: boolean,
  response: ServerResponse,
): void {
  const text = typeof content === 'string' ? content : JSON.stringify(content);
  if (stream) {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const parts = refusal
      ? [`data: ${JSON.stringify({ choices: [{ delta: { refusal } }] })}\n\n`]
      : events(text);
    response.end(`${parts.join('')}data: ${JSON.stringify({ choices: [], usage })}\n\ndata: [DONE]\n\n`);
    return;
  }
  const message = refusal ? { content: null, refusal } : { content: text };
  response
    .writeHead(200, { 'content-type': 'application/json' })
    .end(JSON.stringify({ choices: [{ index: 0, message, finish_reason: finishReason }], usage }));
}

function events(text: string): string[] {
  return (text.match(new RegExp(`[^]{1,${streamedCharacters}}`, 'g')) ?? []).map(
    (content) => `data: ${JSON.stringify({ choices: [{ delta: { content } }] })}\n\n`,
  );
}
