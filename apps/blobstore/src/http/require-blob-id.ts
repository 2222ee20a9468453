import { isBlobId } from '../encoding/blob-id.ts';
import { invalidIdFormat } from './api-error.ts';

/** The text itself, when it is a blob id in its canonical spelling. Throws `invalidIdFormat`. */
export function requireBlobId(text: string): string {
  if (!isBlobId(text)) throw invalidIdFormat();
  return text;
}
