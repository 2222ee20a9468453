import type { DescribedOperation } from './described-operation.ts';
import { memoryOperations } from './memory-operations.ts';
import { openOperations } from './open-operations.ts';
import { webhookOperations } from './webhook-operations.ts';

/** By `METHOD /path`, in the order of the document. */
export const operations: Record<string, DescribedOperation> = {
  ...memoryOperations,
  ...webhookOperations,
  ...openOperations,
};
