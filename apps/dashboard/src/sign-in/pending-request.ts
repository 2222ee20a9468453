import { parseSignInFragment, type SignInRequest } from '@memrelay/sdk/account/sign-in/sign-in-request';
import { parseQueryLink, type QueryRequest } from './query-link.ts';

const storageKey = 'memrelay.sign-in';
const queryStorageKey = 'memrelay.sign-in-query';

/**
 * The request in the link that opened this page. It is removed from the address, so that neither the history nor a
 * screenshot contains it, and kept in the tab for a reload. Throws `SignInFormatError` if there is none.
 */
export function takeRequest(fragment: string): SignInRequest {
  if (fragment.length > 1) {
    sessionStorage.setItem(storageKey, fragment);
    sessionStorage.removeItem(queryStorageKey);
  }
  return parseSignInFragment(sessionStorage.getItem(storageKey) ?? '');
}

/**
 * The request of a link in query form, from the address or kept from an earlier load of this tab; undefined if the tab has
 * a request in fragment form. Throws `SignInFormatError`.
 */
export function takeQueryRequest(query: string, fragment: string): QueryRequest | undefined {
  if (query.length > 1) {
    sessionStorage.setItem(queryStorageKey, query);
    sessionStorage.removeItem(storageKey);
  }
  const storedQuery =
    query.length > 1 || fragment.length <= 1 ? sessionStorage.getItem(queryStorageKey) : null;
  return storedQuery === null ? undefined : parseQueryLink(storedQuery);
}

export function forgetRequest(): void {
  sessionStorage.removeItem(queryStorageKey);
  sessionStorage.removeItem(storageKey);
}
