import { GrpcTypes } from '@mysten/sui/grpc';
import type { Chain } from '../chain/chain.ts';
import { grpcStatus, RequestRefused } from '../execution/failure.ts';
import { functionToProto, moduleToProto } from '../proto/signature-to-proto.ts';
import { requireAddress } from './addresses.ts';
import { type ServiceHandlers, unary } from './handlers.ts';

/** `sui.rpc.v2.MovePackageService`. Packages are native and have one version. */
export function packageService({ modules }: Chain): ServiceHandlers {
  return {
    GetPackage: unary((request: GrpcTypes.GetPackageRequest) => {
      const storageId = requireAddress(request.packageId, 'package_id');
      const found = modules.modulesOf(storageId);
      if (found.length === 0) throw notFound(`Package ${storageId}`);
      return {
        package: GrpcTypes.Package.create({
          storageId,
          originalId: storageId,
          version: 1n,
          modules: found.map(moduleToProto),
        }),
      };
    }),
    GetFunction: unary((request: GrpcTypes.GetFunctionRequest) => {
      const packageId = requireAddress(request.packageId, 'package_id');
      const { moduleName = '', name = '' } = request;
      const definition = modules.function(packageId, moduleName, name);
      if (!definition) throw notFound(`Function ${packageId}::${moduleName}::${name}`);
      return { function: functionToProto(name, definition) };
    }),
    ListPackageVersions: unary((request: GrpcTypes.ListPackageVersionsRequest) => {
      const packageId = requireAddress(request.packageId, 'package_id');
      if (modules.modulesOf(packageId).length === 0) throw notFound(`Package ${packageId}`);
      return { versions: [{ packageId, version: 1n }] };
    }),
  };
}

function notFound(what: string): RequestRefused {
  return new RequestRefused(grpcStatus.notFound, `${what} not found`);
}
