import { useSyncExternalStore } from 'react';

/** One limit of the relayer, as in its `RateLimit` and `RateLimit-Policy` headers. */
export interface RemainingLimit {
  name: string;
  /** Units of its window, and those that are left */
  units: number;
  left: number;
  windowSeconds: number;
}

/** One answered recall. */
export interface ObservedRecall {
  /** Until the answer had arrived in the browser, ms */
  ms: number;
  /** Stages in the relayer, in its order: name and ms */
  stages: readonly (readonly [string, number])[];
}

/** What this page has seen of the relayer since it was loaded. */
export interface Observed {
  /** Of the latest answer; empty if the relayer has no limits */
  limits: readonly RemainingLimit[];
  /** The latest ones, newest last */
  recalls: readonly ObservedRecall[];
}

const keptRecalls = 30;

let observed: Observed = { limits: [], recalls: [] };
const listeners = new Set<() => void>();

/** `fetch`, noting limits and the duration of recalls. Nothing of a request or an answer but its headers is kept. */
export const observedFetch: typeof fetch = async (input, init) => {
  const started = performance.now();
  const response = await fetch(input, init);
  const address = input instanceof Request ? input.url : String(input);
  note(new URL(address).pathname, response, performance.now() - started);
  return response;
};

function note(path: string, { ok, headers }: Response, ms: number): void {
  const limits = remainingLimits(headers.get('ratelimit-policy'), headers.get('ratelimit'));
  const isRecall = ok && path === '/api/recall';
  if (!isRecall && limits.length === 0) return;
  const recall = { ms, stages: serverStages(headers.get('server-timing')) };
  observed = {
    limits: limits.length > 0 ? limits : observed.limits,
    recalls: isRecall ? [...observed.recalls, recall].slice(-keptRecalls) : observed.recalls,
  };
  for (const listener of listeners) listener();
}

export function useObserved(): Observed {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => observed,
  );
}

/** `"key";q=300;w=60, …` and `"key";r=299;t=1, …`; limits that are in only one of them are left out. */
export function remainingLimits(policy: string | null, state: string | null): RemainingLimit[] {
  const left = new Map(items(state).map(({ name, values }) => [name, values.get('r')]));
  return items(policy).flatMap(({ name, values }) => {
    const [units, windowSeconds, rest] = [values.get('q'), values.get('w'), left.get(name)];
    return units === undefined || windowSeconds === undefined || rest === undefined
      ? []
      : [{ name, units, windowSeconds, left: rest }];
  });
}

function items(header: string | null): { name: string; values: Map<string, number> }[] {
  return (header ?? '').split(',').flatMap((item) => {
    const [name = '', ...parameters] = item.trim().split(';');
    const values = parameters
      .map((each) => each.split('='))
      .map(([key, value]) => [key!, Number(value)] as const);
    return name === '' ? [] : [{ name: name.replaceAll('"', ''), values: new Map(values) }];
  });
}

/** `auth;dur=1.20, embed;dur=3.00` */
export function serverStages(header: string | null): [string, number][] {
  return (header ?? '').split(',').flatMap((item) => {
    const [name = '', duration = ''] = item.trim().split(';dur=');
    const ms = Number(duration);
    return name === '' || duration === '' || Number.isNaN(ms) ? [] : [[name, ms] as [string, number]];
  });
}
