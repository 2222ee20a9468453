import { grpcStatus, RequestRefused } from '../execution/failure.ts';
import { type ServiceHandlers, unary } from './handlers.ts';

const noNames = () => {
  throw new RequestRefused(grpcStatus.notFound, 'the localnet has no name service');
};

/** `sui.rpc.v2.NameService`: nothing has a name here. */
export const nameService: ServiceHandlers = { LookupName: unary(noNames), ReverseLookupName: unary(noNames) };
