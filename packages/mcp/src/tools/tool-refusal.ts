import { CodedError } from '@memrelay/protocol/coded-error';

/**
 * A call that cannot be served, with a message for the agent: what is missing and what to do. Hosts throw it from `client()`
 * (no one is signed in, the credential file is unusable). It becomes an `isError` result, never a protocol error.
 */
export class ToolRefusal extends CodedError {
  override name = 'ToolRefusal';
}
