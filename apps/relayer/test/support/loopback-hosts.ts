import { createHostRules } from '@memrelay/protocol/host-rules';

/** Those of a relayer that listens on its default address. */
export const loopbackHosts = createHostRules({ isLoopback: true });
