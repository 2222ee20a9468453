import type { MemRelay } from '@memrelay/sdk/mem-relay';
import type { MemRelayOptions } from '@memrelay/sdk/types';
import { createTestBackend, type TestBackend } from './test-backend.ts';
import { startTestNetwork, type TestNetwork } from './test-network.ts';
import { createTestOwner, type TestOwner } from './test-owner.ts';
import { startTestRelayer, type TestRelayer } from './test-relayer.ts';

export interface RelayerWorldOptions {
  /** Owners with an account and a delegate key. Default: 1 */
  owners?: number;
  /** Settings of the relayer, over the defaults; a function when they depend on the network */
  environment?:
    | NodeJS.ProcessEnv
    | ((network: TestNetwork) => NodeJS.ProcessEnv | Promise<NodeJS.ProcessEnv>);
}

/** A network, a database and a relayer on them, with owners and their clients: everything an endpoint test needs. */
export class RelayerWorld {
  readonly network: TestNetwork;
  readonly backend: TestBackend;
  readonly relayer: TestRelayer;
  readonly owners: readonly TestOwner[];
  readonly #clients: MemRelay[] = [];

  private constructor(
    network: TestNetwork,
    backend: TestBackend,
    relayer: TestRelayer,
    owners: readonly TestOwner[],
  ) {
    this.network = network;
    this.backend = backend;
    this.relayer = relayer;
    this.owners = owners;
  }

  /** Starts everything. If a part fails to start, the others are stopped. */
  static async create({ owners = 1, environment = {} }: RelayerWorldOptions = {}): Promise<RelayerWorld> {
    await using started = new AsyncDisposableStack();
    const [network, backend] = await allOf(
      startTestNetwork().then((each) => started.adopt(each, () => each.close())),
      createTestBackend().then((each) => started.adopt(each, () => each.drop())),
    );
    const own = typeof environment === 'function' ? await environment(network) : environment;
    const [relayer, madeOwners] = await allOf(
      startTestRelayer(network, { ...backend, environment: own }).then((each) =>
        started.adopt(each, () => each.stop()),
      ),
      Promise.all(Array.from({ length: owners }, () => createTestOwner(network))),
    );
    // From here on, `close` stops the parts
    started.move();
    return new RelayerWorld(network, backend, relayer, madeOwners);
  }

  /** The first owner */
  get owner(): TestOwner {
    return this.owners[0]!;
  }

  /** A client of the owner (the first one by default). It is destroyed with the world. */
  client(options: Partial<MemRelayOptions> = {}, owner: TestOwner = this.owner): MemRelay {
    const client = owner.client(this.relayer.url, options);
    this.#clients.push(client);
    return client;
  }

  async close(): Promise<void> {
    for (const client of this.#clients) client.destroy();
    await this.relayer.stop();
    await Promise.all([this.network.close(), this.backend.drop()]);
  }
}

/**
 * Both results, or the first failure. Waits until both have settled, so that everything they started can be stopped.
 */
async function allOf<A, B>(first: Promise<A>, second: Promise<B>): Promise<[A, B]> {
  await Promise.allSettled([first, second]);
  return Promise.all([first, second]);
}
