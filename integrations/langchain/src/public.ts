/** `@memrelay/langchain`: a LangGraph store, a chat message history, a retriever and tools. */
export type { MemoryToolClient, MemoryToolOptions } from '@memrelay/adapter/memory-tools';
export { RecallPausedError } from '@memrelay/adapter/recall-circuit';
export type { SessionLogOptions } from '@memrelay/adapter/session-log';
export { MemRelayChatHistory } from './mem-relay-chat-history.ts';
export { MemRelayRetriever, type MemRelayRetrieverOptions } from './mem-relay-retriever.ts';
export { MemRelayStore, type MemRelayStoreClient, type MemRelayStoreOptions } from './mem-relay-store.ts';
export { memoryTools } from './memory-tools.ts';
export { type PromptOptions, promptOf } from './prompt-of.ts';
