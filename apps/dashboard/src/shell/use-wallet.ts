import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { localWallet } from '../wallet/local-wallet.ts';
import { WalletError } from '../wallet/owner-wallet.ts';
import { forgetPairing, pairingCodeIn, pairTab, resumePairing, tabToken } from '../wallet/tab-pairing.ts';
import type { WalletState } from '../wallet/wallet-api.ts';

/** Null: this browser may not use the wallet. */
async function readWallet(): Promise<WalletState | null> {
  if (tabToken() === undefined && !(await resumePairing())) return null;
  try {
    return await localWallet.state();
  } catch (error) {
    if (!(error instanceof WalletError) || error.code !== 'not_paired') throw error;
    forgetPairing();
    return (await resumePairing()) ? localWallet.state() : null;
  }
}

/** The wallet's state; a pairing code in the page's address is used first. */
export function useWallet() {
  const queries = useQueryClient();
  const [isPairing, setIsPairing] = useState(() => pairingCodeIn(window.location.hash) !== undefined);
  const [refused, setRefused] = useState<unknown>();
  useEffect(() => {
    const pair = async (): Promise<void> => {
      const { hash, pathname, search } = window.location;
      const code = pairingCodeIn(hash);
      if (hash.length > 1) window.history.replaceState(null, '', pathname + search);
      if (code === undefined) return;
      setIsPairing(true);
      try {
        await pairTab(code);
        setRefused(undefined);
      } catch (error) {
        if (!(error instanceof WalletError)) throw error;
        setRefused(error);
      }
      setIsPairing(false);
      await queries.invalidateQueries({ queryKey: ['wallet'] });
    };
    void pair();
    const onHash = (): void => void pair();
    // A second link in the same tab changes only the fragment
    window.addEventListener('hashchange', onHash);
    return () => window.removeEventListener('hashchange', onHash);
  }, [queries]);
  const wallet = useQuery({ queryKey: ['wallet'], queryFn: readWallet, enabled: !isPairing });
  return { ...wallet, refused };
}
