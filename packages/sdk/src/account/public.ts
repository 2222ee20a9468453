/** `@memrelay/sdk/account`: what only the owner of an account can do, on chain. Needs `@mysten/sui`. */
export {
  type Account,
  AccountOwner,
  type AccountOwnerOptions,
  type DelegateKey,
  type Done,
  type FirstDelegate,
  type OwnedBlob,
  type Scope,
} from './account-owner.ts';
export { type AccountNetwork, readNetwork } from './network.ts';
export { isRecoverable, type RecoveryKey, recoveryKey, wrapWithRecoveryKey } from './recovery.ts';
export { createSponsorClient, type SponsorClient } from './sponsor.ts';
