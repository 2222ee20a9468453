import { timingSafeEqual } from 'node:crypto';
import type { X25519KeyPair } from '@memrelay/envelope/hpke';
import { nodePrimitives } from '@memrelay/envelope/node-primitives';
import type { CredentialFile } from '@memrelay/protocol/credential-file';
import { type HandOver, openHandOver, parseHandOverCode } from '@memrelay/sdk/account/sign-in/hand-over';
import { SignInFormatError, type SignInRequest } from '@memrelay/sdk/account/sign-in/sign-in-request';
import { Refusal } from './refusal.ts';
import type { SignInError } from './sign-in-error.ts';

export interface PendingParts {
  keyPair: X25519KeyPair;
  request: SignInRequest;
  /** Verifies the hand-over on chain. Throws `Refusal` */
  check: (handOver: HandOver) => Promise<CredentialFile>;
  /** Throws `Refusal` if the file cannot be written */
  save: (credentials: CredentialFile) => Promise<void>;
}

/** One sign-in, from its link to its end. It accepts exactly one answer. */
export class PendingSignIn {
  readonly done: Promise<CredentialFile>;
  readonly #parts: PendingParts;
  #settle!: { resolve: (credentials: CredentialFile) => void; reject: (error: SignInError) => void };
  #phase: 'waiting' | 'taking' | 'saving' | 'over' = 'waiting';
  #credentials: CredentialFile | undefined;
  /** Set if the sign-in was to end while the file was being written */
  #lateEnd: SignInError | undefined;

  constructor(parts: PendingParts) {
    this.#parts = parts;
    this.done = new Promise((resolve, reject) => {
      this.#settle = { resolve, reject };
    });
    // Callers that only show the link may ignore `done`
    this.done.catch(() => undefined);
  }

  /** Opens, verifies and saves a hand-over. Throws `Refusal`, after which another answer may still be accepted. */
  async accept(text: string): Promise<CredentialFile> {
    if (this.#phase === 'over')
      throw new Refusal(410, 'over', 'This link has already been used, or has expired.');
    const handOver = this.#open(text);
    if (this.#phase !== 'waiting')
      throw new Refusal(409, 'already_taking', 'The tool is already processing an answer to this link.');
    this.#phase = 'taking';
    try {
      const credentials = await this.#parts.check(handOver);
      this.#startSaving();
      await this.#parts.save(credentials);
      this.#credentials = credentials;
      this.#close();
      return credentials;
    } finally {
      handOver.privateKey.fill(0);
      if (!this.#isOver()) this.#phase = 'waiting';
      if (this.#lateEnd) this.end(this.#lateEnd);
    }
  }

  /** Resolves `done`, after the sender of the answer has received the response. */
  finish(): void {
    if (this.#credentials) this.#settle.resolve(this.#credentials);
  }

  /** Ends the sign-in without credentials; does nothing if it has already ended. */
  end(error: SignInError): void {
    if (this.#phase === 'saving') this.#lateEnd ??= error;
    else if (!this.#isOver()) {
      this.#close();
      this.#settle.reject(error);
    }
  }

  #open(text: string): HandOver {
    const { keyPair, request } = this.#parts;
    const code = codeOf(text);
    if (!timingSafeEqual(code.state, request.state))
      throw new Refusal(403, 'wrong_state', 'This answer belongs to another sign-in.');
    const handOver = openHandOver(nodePrimitives, keyPair, request, code);
    if (handOver) return handOver;
    throw new Refusal(
      403,
      'not_sealed_for_this',
      'The answer was not created for this link, or was modified.',
    );
  }

  #startSaving(): void {
    if (this.#isOver()) throw new Refusal(410, 'over', 'This link has expired.');
    this.#phase = 'saving';
  }

  #isOver(): boolean {
    return this.#phase === 'over';
  }

  #close(): void {
    this.#phase = 'over';
    this.#parts.keyPair.privateKey.fill(0);
  }
}

function codeOf(text: string): ReturnType<typeof parseHandOverCode> {
  try {
    return parseHandOverCode(text);
  } catch (error) {
    if (error instanceof SignInFormatError) throw new Refusal(400, 'no_code', `${error.message}.`);
    throw error;
  }
}
