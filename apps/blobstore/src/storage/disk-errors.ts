import { StorageFullError, StorageUnavailableError } from './storage.ts';

/** The disk or quota is full, or a file has its maximum size. */
const fullCodes = new Set(['ENOSPC', 'EDQUOT', 'EFBIG']);
/** The disk is broken, read-only or unreachable, or the process has no file descriptors left. */
const brokenCodes = new Set([
  'EIO',
  'EROFS',
  'EMFILE',
  'ENFILE',
  'EACCES',
  'EPERM',
  'ENODEV',
  'ENXIO',
  'ESTALE',
]);

/** Runs `work`, and converts disk failures to errors that tell a client what to do. */
export async function namingDiskErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? '';
    if (fullCodes.has(code)) throw new StorageFullError('no space left for blobs', { cause: error });
    if (brokenCodes.has(code)) {
      throw new StorageUnavailableError('the disk rejects writes', { cause: error });
    }
    throw error;
  }
}
