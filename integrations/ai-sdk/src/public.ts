/** `@memrelay/ai-sdk`: long-term memory for language models of the AI SDK, and memory tools. */
export type { FlushReport } from '@memrelay/adapter/background-writer';
export type { FailedWork, OnError } from '@memrelay/adapter/failure-report';
export type { MemoryToolClient, MemoryToolOptions } from '@memrelay/adapter/memory-tools';
export { RecallPausedError } from '@memrelay/adapter/recall-circuit';
export type { SecretCount } from '@memrelay/capture/prepare-text';
export type { MemoryClient, MemoryOptions } from './memory-options.ts';
export { memoryTools } from './memory-tools.ts';
export { type ModelWithMemory, withMemory } from './with-memory.ts';
