import type { DescribedOperation } from './described-operation.ts';
import { memoryOperations } from './memory-operations.ts';
import { openOperations } from './open-operations.ts';

/** By `METHOD /path`, in the order of the document. */
export const operations: Record<string, DescribedOperation> = { ...memoryOperations, ...openOperations };
