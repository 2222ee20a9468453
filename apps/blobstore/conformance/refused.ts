import type { Answer } from './exchange.ts';
import { envelopeOf, expectAnswer, same } from './expectations.ts';
import type { Session } from './session.ts';

/** Whose words an error is. */
export const daemon = 'daemon.walrus.space';
export const publisherAuth = 'auth.publisher.walrus.space';

/** An error with this status and reason in the envelope, as every service answers it. */
export function refused(answer: Answer, status: number, reason: string, domain = daemon): void {
  expectAnswer(answer, { status });
  same('reason', envelopeOf(answer, domain).details[0]?.reason, reason);
}

/**
 * An error that the real daemons' framework answers as plain text: there its status alone counts, with a store of
 * ours the envelope as well.
 */
export function refusedByFramework(session: Session, answer: Answer, status: number, reason: string): void {
  expectAnswer(answer, { status });
  if (session.ours) refused(answer, status, reason);
}
