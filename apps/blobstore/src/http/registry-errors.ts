import { ApiError, storeUnavailable } from '../base/api-error.ts';
import {
  type RefusalReason,
  RegistryRefusedError,
  RegistryUnavailableError,
} from '../registry/blob-registry.ts';

const refusals: Record<RefusalReason, { httpStatus: number; status: string; reason: string }> = {
  'not-found': { httpStatus: 404, status: 'NOT_FOUND', reason: 'OBJECT_NOT_FOUND' },
  'not-owned': { httpStatus: 409, status: 'FAILED_PRECONDITION', reason: 'OBJECT_NOT_OWNED' },
  permanent: { httpStatus: 409, status: 'FAILED_PRECONDITION', reason: 'BLOB_NOT_DELETABLE' },
  uncertified: { httpStatus: 409, status: 'FAILED_PRECONDITION', reason: 'BLOB_NOT_CERTIFIED' },
  'too-long': { httpStatus: 400, status: 'INVALID_ARGUMENT', reason: 'INVALID_EPOCHS' },
  'not-offered': { httpStatus: 501, status: 'UNIMPLEMENTED', reason: 'NOT_OFFERED' },
};

/** The response for an error of the registry; undefined for any other error. */
export function fromRegistry(error: unknown): ApiError | undefined {
  if (error instanceof RegistryUnavailableError) return storeUnavailable(error);
  if (error instanceof RegistryRefusedError) return new ApiError(error.message, refusals[error.reason]);
  return undefined;
}
