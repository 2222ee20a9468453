import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { LocalWallet } from './node-local-wallet.ts';
import { createWalletAccess } from './node-wallet-access.ts';
import { walletPaths } from './wallet-api.ts';
import { WalletRefusal } from './wallet-refusal.ts';
import type { WalletRequests } from './wallet-schemas.ts';

export interface WalletRouteOptions {
  /** Secret of this run; pairing codes are derived from it */
  startToken: string;
  /** Loaded on first use: the chain client is large, and most runs never need it */
  wallet: () => Promise<LocalWallet>;
}

/** The routes that sign with the local wallet, only for pages of this origin in paired browsers. */
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
  app.post(walletPaths.pair, { onRequest: sameOrigin }, async ({ body }) => {
    const { code, browserKey } = await parsed('pair', body);
    return { token: access.pair(code, browserKey) };
  });
  app.post(walletPaths.challenge, { onRequest: sameOrigin }, async () => ({ challenge: access.challenge() }));
  app.post(walletPaths.resume, { onRequest: sameOrigin }, async ({ body, headers }) => ({
    token: access.resume(await parsed('resume', body), headers.origin!),
  }));
  app.post(walletPaths.state, { onRequest: paired }, async () => (await options.wallet()).state());
  app.post(walletPaths.createAccount, { onRequest: paired }, async () =>
    (await options.wallet()).createAccount(),
  );
  app.post(walletPaths.addDelegate, { onRequest: paired }, async ({ body }) => {
    const delegate = await parsed('addDelegate', body);
    return (await options.wallet()).addDelegate(delegate);
  });
  app.post(walletPaths.removeDelegate, { onRequest: paired }, async ({ body }) => {
    const { publicKey } = await parsed('removeDelegate', body);
    return (await options.wallet()).removeDelegate(publicKey);
  });
  app.post(walletPaths.changeAccount, { onRequest: paired }, async ({ body }) => {
    const wanted = await parsed('changeAccount', body);
    return (await options.wallet()).changeAccount(wanted);
  });
  app.post(walletPaths.blobs, { onRequest: paired }, async ({ body }) => {
    const { objectIds } = await parsed('blobs', body);
    return { blobs: await (await options.wallet()).blobs(objectIds) };
  });
  app.post(walletPaths.deleteBlobs, { onRequest: paired }, async ({ body }) => {
    const { objectIds } = await parsed('deleteBlobs', body);
    return (await options.wallet()).deleteBlobs(objectIds);
  });
}

/** The body of a request. The schemas are loaded with the first one: most runs never get any. */
async function parsed<Name extends keyof WalletRequests>(
  name: Name,
  body: unknown,
): Promise<WalletRequests[Name]> {
  const { walletRequests } = await import('./wallet-schemas.ts');
  const { success, data } = walletRequests[name].safeParse(body);
  if (!success)
    throw new WalletRefusal(400, 'invalid_request', 'The wallet rejected this request as invalid.');
  return data as WalletRequests[Name];
}
