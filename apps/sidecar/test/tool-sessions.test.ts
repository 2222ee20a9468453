import { toolPaths } from '@memrelay/protocol/tool-server';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createGateTools } from './gate-tools.ts';
import { connectClient, openSession, post, readEvents } from './tool-clients.ts';
import { type ServedTools, startToolWorld, type ToolHeaders, type ToolWorld } from './tool-world.ts';

/** Sessions of both transports and sessionless requests, with the official client and with raw requests. */

let world: ToolWorld;
let served: ServedTools;
let headers: ToolHeaders;
let strangers: ToolHeaders;
const tools = createGateTools();
beforeAll(async () => {
  world = await startToolWorld();
  served = await world.serve({ makeServer: tools.makeServer, limits: { perAddress: 100 } });
  const owner = await world.createOwner();
  ({ headers } = await owner.addDelegate());
  ({ headers: strangers } = await owner.addDelegate());
});
afterAll(async () => {
  await served?.close();
  await world?.close();
});
beforeEach(() => void tools.waiting.splice(0));

const sessions = () => served.service.sessions;
const mcp = () => served.url + toolPaths.mcp;
const call = (id: number, name: string) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name, arguments: {} },
});
const waitingCall = async (index = 0) => {
  await expect.poll(() => tools.waiting.length).toBeGreaterThan(index);
  return tools.waiting[index]!;
};
const oneSession = () => {
  const [session, ...others] = sessions().all();
  expect(others).toEqual([]);
  return session!;
};

describe.each(['streamable', 'sse', 'sessionless'] as const)('over %s', (way) => {
  test('lists and calls tools, many concurrently, each with the key of its own session', async () => {
    const [one, other] = await Promise.all([
      connectClient(served.url, headers, way),
      connectClient(served.url, strangers, way),
    ]);
    expect((await one.client.listTools()).tools.map(({ name }) => name)).toContain('echo');
    const texts = Array.from({ length: 40 }, (_, i) => `text ${i}`);
    const answers = await Promise.all(texts.map((text, i) => (i % 2 ? one : other).call('echo', { text })));
    expect(answers).toEqual(texts);
    const keys = await Promise.all([one.call('who'), other.call('who'), one.call('who')]);
    expect(new Set(keys).size).toBe(2);
    expect(keys[0]).toBe(keys[2]);
    await Promise.all([one.close(), other.close()]);
  });

  test('a call that the client cancels is notified and leaves nothing open', async () => {
    const { call, close } = await connectClient(served.url, headers, way);
    const abort = new AbortController();
    const cancelled = expect(call('wait', {}, abort.signal)).rejects.toThrow();
    const { signal, signer } = await waitingCall();
    expect(signer()).toMatch(/^[0-9a-f]{64}$/);
    abort.abort();
    await cancelled;
    await expect.poll(() => signal.aborted).toBe(true);
    // The call can no longer sign
    await expect.poll(() => attempt(signer)).toBe('refused');
    expect(await call('echo', { text: 'goes on' })).toBe('goes on');
    await close();
  });

  test('uses x-mem-namespace for calls that name no namespace', async () => {
    // UTF-8 bytes as Latin-1 characters, because header strings are limited to Latin-1
    const namedHeaders = { ...headers, 'x-mem-namespace': Buffer.from('Küche 厨房').toString('latin1') };
    const { call, close } = await connectClient(served.url, namedHeaders, way);
    expect(await call('where')).toBe('Küche 厨房');
    await close();
  });
});

function attempt(signer: () => string): string {
  try {
    return signer();
  } catch {
    return 'refused';
  }
}

describe('a streamable session', () => {
  test('ends with DELETE, after which its id is unknown', async () => {
    const session = await openSession(served.url, headers);
    const ended = { ...session, 'content-type': 'application/json' };
    expect((await fetch(mcp(), { method: 'DELETE', headers: ended })).status).toBe(200);
    const answer = await post(mcp(), session, call(1, 'who'));
    expect(answer.status).toBe(404);
    expect(await answer.json()).toMatchObject({ error: { code: -32001 } });
  });

  test('resumes a broken stream and gets the missed messages', async () => {
    const session = await openSession(served.url, headers);
    const broken = await readEvents(await post(mcp(), session, call(1, 'wait')), (text) =>
      text.includes('id:'),
    );
    const lastEventId = /^id: (.+)$/m.exec(broken)![1]!;
    const { finish, signer } = await waitingCall();
    // The call continues without its stream and can sign
    expect(signer()).toMatch(/^[0-9a-f]{64}$/);
    const resume = (who: ToolHeaders) =>
      fetch(mcp(), {
        headers: { ...who, accept: 'text/event-stream', 'last-event-id': lastEventId },
      });
    // The event id of another session gives no access to its events
    expect((await resume(await openSession(served.url, strangers))).status).toBe(400);
    const kept = sessions()
      .all()
      .find(({ id }) => id === session['mcp-session-id'])!;
    expect(kept.idleMs).toBeUndefined();
    finish('said after the break');
    const text = await readEvents(await resume(session), (read) => read.includes('"id":1'));
    expect(text).toContain('said after the break');
    await expect.poll(() => kept.idleMs).toBeDefined();
  });

  test('keeps the key only for the calls in progress', async () => {
    for (const session of sessions().all()) session.close();
    const { call: callTool, client, close } = await connectClient(served.url, headers);
    await callTool('who');
    const session = oneSession();
    await expect.poll(() => attempt(() => session.client.get().publicKey)).toBe('refused');
    // An open stream does not need the key
    expect(session.idleMs).toBeUndefined();
    const answers = Promise.all([callTool('wait'), callTool('wait')]);
    const [one, other] = [await waitingCall(0), await waitingCall(1)];
    one.finish('one');
    await client.ping();
    expect(other.signer()).toMatch(/^[0-9a-f]{64}$/);
    other.finish('other');
    await answers;
    await expect.poll(() => attempt(() => session.client.get().publicKey)).toBe('refused');
    await close();
  });
});

describe('an SSE session', () => {
  test('ends with its stream', async () => {
    const before = sessions().size;
    const { close } = await connectClient(served.url, headers, 'sse');
    expect(sessions().size).toBe(before + 1);
    await close();
    await expect.poll(() => sessions().size).toBe(before);
  });

  test('accepts messages only with its own credential', async () => {
    const stream = await fetch(served.url + toolPaths.sse, { headers });
    const endpoint = await new Promise<string>((resolve) => {
      void readEvents(stream, (text) => {
        const path = /^data: (.+)\n/m.exec(text)?.[1];
        if (path) resolve(path);
        return text.includes('"id":7');
      });
    });
    const ping = { jsonrpc: '2.0', id: 7, method: 'ping' };
    expect((await post(served.url + endpoint, strangers, ping)).status).toBe(403);
    const { authorization: _, ...anonymous } = headers;
    // The error is also sent to the stream, where id 7 would end the reader above
    expect((await post(served.url + endpoint, anonymous, { ...ping, id: 8 })).status).toBe(401);
    // A session id of one transport is unknown to the other
    const id = new URL(endpoint, served.url).searchParams.get('sessionId')!;
    expect((await post(mcp(), { ...headers, 'mcp-session-id': id }, ping)).status).toBe(404);
    expect(
      (await post(`${served.url}${toolPaths.messages}?sessionId=${'0'.repeat(36)}`, headers, ping)).status,
    ).toBe(404);
    expect((await post(served.url + toolPaths.messages, headers, ping)).status).toBe(404);
    expect((await post(served.url + endpoint, headers, ping)).status).toBe(202);
  });
});

test('ends an SSE session whose client does not read before its responses fill the memory', async () => {
  const stream = await fetch(served.url + toolPaths.sse, { headers });
  const [session] = sessions()
    .all()
    .filter(({ transport }) => transport === 'sse');
  const endpoint = `${served.url}${toolPaths.messages}?sessionId=${session!.id}`;
  const statuses: number[] = [];
  for (let id = 1; id <= 60 && statuses.at(-1) !== 404; id++) {
    const echo = {
      ...call(id, 'echo'),
      params: { name: 'echo', arguments: { text: 'x'.repeat(1_000_000) } },
    };
    statuses.push((await post(endpoint, headers, echo)).status);
  }
  expect(statuses.at(-1)).toBe(404);
  expect(statuses.slice(0, -1).every((status) => status === 202)).toBe(true);
  await expect.poll(() => sessions().all()).not.toContain(session);
  await stream.body!.cancel();
});

test('rejects malformed messages to an SSE session without side effects', async () => {
  const { close } = await connectClient(served.url, headers, 'sse');
  const [session] = sessions()
    .all()
    .filter(({ transport }) => transport === 'sse');
  const endpoint = `${served.url}${toolPaths.messages}?sessionId=${session!.id}`;
  const timely = AbortSignal.timeout(5_000);
  for (const odd of ['', 'null', '7', '[]', '"x"', '{"jsonrpc"', '{"a":"secret"}']) {
    const answer = await post(endpoint, headers, odd, timely);
    expect(answer.status, odd).toBe(400);
    expect(await answer.text()).not.toContain('secret');
  }
  await close();
});

test('rejects a body that is too long or not JSON', async () => {
  const session = await openSession(served.url, headers);
  const malformed = await post(mcp(), session, '{"jsonrpc": "2.0", "secret text');
  expect(malformed.status).toBe(400);
  const { error } = (await malformed.json()) as { error: { code: number; message: string } };
  expect(error.code).toBe(-32700);
  expect(error.message).not.toContain('secret');
  for (const empty of ['', 'null', '7', '[]'])
    expect((await post(mcp(), session, empty)).status, empty).toBe(400);
  const long = await post(mcp(), session, JSON.stringify('x'.repeat(4 * 1024 * 1024)));
  expect(long.status).toBe(413);
  expect(await long.json()).toMatchObject({ jsonrpc: '2.0', id: null });
  const control = await post(mcp(), { ...headers, 'x-mem-namespace': 'x'.repeat(129) }, call(1, 'who'));
  expect(control.status).toBe(400);
});

test('offers the four tools of the specification, and more only if the operator enables them', async () => {
  const four = ['mem_remember', 'mem_recall', 'mem_analyze', 'mem_restore'];
  for (const extraTools of [false, true]) {
    const memory = await world.serve({ extraTools });
    const { client, close } = await connectClient(memory.url, headers);
    const names = (await client.listTools()).tools.map(({ name }) => name);
    expect(names.slice(0, 4)).toEqual(four);
    expect(names.slice(4)).toEqual(extraTools ? expect.arrayContaining(['mem_ask', 'mem_list']) : []);
    await close();
    await memory.close();
  }
});
