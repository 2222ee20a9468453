/** A call that the wallet rejects. The message is for the user of the page. */
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
