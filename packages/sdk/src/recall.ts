import type { RecallManualResponse, RecallResponse } from '@memrelay/protocol/memories';
import { recallBody } from './recall-body.ts';
import { recallManualBody } from './vector-bodies.ts';
import { camelKeys } from './wire/camel-keys.ts';
import { type Connection, callRelayer } from './wire/request.ts';
import type { RecallManualInput, RecallManualResult, RecallOptions, RecallResult } from './wire/types.ts';

/** One recall; `sessionPackageId` is the package that the session is for. */
export async function recall(
  connection: Connection,
  sessionPackageId: string,
  query: string,
  options: RecallOptions,
): Promise<RecallResult> {
  const body = recallBody(query, options);
  const call = {
    method: 'POST',
    path: '/api/recall',
    body,
    sessionPackageId,
    signal: options.signal,
  } as const;
  return camelKeys((await callRelayer<RecallResponse>(connection, call)).value);
}

/** A recall with the caller's own vector. */
export async function recallByVector(
  connection: Connection,
  namespace: string | undefined,
  input: RecallManualInput,
): Promise<RecallManualResult> {
  const body = recallManualBody(input, namespace);
  const call = { method: 'POST', path: '/api/recall/manual', body, signal: input.signal } as const;
  return camelKeys((await callRelayer<RecallManualResponse>(connection, call)).value) as RecallManualResult;
}
