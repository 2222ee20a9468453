/** Why the callback rejects an answer: HTTP status, a stable code and a message that the page shows. */
export class Refusal extends Error {
  override name = 'Refusal';
  readonly status: number;
  readonly error: string;
  constructor(status: number, error: string, message: string) {
    super(message);
    this.status = status;
    this.error = error;
  }
}
