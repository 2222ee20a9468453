import { askRequest } from '@memrelay/protocol/llm';
import { recallManualRequest, recallRequest } from '@memrelay/protocol/memories';
import { memoriesRequest } from '@memrelay/protocol/memory-lists';
import { restoreRequest } from '@memrelay/protocol/restore';
import { expect, test } from 'vitest';

test.each([
  ['recall', (limit?: number) => recallRequest.parse({ query: 'x', limit }), 10, 100],
  ['manual recall', (limit?: number) => recallManualRequest.parse({ vector: [1], limit }), 10, 100],
  ['ask', (limit?: number) => askRequest.parse({ question: 'x', limit }), 5, 100],
  ['restore', (limit?: number) => restoreRequest.parse({ limit }), 10, 500],
  ['the list', (limit?: number) => memoriesRequest.parse({ limit }), 50, 100],
] as const)('the limit of %s has its own default and maximum', (_, parse, byDefault, max) => {
  const limits = [undefined, 0, 1, max, max + 1].map((limit) => parse(limit).limit);
  expect(limits).toEqual([byDefault, byDefault, 1, max, max]);
});
