import { GrpcTypes } from '@mysten/sui/grpc';
import type { Chain } from '../chain/chain.ts';
import { grpcStatus, RequestRefused } from '../execution/failure.ts';
import { executionService } from './execution-service.ts';
import { type MethodHandler, type ServiceHandlers, unary } from './handlers.ts';
import { ledgerService } from './ledger-service.ts';
import { packageService } from './package-service.ts';
import { signatureService } from './signature-service.ts';
import { stateService } from './state-service.ts';
import { subscriptionService } from './subscription-service.ts';

type ServiceType = typeof GrpcTypes.LedgerService;

/** A method with the SDK's own codecs for its messages. */
export interface Route {
  method: ServiceType['methods'][number];
  /** Undefined if this node does not support the method */
  handler: MethodHandler | undefined;
}

const noNames = () => {
  throw new RequestRefused(grpcStatus.notFound, 'the localnet has no name service');
};

/** `sui.rpc.v2.NameService`, without any names. */
const nameService: ServiceHandlers = { LookupName: unary(noNames), ReverseLookupName: unary(noNames) };

/** All methods of the services by path, for example `/sui.rpc.v2.LedgerService/GetObject`. */
export function createRoutes(chain: Chain, walType: string): Map<string, Route> {
  const services: [ServiceType, ServiceHandlers][] = [
    [GrpcTypes.LedgerService, ledgerService(chain)],
    [GrpcTypes.StateService, stateService(chain, walType)],
    [GrpcTypes.TransactionExecutionService, executionService(chain)],
    [GrpcTypes.MovePackageService, packageService(chain)],
    [GrpcTypes.SubscriptionService, subscriptionService(chain)],
    [GrpcTypes.SignatureVerificationService, signatureService],
    [GrpcTypes.NameService, nameService],
  ];
  return new Map(
    services.flatMap(([service, handlers]) =>
      service.methods.map((method): [string, Route] => [
        `/${service.typeName}/${method.name}`,
        { method, handler: handlers[method.name] },
      ]),
    ),
  );
}
