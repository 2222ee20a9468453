import { type AuditResponse, auditQuery, auditRequest } from '@memrelay/protocol/audit-log';
import type { FastifyInstance } from 'fastify';
import { type ReadAuditParts, readAudit } from '../../memories/lists/read-audit.ts';
import { route } from '../http/route.ts';
import { validate } from '../http/validate.ts';

export type AuditRouteParts = ReadAuditParts;

/** The signed routes that return the account's audit log; `app` has the auth hook. */
export function auditRoutes(app: FastifyInstance, parts: AuditRouteParts): void {
  const lists = route({ auth: 'signature', scope: ['read'], cost: 1 });
  app.post(
    '/api/audit',
    lists,
    async (request): Promise<AuditResponse> =>
      readAudit(parts, request.caller, validate(auditRequest, request.body)),
  );
  app.get('/api/audit', lists, async (request): Promise<AuditResponse> => {
    const { cursor, limit } = validate(auditQuery, request.query);
    const wanted = { cursor, limit: limit === undefined ? undefined : Number(limit) };
    return readAudit(parts, request.caller, validate(auditRequest, wanted));
  });
}
