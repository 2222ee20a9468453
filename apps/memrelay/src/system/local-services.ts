import { hostParts } from '@memrelay/process/host-parts';
import type { PartStarter } from '@memrelay/process/part';

/** A build replaces each URL with that of the bundled file (scripts/build/follow-urls.mjs). */
const modules = {
  localnet: new URL('../../../localnet/src/start-localnet.ts', import.meta.url),
  blobstore: new URL('../../../blobstore/src/start-blob-store.ts', import.meta.url),
  dashboard: new URL('../../../dashboard/src/node-start.ts', import.meta.url),
};

const starterOf = async (name: keyof typeof modules): Promise<PartStarter> =>
  ((await import(modules[name].href)) as { startPart: PartStarter }).startPart;

/** The process that localnet, blob store and dashboard of a local system share. */
hostParts({
  localnet: () => starterOf('localnet'),
  blobstore: () => starterOf('blobstore'),
  dashboard: () => starterOf('dashboard'),
});
