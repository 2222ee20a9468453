/** A call that the wallet does not carry out. The message is for the person at the page. */
export class WalletRefusal extends Error {
  override name = 'WalletRefusal';
  readonly status: number;
  /** Stable */
  readonly code: string;
  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}
