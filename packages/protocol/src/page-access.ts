/**
 * Which web pages may use a part of the local network. Every page may read public data. Only listed pages may make changes.
 * This includes requests without a preflight, which are rejected and not merely hidden from the page.
 */
export interface PageAccess {
  /** The request comes from a page that is not allowed to make it */
  refused: boolean;
  /** Value of `access-control-allow-origin` */
  allowOrigin: string | undefined;
}

export interface PageRequest {
  readonly method?: string | undefined;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

/** Without a list every page may do everything, as on the public networks. A preflight gets the decision for its request. */
export function pageAccess(request: PageRequest, allowedOrigins: readonly string[] | undefined): PageAccess {
  if (allowedOrigins === undefined) return { refused: false, allowOrigin: '*' };
  const { origin, 'access-control-request-method': announced = 'GET' } = request.headers;
  const method = request.method === 'OPTIONS' ? announced : request.method;
  if (method === 'GET' || method === 'HEAD') return { refused: false, allowOrigin: '*' };
  if (origin === undefined) return { refused: false, allowOrigin: undefined };
  const isAllowed = typeof origin === 'string' && allowedOrigins.includes(origin);
  return isAllowed ? { refused: false, allowOrigin: origin } : { refused: true, allowOrigin: undefined };
}
