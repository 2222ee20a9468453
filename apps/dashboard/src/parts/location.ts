import { useSyncExternalStore } from 'react';

/** The address of the page, without a router: three pages and a few parameters need none. */
export interface Place {
  path: string;
  parameters: URLSearchParams;
}

const changed = 'memrelay:location';

function subscribe(onChange: () => void): () => void {
  for (const event of ['popstate', changed]) window.addEventListener(event, onChange);
  return () => {
    for (const event of ['popstate', changed]) window.removeEventListener(event, onChange);
  };
}

export function usePlace(): Place {
  const address = useSyncExternalStore(subscribe, () => window.location.pathname + window.location.search);
  const { pathname, searchParams } = new URL(address, window.location.origin);
  return { path: pathname, parameters: searchParams };
}

export function go(address: string): void {
  const { pathname, search } = window.location;
  if (pathname + search === address) return;
  const isOtherPage = new URL(address, window.location.origin).pathname !== pathname;
  window.history.pushState(null, '', address);
  window.dispatchEvent(new Event(changed));
  if (isOtherPage) window.scrollTo(0, 0);
}

/** Goes to the same page with these parameters changed; undefined removes one. */
export function setParameters(changes: Readonly<Record<string, string | undefined>>): void {
  const { pathname, search } = window.location;
  const parameters = new URLSearchParams(search);
  for (const [name, value] of Object.entries(changes))
    if (value === undefined || value === '') parameters.delete(name);
    else parameters.set(name, value);
  const query = parameters.toString();
  go(query === '' ? pathname : `${pathname}?${query}`);
}
