import { createHostRules } from '@memrelay/protocol/host-rules';

/** Those of a relayer that listens where it does by default. */
export const loopbackHosts = createHostRules({ isLoopback: true });
