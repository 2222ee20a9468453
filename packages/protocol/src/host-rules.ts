/**
 * Protection against DNS rebinding: a page can point a domain of its own at this machine, and then counts as the same
 * origin. Its requests still carry that domain in `Host`, so a server accepts only its own names.
 */

/** The fields of Node's `IncomingMessage` that the check reads. */
export interface HostRequest {
  readonly rawHeaders: readonly string[];
  readonly httpVersion: string;
  /** The request target as it was sent */
  readonly url?: string | undefined;
  readonly socket: {
    readonly remoteAddress?: string | undefined;
    readonly localAddress?: string | undefined;
  };
}

export interface HostRulesOptions {
  /** Whether only this machine can reach the listener */
  isLoopback: boolean;
  /** The address or name that the server listens on; accepted as a name from callers on this machine */
  listenHost?: string | undefined;
  /**
   * Further names, each with an optional port (`ALLOWED_HOSTS`). If empty, a non-loopback listener accepts any name
   */
  allowedHosts?: readonly string[];
}

/** `malformed`: no `Host` in HTTP/1.1, an empty one, or several, which get 400 according to RFC 9112 (3.2). */
export type HostVerdict = 'allowed' | 'malformed' | 'refused';

export interface HostRules {
  readonly isLoopback: boolean;
  check(request: HostRequest): HostVerdict;
}

interface HostName {
  /** Lower case; an IPv6 address in brackets and in its short form */
  name: string;
  /** Digits; empty for none */
  port: string;
}

const loopbackNames: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);
/** Ports that clients leave out of `Host`; behind a TLS proxy the scheme is unknown here. */
const defaultPorts: ReadonlySet<string> = new Set(['80', '443']);
const authorityPattern = /^(\[[\da-f:.]+\]|[a-z\d._-]+)(?::(\d*))?$/i;
const absoluteTarget = /^[a-z][a-z\d+.-]*:\/\/([^/?#]*)/i;

/** Decides by `Host`, and by the authority of an absolute request target, whether a request is answered. */
export function createHostRules(options: HostRulesOptions): HostRules {
  const { isLoopback, listenHost, allowedHosts = [] } = options;
  const allowed = allowedHosts.map(parseAllowedHost).filter((host) => host !== undefined);
  const ownName = listenHost === undefined ? undefined : parseHost(bracketed(listenHost))?.name;
  const acceptsAnyName = !isLoopback && allowed.length === 0;

  function isAllowed(authority: string, { socket }: HostRequest): boolean {
    if (acceptsAnyName) return true;
    const host = parseHost(authority);
    if (host === undefined) return false;
    if (allowed.some((one) => matches(one, host))) return true;
    return (isLoopback || isSameMachine(socket)) && (loopbackNames.has(host.name) || host.name === ownName);
  }

  function check(request: HostRequest): HostVerdict {
    const hosts = request.rawHeaders.filter(
      (_, i, all) => i % 2 === 1 && all[i - 1]!.toLowerCase() === 'host',
    );
    if (hosts.length > 1 || hosts.includes('')) return 'malformed';
    if (hosts.length === 0 && request.httpVersion === '1.1') return 'malformed';
    const target = absoluteTarget.exec(request.url ?? '');
    const authorities = target ? [...hosts, target[1]!] : hosts;
    return authorities.every((authority) => isAllowed(authority, request)) ? 'allowed' : 'refused';
  }
  return { isLoopback, check };
}

/** A name with an optional port, as `ALLOWED_HOSTS` lists them; undefined for anything else. */
export function parseAllowedHost(entry: string): HostName | undefined {
  // `URL` converts international names to the ASCII form that clients send. Other parts of a URL are rejected
  if (/[\s/\\?#@*%]/.test(entry) || !URL.canParse(`http://${entry}`)) return undefined;
  const { hostname } = new URL(`http://${entry}`);
  return parseHost(hostname + (/:\d+$/.exec(entry.replace(/^.*\]/, ''))?.[0] ?? ''));
}

function parseHost(authority: string): HostName | undefined {
  const match = authorityPattern.exec(authority);
  if (!match) return undefined;
  const name = match[1]!.toLowerCase();
  const port = match[2] ?? '';
  if (!name.startsWith('[')) return { name, port };
  const url = `http://${name}`;
  return URL.canParse(url) ? { name: new URL(url).hostname, port } : undefined;
}

function matches(allowed: HostName, host: HostName): boolean {
  if (withoutDot(allowed.name) !== withoutDot(host.name)) return false;
  return (
    allowed.port === '' || allowed.port === host.port || (host.port === '' && defaultPorts.has(allowed.port))
  );
}

/** `example.com.` is the same name as `example.com`. */
function withoutDot(name: string): string {
  return name.replace(/\.$/, '');
}

function bracketed(address: string): string {
  return address.includes(':') && !address.startsWith('[') ? `[${address}]` : address;
}

/** Whether the connection comes from this machine. */
function isSameMachine({ remoteAddress, localAddress }: HostRequest['socket']): boolean {
  if (remoteAddress === undefined) return false;
  return isLoopbackAddress(remoteAddress) || remoteAddress === localAddress;
}

/** Whether an IP address, as Node writes it, is one of the loopback interface. */
export function isLoopbackAddress(address: string): boolean {
  return address === '::1' || /^(?:::ffff:)?127(?:\.\d{1,3}){3}$/i.test(address);
}
