import { createBlsVerifier } from '@memrelay/chain/walrus-bls';
import { storageNodesAnnouncement } from '@memrelay/chain/walrus-committee';
import type { FastifyPluginAsync } from 'fastify';
import type { Network } from './network.ts';

const maxUrlLength = 256;

/**
 * `POST /storage-nodes {url, signature}`: the process that runs the storage nodes announces their URL, signed
 * (base64) by all of them. It replaces the transactions in which the nodes of a real network set their addresses.
 */
export function storageNodeRoutes(network: Network, chainId: () => string): FastifyPluginAsync {
  const verify = createBlsVerifier(network.committee.publicKey);
  return async (app) => {
    app.post<{ Body: { url?: unknown; signature?: unknown } | null }>('/', async ({ body }, reply) => {
      const { url, signature } = body ?? {};
      if (!isBaseUrl(url)) {
        return reply
          .code(400)
          .send({ error: 'invalid_request', message: 'url must be an http or https URL' });
      }
      const message = storageNodesAnnouncement(chainId(), url);
      if (!verify([{ message, signature: Buffer.from(String(signature), 'base64') }])) {
        return reply
          .code(401)
          .send({ error: 'unauthorized', message: 'the signature is not from the storage nodes' });
      }
      network.registerStorageNodes(url);
      return { url };
    });
  };
}

function isBaseUrl(value: unknown): value is string {
  if (typeof value !== 'string' || value.length > maxUrlLength || !URL.canParse(value)) return false;
  const { protocol, search, hash, username } = new URL(value);
  return ['http:', 'https:'].includes(protocol) && search + hash + username === '';
}
