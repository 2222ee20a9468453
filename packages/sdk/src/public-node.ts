/** `@memrelay/sdk/credentials`: credential files, in Node only. */
export { credentialPaths, type LoadCredentialsOptions, loadCredentials } from './credentials-node.ts';
export { saveCredentials, signInCredentialsPath } from './save-credentials-node.ts';
