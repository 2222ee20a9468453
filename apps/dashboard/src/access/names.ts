import type { Audit } from '@memrelay/sdk/audit';
import { shortened } from '../parts/short-id.tsx';
import { useTexts } from '../parts/texts-context.tsx';
import { useSession } from '../session/session-context.ts';
import { harmless } from '../ui/harmless-text.ts';
import { keysByAddress } from './trail.ts';

/** Names the keys and addresses of an audit log as the owner knows them. */
export function useNames({ entries, head }: Audit): (id: string) => string {
  const { t } = useTexts();
  const { state } = useSession();
  const labels = new Map(state.account?.delegates.map(({ publicKey, label }) => [publicKey, label]));
  const keys = keysByAddress(entries);
  const writers = new Set(head.signatures.map(({ writer_key }) => writer_key));
  return (id) => {
    if (id === state.address) return t('access.name.wallet');
    if (writers.has(id)) return new URL(state.relayerUrl).host;
    const label = labels.get(keys.get(id) ?? id);
    return label === undefined ? shortened(keys.get(id) ?? id) : harmless(label, 60);
  };
}
