import { CodedError } from '@memrelay/protocol/coded-error';

/** An error in the format of the provider: `{errors: [{code, message}]}` with this status. */
export class SponsorError extends CodedError {
  override name = 'SponsorError';
  readonly status: number;
  constructor(status: number, code: string, message: string) {
    super(code, message);
    this.status = status;
  }
}
