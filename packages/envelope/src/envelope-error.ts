/** Why an envelope was rejected: stable codes for reports, in the order in which the reader checks. */
export type EnvelopeRefusal =
  /** A version, suite, kind or tag key this reader does not know */
  | 'unsupported_envelope'
  /** Bytes, lengths or UTF-8 that the layout does not allow */
  | 'malformed'
  /** It belongs to another account */
  | 'wrong_origin'
  /** The tag is not that of the expected namespace, or does not match the sealed namespace */
  | 'wrong_tag'
  /** A key epoch above the account's */
  | 'future_epoch'
  /** No wrap is made for this identity, package and a configured key-server set */
  | 'foreign_wrap'
  /** The private key does not belong to `recipient_pk` */
  | 'wrong_recipient'
  /** The body or recovery wrap does not authenticate */
  | 'decrypt_failed'
  /** Padding that is not zero or not exactly the Padmé size */
  | 'bad_padding'
  /** Metadata outside its rules */
  | 'bad_meta'
  /** The writer's signature is invalid */
  | 'bad_signature'
  /** Signed by a key that the caller does not trust */
  | 'untrusted_signer'
  /** Not the envelope that the index row names */
  | 'index_mismatch';

/**
 * Thrown by every reading function. The message never contains memory text. Report a failure and keep the envelope: never
 * delete it because of one, and never report the memory as missing.
 */
export class EnvelopeError extends Error {
  readonly reason: EnvelopeRefusal;
  /** The signer, if the reason is `untrusted_signer`: restore reports it so that an owner can decide. */
  readonly signer: Uint8Array | undefined;

  constructor(reason: EnvelopeRefusal, message: string, signer?: Uint8Array) {
    super(message);
    this.name = 'EnvelopeError';
    this.reason = reason;
    this.signer = signer;
  }

  /** True for every reason except `unsupported_envelope`, which may be a later version of the format. */
  get integrity(): boolean {
    return this.reason !== 'unsupported_envelope';
  }
}
