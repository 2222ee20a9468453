import { ApiError } from '@memrelay/protocol/errors';
import { expect, test } from 'vitest';
import { refusePrivateFields, requireVector } from '../../src/memories/reading/private-fields.ts';

function issuesOf(work: () => unknown): unknown {
  try {
    work();
  } catch (error) {
    if (error instanceof ApiError) return [error.code, error.details?.issues];
    throw error;
  }
}

test('fields of private namespaces are refused, and their absence is not', () => {
  refusePrivateFields({ private: undefined, needs_index: undefined, include_envelopes: false });
  expect(issuesOf(() => refusePrivateFields({ private: {}, needs_index: true, explain: false }))).toEqual([
    'invalid_request',
    ['private', 'needs_index'].map((path) => ({
      path,
      message: 'is only for private namespaces, which this relayer does not have',
    })),
  ]);
});

test('a vector is required', () => {
  expect(requireVector([1, 2])).toEqual([1, 2]);
  expect(issuesOf(() => requireVector(undefined))).toEqual([
    'invalid_request',
    [{ path: 'vector', message: 'is required' }],
  ]);
});
