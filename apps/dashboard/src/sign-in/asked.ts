import { parseSignInFragment, type SignInRequest } from '@memrelay/sdk/account/sign-in/sign-in-request';
import { parseQueryLink, type QueryRequest } from './query-link.ts';

const storageKey = 'memrelay.sign-in';
const queryStorageKey = 'memrelay.sign-in-query';

/**
 * The request of the link that opened this page. It is taken out of the address, so that neither the history nor a
 * screenshot keeps it, and stays with the tab for a reload. Throws `SignInFormatError` when there is none.
 */
export function takeRequest(fragment: string): SignInRequest {
  if (fragment.length > 1) {
    sessionStorage.setItem(storageKey, fragment);
    sessionStorage.removeItem(queryStorageKey);
  }
  return parseSignInFragment(sessionStorage.getItem(storageKey) ?? '');
}

/**
 * The request of a link in query form, or of one that this tab was opened with before; undefined when the tab has another
 * one. Throws `SignInFormatError`.
 */
export function takeQueryRequest(query: string, fragment: string): QueryRequest | undefined {
  if (query.length > 1) {
    sessionStorage.setItem(queryStorageKey, query);
    sessionStorage.removeItem(storageKey);
  }
  const kept = query.length > 1 || fragment.length <= 1 ? sessionStorage.getItem(queryStorageKey) : null;
  return kept === null ? undefined : parseQueryLink(kept);
}

export function forgetRequest(): void {
  sessionStorage.removeItem(queryStorageKey);
  sessionStorage.removeItem(storageKey);
}
