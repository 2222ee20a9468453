/** `@memrelay/openai-agents`: sessions and tools for the OpenAI Agents SDK. */
export type { MemoryToolOptions } from '@memrelay/adapter/memory-tools';
export type { SessionLogOptions } from '@memrelay/adapter/session-log';
export { MemRelaySession } from './mem-relay-session.ts';
export { memoryTools } from './memory-tools.ts';
