import type { Account } from '@memrelay/sdk/types';

/** `read, write in all namespaces, until 2027-01-01` */
export function scopeText({ delegate: { scope, expiresAt } }: Account): string {
  const where = scope.allNamespaces ? 'all namespaces' : `${scope.tags.length} namespaces`;
  return `${scope.perms.join(', ') || 'nothing'} in ${where}${expiresAt ? `, until ${expiresAt.slice(0, 16).replace('T', ' ')}` : ''}`;
}
