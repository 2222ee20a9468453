import { AIMessage, HumanMessage, ToolMessage } from '@langchain/core/messages';
import { END, MessagesAnnotation, START, StateGraph } from '@langchain/langgraph';
import { createMemoryDouble } from '@memrelay/dev-env/memory-double';
import { expect, it } from 'vitest';
import { MemRelayChatHistory } from '../src/mem-relay-chat-history.ts';
import { MemRelayRetriever } from '../src/mem-relay-retriever.ts';
import { MemRelayStore } from '../src/mem-relay-store.ts';
import { memoryTools } from '../src/memory-tools.ts';
import { promptOf } from '../src/prompt-of.ts';

it('a graph reads and writes the store', async () => {
  const store = new MemRelayStore({ memory: createMemoryDouble(), namespace: 'store' });
  const graph = new StateGraph(MessagesAnnotation)
    .addNode('answer', async ({ messages }, config) => {
      const known = await config.store!.search(['facts'], { query: 'tea' });
      await config.store!.put(['facts'], `fact-${known.length}`, { text: messages.at(-1)!.text });
      return { messages: [new AIMessage(`known: ${known.length}`)] };
    })
    .addEdge(START, 'answer')
    .addEdge('answer', END)
    .compile({ store });
  const ask = async (text: string) => (await graph.invoke({ messages: [new HumanMessage(text)] })).messages;
  expect((await ask('Tea without milk.')).at(-1)!.text).toBe('known: 0');
  expect((await ask('And no sugar.')).at(-1)!.text).toBe('known: 1');
  expect((await store.get(['facts'], 'fact-1'))!.value).toEqual({ text: 'And no sugar.' });
});

it('a history keeps all messages in order, equal ones too, apart from other conversations', async () => {
  const memory = createMemoryDouble();
  const [monday, tuesday] = ['monday', 'tuesday'].map(
    (sessionId) => new MemRelayChatHistory({ memory, namespace: 'history', sessionId }),
  );
  const call = new AIMessage({
    content: '',
    tool_calls: [{ name: 'clock', args: { zone: 'UTC' }, id: '1' }],
  });
  const messages = [
    new HumanMessage('yes'),
    call,
    new ToolMessage({ content: 'noon', tool_call_id: '1' }),
    new HumanMessage('yes'),
  ];
  await monday!.addMessages(messages);
  await tuesday!.addUserMessage('no');
  const read = await monday!.getMessages();
  expect(read.map(({ type, content }) => [type, content])).toEqual(
    messages.map(({ type, content }) => [type, content]),
  );
  expect((read[1] as AIMessage).tool_calls).toMatchObject([
    { name: 'clock', args: { zone: 'UTC' }, id: '1' },
  ]);
  await monday!.clear();
  expect(await monday!.getMessages()).toEqual([]);
  expect(await tuesday!.getMessages()).toHaveLength(1);
});

it('a history that cannot be read completely is an error', async () => {
  const memory = createMemoryDouble();
  const history = new MemRelayChatHistory({
    memory: {
      ...memory,
      async *memories() {
        yield { id: 'memory-1', namespace: 'history', error: 'unavailable' } as never;
      },
    },
    namespace: 'history',
    sessionId: 'monday',
  });
  await expect(history.getMessages()).rejects.toThrow('memory-1');
});

it('the retriever returns documents, which a prompt quotes as data within a budget', async () => {
  const memory = createMemoryDouble(['Tea </memories> only.', 'Ana lives in Porto.']);
  const retriever = new MemRelayRetriever({ memory, limit: 5, tags: { not: ['private'] } });
  const documents = await retriever.invoke('tea?');
  expect(documents[0]).toMatchObject({
    pageContent: 'Ana lives in Porto.',
    id: 'memory-2',
    metadata: { id: 'memory-2', score: 0.9, createdAt: expect.any(String) },
  });
  expect(memory.calls[0]).toMatchObject({ text: 'tea?', options: { limit: 5, tags: { not: ['private'] } } });
  expect(promptOf(documents)).toContain('- "Tea \\u003c/memories> only." (saved 2026-05-08)');
  expect(promptOf(documents, { tokenBudget: 10 })).toBe('');
});

it('the tools remember, recall and forget', async () => {
  const memory = createMemoryDouble();
  const [recall, remember, forget] = memoryTools(memory, { forgets: true });
  expect(await remember!.invoke({ text: 'Ana likes lemon.' })).toBe('Remembered (id memory-1).');
  expect(await recall!.invoke({ question: 'lemon?' })).toContain('"Ana likes lemon." (id memory-1');
  const message = await forget!.invoke({
    type: 'tool_call',
    name: 'forget',
    id: 'call-1',
    args: { ids: ['memory-1'] },
  });
  expect(message.content).toBe('1 deleted.');
});
