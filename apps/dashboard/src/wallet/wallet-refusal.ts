import { CodedError } from '@memrelay/protocol/coded-error';

/** A call that the wallet does not carry out. The message is for the person at the page. */
export class WalletRefusal extends CodedError {
  override name = 'WalletRefusal';
  readonly status: number;
  constructor(status: number, code: string, message: string) {
    super(code, message);
    this.status = status;
  }
}
