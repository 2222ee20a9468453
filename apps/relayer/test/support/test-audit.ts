import { randomBytes } from 'node:crypto';
import { createAuditLog } from '../../src/audit/audit-log.ts';
import { silent } from './auth-app.ts';

/** The audit log of a relayer with a new writer key. */
export const testAudit = createAuditLog([randomBytes(32)], silent);
