import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';

/** Its name in `GET /version`, and the only deprecation that a `deprecation` header reports. */
export const delegateKeySurface = 'header:x-delegate-key';

/** RFC 9745; the date is when API 1.0.0 deprecated the header. */
const delegateKeyDeprecated = `@${Date.UTC(2026, 10, 1) / 1000}`;

/** Warns the client, and the log, when `x-delegate-key` is the credential used to decrypt. */
export function warnOfDelegateKey(log: Logger, request: FastifyRequest, reply: FastifyReply): void {
  const { delegateKey, encSession } = request.caller.credentials;
  if (!delegateKey || encSession) return;
  reply.header('deprecation', delegateKeyDeprecated);
  log.warn(
    { account_id: request.caller.account.accountId },
    'a client sends its private key in x-delegate-key, which is deprecated',
  );
}
