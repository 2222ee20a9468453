import { CodedError } from '@memrelay/protocol/coded-error';

export type SignInErrorCode =
  /** The dashboard's address is neither https nor on this machine */
  | 'insecure_web_url'
  /** The label or the relayer's address cannot stand in a link */
  | 'invalid_request'
  /** The relayer is that of the local system, and the data directory does not name its wallet */
  | 'local_wallet_unknown'
  /** Nobody came within the time */
  | 'expired'
  | 'cancelled'
  /** Somebody tried wrong answers */
  | 'too_many_tries'
  /** Everything was right and the file could not be written */
  | 'not_saved'
  /** The pasted text is no sign-in code */
  | 'invalid_code'
  /** The credential file to import is missing, open to other users, or damaged */
  | 'invalid_credentials'
  /** No sign-in waits for this code on this machine */
  | 'nobody_waits'
  /** The waiting sign-in did not take the code, or the chain does not confirm the key; the message says why */
  | 'refused';

/** A sign-in that did not come to its end. The message is for the user and names no secret. */
export class SignInError extends CodedError<SignInErrorCode> {
  override name = 'SignInError';
}
