import { parseSignInFragment, type SignInRequest } from '@memrelay/sdk/account/sign-in/sign-in-request';

const storageKey = 'memrelay.sign-in';

/**
 * The request of the link that opened this page. It is taken out of the address, so that neither the history nor a
 * screenshot keeps it, and stays with the tab for a reload. Throws `SignInFormatError` when there is none.
 */
export function takeRequest(fragment: string): SignInRequest {
  if (fragment.length > 1) sessionStorage.setItem(storageKey, fragment);
  return parseSignInFragment(sessionStorage.getItem(storageKey) ?? '');
}

export function forgetRequest(): void {
  sessionStorage.removeItem(storageKey);
}
