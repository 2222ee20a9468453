/** A refusal in the provider's own form: `{errors: [{code, message}]}` with this status. */
export class SponsorError extends Error {
  override name = 'SponsorError';
  readonly status: number;
  readonly code: string;
  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}
