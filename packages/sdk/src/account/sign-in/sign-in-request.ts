import { fromBase64Url, toBase64Url } from '@memrelay/protocol/bytes';

/**
 * A tool's request to the user's browser for a delegate key, sealed only to this key. It is in the fragment of the sign-in
 * URL, which is not sent to any server (security.md, "Sign-in").
 */
export interface SignInRequest {
  /** The tool's X25519 public key, created only for this sign-in */
  publicKey: Uint8Array;
  /** Where the tool listens, on 127.0.0.1 */
  port: number;
  /** 32 random bytes that the answer must contain */
  state: Uint8Array;
  /** SHA-256 of 32 bytes that only the tool knows; it reveals them to the page after it accepted the answer */
  challenge: Uint8Array;
  /** Unix time in seconds */
  expiresAt: number;
  /** Name that the tool gives itself; untrusted text */
  label: string;
  /** The relayer that the tool will use; untrusted, but an http or https URL */
  relayerUrl: string;
}

/** Not a sign-in link, or an incomplete one. The message contains nothing from the link. */
export class SignInFormatError extends Error {
  override name = 'SignInFormatError';
}

const version = '1';
const maxRelayerUrlLength = 300;
/** In bytes of UTF-8: the limit of the account module. */
export const maxLabelBytes = 64;

/** The fragment without `#`. Its order is fixed: the sealed answer is bound to this text. */
export function signInFragment(request: SignInRequest): string {
  return new URLSearchParams({
    v: version,
    key: toBase64Url(request.publicKey),
    port: String(request.port),
    state: toBase64Url(request.state),
    challenge: toBase64Url(request.challenge),
    expires: String(request.expiresAt),
    label: request.label,
    relayer: request.relayerUrl,
  }).toString();
}

/** Parses a fragment, with or without `#`, ignoring unknown parameters. Throws `SignInFormatError`. */
export function parseSignInFragment(fragment: string): SignInRequest {
  const parameters = new URLSearchParams(fragment.replace(/^#/, ''));
  const text = (name: string): string => {
    const values = parameters.getAll(name);
    if (values.length !== 1) throw new SignInFormatError(`the link contains ${name} ${values.length} times`);
    return values[0]!;
  };
  if (text('v') !== version) throw new SignInFormatError('the link has another version');
  const request = {
    publicKey: bytes32(text('key'), 'key'),
    port: integerOf(text('port'), 'port', 1024, 65_535),
    state: bytes32(text('state'), 'state'),
    challenge: bytes32(text('challenge'), 'challenge'),
    expiresAt: integerOf(text('expires'), 'expires', 0, 0xffff_ffff),
    label: text('label'),
    relayerUrl: text('relayer'),
  };
  checkShown(request);
  return request;
}

/** Throws `SignInFormatError` if label or relayer are not valid in a link. */
export function checkShown({ label, relayerUrl }: Pick<SignInRequest, 'label' | 'relayerUrl'>): void {
  if (label.trim() === '' || new TextEncoder().encode(label).length > maxLabelBytes)
    throw new SignInFormatError(`the label must have 1 to ${maxLabelBytes} bytes`);
  const url = URL.canParse(relayerUrl) ? new URL(relayerUrl) : undefined;
  if (
    !url ||
    !['http:', 'https:'].includes(url.protocol) ||
    url.username !== '' ||
    url.password !== '' ||
    relayerUrl.length > maxRelayerUrlLength
  )
    throw new SignInFormatError('the relayer must be an http or https URL without user name and password');
}

function bytes32(text: string, name: string): Uint8Array {
  let bytes: Uint8Array | undefined;
  try {
    bytes = fromBase64Url(text);
  } catch {}
  if (bytes?.length !== 32) throw new SignInFormatError(`${name} must be 32 bytes`);
  return bytes;
}

function integerOf(text: string, name: string, min: number, max: number): number {
  const value = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= min && value <= max) return value;
  throw new SignInFormatError(`${name} is out of range`);
}
