import { CodedError } from '@memrelay/protocol/coded-error';

export type SignInErrorCode =
  /** The dashboard's address is neither https nor on this machine */
  | 'insecure_web_url'
  /** The label or the relayer's address is not valid in a link */
  | 'invalid_request'
  /** The relayer belongs to the local system, but the data directory does not name its wallet */
  | 'local_wallet_unknown'
  /** The link expired before anyone signed in */
  | 'expired'
  | 'cancelled'
  /** Too many wrong answers were submitted */
  | 'too_many_tries'
  /** The sign-in succeeded, but the file could not be written */
  | 'not_saved'
  /** The pasted text is not a sign-in code */
  | 'invalid_code'
  /** The credential file to import is missing, open to other users, or damaged */
  | 'invalid_credentials'
  /** No sign-in on this machine is waiting for this code */
  | 'nobody_waits'
  /** The waiting sign-in rejected the code, or the chain does not confirm the key; the message says why */
  | 'refused';

/** A sign-in that failed. The message is for the user and contains no secret. */
export class SignInError extends CodedError<SignInErrorCode> {
  override name = 'SignInError';
}
