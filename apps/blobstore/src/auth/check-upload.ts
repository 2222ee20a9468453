import type { StoreQuery } from '../publisher/store-blob.ts';
import { failedPrecondition } from './auth-error.ts';
import type { UploadClaims } from './upload-claims.ts';

export interface UploadRules {
  /** If above 0, every token must have exactly this lifetime in seconds */
  expiringSec: number;
  /** Whether query and announced length must match the token */
  verifyUpload: boolean;
}

/** Throws 400 `INVALID_SIZE` when the token is for another number of bytes. */
export function checkSize({ size, maxSize }: UploadClaims, bytes: number): void {
  if (size !== undefined && bytes !== size) {
    throw failedPrecondition('INVALID_SIZE', `the token is for ${size} bytes, not ${bytes}`);
  }
  if (maxSize !== undefined && bytes > maxSize) {
    throw failedPrecondition('INVALID_SIZE', `the token is for at most ${maxSize} bytes, not ${bytes}`);
  }
}

function checkEpochs({ epochs, maxEpochs }: UploadClaims, asked: number): void {
  if (epochs !== undefined && maxEpochs !== undefined) {
    throw failedPrecondition('INCONSISTENT_TOKEN', 'the token has both epochs and max_epochs');
  }
  if (epochs !== undefined && asked !== epochs) {
    throw failedPrecondition('INVALID_EPOCHS', `the token is for ${epochs} epochs, not ${asked}`);
  }
  if (maxEpochs !== undefined && asked > maxEpochs) {
    throw failedPrecondition('INVALID_EPOCHS', `the token is for at most ${maxEpochs} epochs, not ${asked}`);
  }
}

/**
 * Checks that a token allows the store it was sent with. Runs before the body is read. `announcedBytes` is the
 * `Content-Length`, if there is one. Throws 400 with the reason, in the real publisher's order.
 */
export function checkUpload(
  claims: UploadClaims,
  rules: UploadRules,
  query: StoreQuery,
  announcedBytes: number | undefined,
): void {
  if (rules.expiringSec > 0 && claims.exp - (claims.iat ?? 0) !== rules.expiringSec) {
    throw failedPrecondition(
      'INVALID_EXPIRATION',
      `exp must be ${rules.expiringSec} seconds after iat in every token`,
    );
  }
  if (claims.size !== undefined && claims.maxSize !== undefined) {
    throw failedPrecondition('INCONSISTENT_TOKEN', 'the token has both size and max_size');
  }
  if (!rules.verifyUpload) return;
  if (announcedBytes !== undefined) checkSize(claims, announcedBytes);
  checkEpochs(claims, query.epochs);
  if (claims.sendObjectTo !== undefined && query.sendObjectTo !== claims.sendObjectTo) {
    throw failedPrecondition(
      'INVALID_SEND_OBJECT_TO',
      'send_object_to must be the address that the token names',
    );
  }
}
