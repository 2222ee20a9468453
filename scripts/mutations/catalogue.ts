import { abuseMutations } from './catalogue/abuse.ts';
import { accountMutations } from './catalogue/account.ts';
import { apiMutations } from './catalogue/api.ts';
import { authenticationMutations } from './catalogue/authentication.ts';
import { blobStoreMutations } from './catalogue/blob-store.ts';
import { configurationMutations } from './catalogue/configuration.ts';
import { envelopeMutations } from './catalogue/envelope.ts';
import { fieldMutations } from './catalogue/fields.ts';
import { frameworkMutations } from './catalogue/frameworks.ts';
import { recallMutations } from './catalogue/recall.ts';
import { toolMutations } from './catalogue/tools.ts';
import type { Mutation } from './mutation.ts';

/** All mutations. */
export const mutations: readonly Mutation[] = [
  ...apiMutations,
  ...fieldMutations,
  ...authenticationMutations,
  ...envelopeMutations,
  ...configurationMutations,
  ...toolMutations,
  ...recallMutations,
  ...accountMutations,
  ...blobStoreMutations,
  ...abuseMutations,
  ...frameworkMutations,
];
