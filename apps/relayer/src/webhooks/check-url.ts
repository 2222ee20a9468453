import { isIP } from 'node:net';
import { isPrivateAddress } from '@memrelay/process/guarded-fetch';
import { ApiError } from '@memrelay/protocol/errors';

/**
 * Normalises the URL of a webhook. Only what its text shows is checked; the addresses of its name are checked when it is
 * called (packages/process, guarded-fetch.ts). Throws `invalid_request`.
 */
export function checkWebhookUrl(text: string, { allowPrivate }: { allowPrivate: boolean }): string {
  const refuse = (message: string): never => {
    throw new ApiError('invalid_request', { details: { issues: [{ path: 'url', message }] } });
  };
  if (!URL.canParse(text)) return refuse('must be a URL');
  const url = new URL(text);
  if (url.protocol !== 'https:' && !(allowPrivate && url.protocol === 'http:'))
    refuse(allowPrivate ? 'must begin with https:// or http://' : 'must begin with https://');
  if (url.username !== '' || url.password !== '') refuse('must not contain a user name or password');
  if (url.hash !== '') refuse('must not have a fragment');
  const literal = url.hostname.replace(/^\[|\]$/g, '');
  if (!allowPrivate && isIP(literal) && isPrivateAddress(literal))
    refuse('must not point to a private address');
  return url.href;
}
