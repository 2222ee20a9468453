import { fromBase64Url, toBase64Url } from '@memrelay/protocol/bytes';

/**
 * What a tool asks a person's browser for: a delegate key, returned to this key and no other. It stands in the fragment
 * of the sign-in URL, which no server is sent (security.md, "Sign-in").
 */
export interface SignInRequest {
  /** The tool's X25519 public key, made for this sign-in alone */
  publicKey: Uint8Array;
  /** Where the tool listens, on 127.0.0.1 */
  port: number;
  /** 32 random bytes that the answer has to name */
  state: Uint8Array;
  /** SHA-256 of 32 bytes that only the tool knows; it shows them to the page when it has taken the answer */
  challenge: Uint8Array;
  /** Unix time in seconds */
  expiresAt: number;
  /** What the tool calls itself: anybody's text */
  label: string;
  /** The relayer that the tool will send memories to: anybody's text, but a URL of http or https */
  relayerUrl: string;
}

/** A link that is no sign-in link, or was cut off. Its message repeats nothing of it. */
export class SignInFormatError extends Error {
  override name = 'SignInFormatError';
}

const version = '1';
const maxRelayerUrlLength = 300;
/** Bytes of UTF-8, as the account module takes them. */
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

/** Reads a fragment, with or without `#`; parameters that it does not know are left alone. Throws `SignInFormatError`. */
export function parseSignInFragment(fragment: string): SignInRequest {
  const parameters = new URLSearchParams(fragment.replace(/^#/, ''));
  const text = (name: string): string => {
    const values = parameters.getAll(name);
    if (values.length !== 1) throw new SignInFormatError(`the link names ${name} ${values.length} times`);
    return values[0]!;
  };
  if (text('v') !== version) throw new SignInFormatError('the link is of another version');
  const request = {
    publicKey: bytes32(text('key'), 'key'),
    port: whole(text('port'), 'port', 1024, 65_535),
    state: bytes32(text('state'), 'state'),
    challenge: bytes32(text('challenge'), 'challenge'),
    expiresAt: whole(text('expires'), 'expires', 0, 0xffff_ffff),
    label: text('label'),
    relayerUrl: text('relayer'),
  };
  checkShown(request);
  return request;
}

/** Throws `SignInFormatError` when label or relayer are not what may stand in a link. */
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
    throw new SignInFormatError('the relayer must be a URL of http or https, without a name or password');
}

function bytes32(text: string, name: string): Uint8Array {
  let bytes: Uint8Array | undefined;
  try {
    bytes = fromBase64Url(text);
  } catch {}
  if (bytes?.length !== 32) throw new SignInFormatError(`${name} must be 32 bytes`);
  return bytes;
}

function whole(text: string, name: string, min: number, max: number): number {
  const value = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= min && value <= max) return value;
  throw new SignInFormatError(`${name} is out of range`);
}
