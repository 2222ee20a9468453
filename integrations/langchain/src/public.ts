/** `@memrelay/langchain`: a LangGraph store, a chat message history, a retriever and tools. */
export type { MemoryToolClient, MemoryToolOptions } from '@memrelay/adapter/memory-tools';
export type { SessionLogOptions } from '@memrelay/adapter/session-log';
export { MemoryChatHistory } from './chat-history.ts';
export { MemoryRetriever, type MemoryRetrieverOptions } from './memory-retriever.ts';
export { MemoryStore, type MemoryStoreClient, type MemoryStoreOptions } from './memory-store.ts';
export { memoryTools } from './memory-tools.ts';
export { type PromptOptions, promptOf } from './prompt-of.ts';
