import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { LocalWallet } from './node-local-wallet.ts';
import { createWalletAccess } from './node-wallet-access.ts';
import { type AddDelegate, walletPaths } from './wallet-api.ts';
import { WalletRefusal } from './wallet-refusal.ts';
import { addDelegateSchema, pairSchema, removeDelegateSchema } from './wallet-schemas.ts';

export interface WalletRouteOptions {
  /** Secret of this run; pairing codes are derived from it */
  startToken: string;
  /** Loaded on first use: the chain client is large, and most runs never need it */
  wallet: () => Promise<LocalWallet>;
}

/** The routes that sign with the local wallet, only for pages of this origin in paired tabs. */
export function registerWalletRoutes(app: FastifyInstance, options: WalletRouteOptions): void {
  const access = createWalletAccess(options.startToken);
  const sameOrigin = async (request: FastifyRequest): Promise<void> => {
    // Every route already checks that the host is one of ours
    if (request.headers.origin !== `http://${request.headers.host}`)
      throw new WalletRefusal(403, 'wrong_origin', 'Only pages of this dashboard may use the wallet.');
  };
  const paired = async (request: FastifyRequest): Promise<void> => {
    await sameOrigin(request);
    access.require(request.headers.authorization);
  };
  app.post<{ Body: { code: string } }>(
    walletPaths.pair,
    { onRequest: sameOrigin, schema: { body: pairSchema } },
    async ({ body }) => ({ token: access.pair(body.code) }),
  );
  app.post(walletPaths.state, { onRequest: paired }, async () => (await options.wallet()).state());
  app.post(walletPaths.createAccount, { onRequest: paired }, async () =>
    (await options.wallet()).createAccount(),
  );
  app.post<{ Body: AddDelegate }>(
    walletPaths.addDelegate,
    { onRequest: paired, schema: { body: addDelegateSchema } },
    async ({ body }) => (await options.wallet()).addDelegate(body),
  );
  app.post<{ Body: { publicKey: string } }>(
    walletPaths.removeDelegate,
    { onRequest: paired, schema: { body: removeDelegateSchema } },
    async ({ body }) => (await options.wallet()).removeDelegate(body.publicKey),
  );
}
