/** The errors of Seal's key server with their HTTP statuses; the SDK distinguishes them by name. */
const statuses = {
  MissingRequiredHeader: 400,
  InvalidSDKVersion: 400,
  InvalidSDKType: 400,
  DeprecatedSDKVersion: 426,
  InvalidServiceId: 400,
  InvalidPTB: 403,
  InvalidPackage: 403,
  InvalidMVRName: 403,
  InvalidParameter: 403,
  InvalidCertificate: 403,
  InvalidSignature: 403,
  InvalidSessionSignature: 403,
  NoAccess: 403,
  Failure: 503,
  /** The error of a gateway in front of an aggregator */
  InvalidApiKey: 401,
  /** Not an error of the real server, which responds to such bodies with plain text and 400 or 422 */
  MalformedRequest: 400,
} as const;

export type KeyServerErrorName = keyof typeof statuses;

/** An error response; `message` is sent to the caller, so it contains nothing secret. */
export class KeyServerError extends Error {
  override name = 'KeyServerError';
  readonly error: KeyServerErrorName;
  readonly status: number;

  constructor(error: KeyServerErrorName, message: string) {
    super(message);
    this.error = error;
    this.status = statuses[error];
  }
}

/** An error returned by another key server. Unknown names become `Failure`. */
export function keyServerErrorNamed(name: unknown, message: string): KeyServerError {
  const known = typeof name === 'string' && Object.hasOwn(statuses, name);
  return new KeyServerError(known ? (name as KeyServerErrorName) : 'Failure', message);
}
