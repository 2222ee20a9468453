import type { Account } from '@memrelay/sdk/types';
import { counted } from '../terminal/plain-text.ts';

/** `read, write in all namespaces, until 2027-01-01` */
export function scopeText({ delegate: { scope, expiresAt } }: Account): string {
  const where = scope.allNamespaces
    ? 'all namespaces'
    : counted(scope.tags.length, 'namespace', 'namespaces');
  return `${scope.perms.join(', ') || 'nothing'} in ${where}${expiresAt ? `, until ${expiresAt.slice(0, 16).replace('T', ' ')}` : ''}`;
}
