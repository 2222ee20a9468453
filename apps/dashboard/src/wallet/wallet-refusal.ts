import { CodedError } from '@memrelay/protocol/coded-error';

/** A call that the wallet rejects. The message is for the user of the page. */
export class WalletRefusal extends CodedError {
  override name = 'WalletRefusal';
  readonly status: number;
  constructor(status: number, code: string, message: string) {
    super(code, message);
    this.status = status;
  }
}
