import { createContext, useContext } from 'react';
import type { WalletState } from '../wallet/wallet-api.ts';
import type { Session } from './open-session.ts';

export interface OpenSession extends Session {
  state: WalletState;
}

export const SessionContext = createContext<OpenSession | undefined>(undefined);

export function useSession(): OpenSession {
  const session = useContext(SessionContext);
  if (!session) throw new Error('useSession needs an open session above it');
  return session;
}
