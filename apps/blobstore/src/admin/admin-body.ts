import type { FastifyRequest } from 'fastify';
import { invalidEpochs, malformedRequest } from '../base/api-error.ts';
import { isBlobId } from '../base/ids.ts';
import { type NewFault, readFaults, storeFaults } from '../faults/faults.ts';
import { readBody } from '../http/read-body.ts';
import { maxEpochsAhead } from '../registry/blob-registry.ts';

type Fields = Record<string, unknown>;

const maxBodyBytes = 256 * 1024;
/** Longest delay that a fault may add, in milliseconds. */
const maxDelayMs = 600_000;

/** The JSON object of a body; an empty object for an empty body. Throws 400 for anything else. */
export async function readFields({ raw }: FastifyRequest): Promise<Fields> {
  const bytes = await readBody(raw, maxBodyBytes);
  if (bytes.byteLength === 0) return {};
  let body: unknown;
  try {
    body = JSON.parse(bytes.toString('utf8'));
  } catch {
    throw malformedRequest('the body is not valid JSON');
  }
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw malformedRequest('the body must be a JSON object');
  }
  return body as Fields;
}

function refuseOthers(fields: Fields, known: readonly string[]): void {
  const other = Object.keys(fields).find((name) => !known.includes(name));
  if (other !== undefined) throw malformedRequest(`unknown field; known are ${known.join(', ')}`);
}

function isCount(value: unknown, maximum: number): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 1 && (value as number) <= maximum;
}

/** `{"epochs": 5}`. */
export function parseExtension(fields: Fields): number {
  refuseOthers(fields, ['epochs']);
  if (!isCount(fields.epochs, maxEpochsAhead)) throw invalidEpochs(maxEpochsAhead);
  return fields.epochs;
}

/** `{"by": 1}` or nothing. */
export function parseAdvance(fields: Fields): number {
  refuseOthers(fields, ['by']);
  const { by = 1 } = fields;
  if (!isCount(by, 1_000_000)) throw malformedRequest('by must be a whole number from 1 to 1000000');
  return by;
}

/** Values to set; null removes the attribute. */
export function parseAttributes(fields: Fields): Record<string, string | null> {
  for (const [name, value] of Object.entries(fields)) {
    if (name === '' || (typeof value !== 'string' && value !== null)) {
      throw malformedRequest('attributes must have names and be texts, or null to remove them');
    }
  }
  return fields as Record<string, string | null>;
}

const faultFields = ['operation', 'fault', 'blobId', 'count', 'durationMs', 'delayMs'];

function countIn(fields: Fields, name: string, maximum: number): number | undefined {
  const value = fields[name];
  if (value === undefined || isCount(value, maximum)) return value;
  throw malformedRequest(`${name} must be a whole number from 1 to ${maximum}`);
}

function oneOf<T extends string>(offered: readonly T[], value: unknown, name: string): T {
  const found = offered.find((known) => known === value);
  if (found === undefined) throw malformedRequest(`${name} must be one of ${offered.join(', ')}`);
  return found;
}

/** `{"operation": "read", "fault": "BLOB_UNAVAILABLE", …}`; only these two fields are required. */
export function parseFault(fields: Fields): NewFault {
  refuseOthers(fields, faultFields);
  const { blobId } = fields;
  if (blobId !== undefined && !(typeof blobId === 'string' && isBlobId(blobId))) {
    throw malformedRequest('blobId must be a blob ID');
  }
  const scope = {
    blobId,
    count: countIn(fields, 'count', Number.MAX_SAFE_INTEGER),
    durationMs: countIn(fields, 'durationMs', Number.MAX_SAFE_INTEGER),
    delayMs: countIn(fields, 'delayMs', maxDelayMs),
  };
  const operation = oneOf(['read', 'store'], fields.operation, 'operation');
  return operation === 'read'
    ? { operation, fault: oneOf(readFaults, fields.fault, 'fault of a read'), ...scope }
    : { operation, fault: oneOf(storeFaults, fields.fault, 'fault of a store'), ...scope };
}
