import { delegateAddress } from '@memrelay/chain/delegate-key';
import { fromHex, hex32Pattern } from '@memrelay/protocol/bytes';
import { checkShown, SignInFormatError } from '@memrelay/sdk/account/sign-in/sign-in-request';

/**
 * A request of MemWal's tool, in the query of its sign-in link: the tool has created an Ed25519 key itself, requests its
 * registration, and waits on a port of this machine for the result.
 */
export interface QueryRequest {
  port: number;
  /** 64 hex digits */
  publicKey: string;
  /** The address of that key */
  delegateAddress: string;
  label: string;
  relayerUrl: string;
  /** Returned unchanged with the result */
  state: string;
}

/** Parses the query of a link, ignoring unknown parameters. Throws `SignInFormatError`. */
export function parseQueryLink(query: string): QueryRequest {
  const parameters = new URLSearchParams(query);
  const text = (name: string): string => {
    const values = parameters.getAll(name);
    if (values.length !== 1) throw new SignInFormatError(`the link contains ${name} ${values.length} times`);
    return values[0]!;
  };
  const port = /^\d{4,5}$/.test(text('port')) ? Number(text('port')) : 0;
  if (port < 1024 || port > 65_535) throw new SignInFormatError('port is out of range');
  const publicKey = text('publicKey').replace(/^0x/, '').toLowerCase();
  if (!hex32Pattern.test(publicKey)) throw new SignInFormatError('publicKey must be 64 hex digits');
  const address = delegateAddress(fromHex(publicKey));
  if (text('delegateAddress').toLowerCase() !== address)
    throw new SignInFormatError('delegateAddress is not the address of publicKey');
  if (!/^[\x21-\x7e]{8,256}$/.test(text('state')))
    throw new SignInFormatError('state must have 8 to 256 visible characters');
  const request = {
    port,
    publicKey,
    delegateAddress: address,
    label: text('label'),
    relayerUrl: text('relayer'),
    state: text('state'),
  };
  checkShown(request);
  return request;
}
