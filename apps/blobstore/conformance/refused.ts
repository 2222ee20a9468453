import type { Answer } from './exchange.ts';
import { envelopeOf, expectAnswer, same } from './expectations.ts';
import type { Session } from './session.ts';

/** Values of `domain` in the envelope: the component that reports the error. */
export const daemon = 'daemon.walrus.space';
export const publisherAuth = 'auth.publisher.walrus.space';

/** Expects an error with this status, and with this reason in the envelope. */
export function refused(answer: Answer, status: number, reason: string, domain = daemon): void {
  expectAnswer(answer, { status });
  same('reason', envelopeOf(answer, domain).details[0]?.reason, reason);
}

/**
 * Expects an error that the real daemons' framework sends as plain text. Only the status is compared there; the
 * blob store of this repository must also send the envelope.
 */
export function refusedByFramework(session: Session, answer: Answer, status: number, reason: string): void {
  expectAnswer(answer, { status });
  if (session.ours) refused(answer, status, reason);
}
