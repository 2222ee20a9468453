import { GrpcTypes } from '@mysten/sui/grpc';
import type { Chain } from '../chain/chain.ts';
import { grpcStatus, RequestRefused } from '../execution/failure.ts';
import { referenceGasPrice } from '../execution/gas.ts';
import { executedToProto } from '../proto/executed-to-proto.ts';
import { ReadMask } from '../proto/read-mask.ts';
import { transactionFromProto } from '../proto/transaction-from-proto.ts';
import { type ServiceHandlers, unary } from './handlers.ts';

/** `sui.rpc.v2.TransactionExecutionService`. */
export function executionService(chain: Chain): ServiceHandlers {
  return {
    ExecuteTransaction: unary(async (request: GrpcTypes.ExecuteTransactionRequest) => {
      const bytes = request.transaction?.bcs?.value;
      if (!bytes) throw refused('transaction.bcs is missing');
      const signatures = request.signatures.map(({ bcs }) => {
        if (!bcs?.value) throw refused('signatures.bcs is missing');
        return Buffer.from(bcs.value).toString('base64');
      });
      const executed = await chain.execute(bytes, signatures);
      return {
        transaction: new ReadMask(request.readMask, ['effects.status', 'checkpoint']).apply(executed),
      };
    }),
    SimulateTransaction: unary((request: GrpcTypes.SimulateTransactionRequest) => simulate(chain, request)),
  };
}

function simulate(
  chain: Chain,
  request: GrpcTypes.SimulateTransactionRequest,
): GrpcTypes.SimulateTransactionResponse {
  if (!request.transaction) throw refused('transaction is missing');
  const outcome = chain.simulate(
    request.transaction.bcs?.value ?? transactionFromProto(request.transaction),
    {
      chooseGas: request.doGasSelection ?? false,
      checks: request.checks !== GrpcTypes.SimulateTransactionRequest_TransactionChecks.DISABLED,
    },
  );
  const mask = new ReadMask(request.readMask, ['*']);
  return mask.apply(
    GrpcTypes.SimulateTransactionResponse.create({
      transaction: executedToProto(outcome, { signatures: [] }),
      commandOutputs: outcome.returned.map((values) => ({
        returnValues: values.map(({ type, bytes }) => ({ value: { name: type, value: bytes } })),
        mutatedByRef: [],
      })),
      suggestedGasPrice: referenceGasPrice,
    }),
  );
}

function refused(message: string): RequestRefused {
  return new RequestRefused(grpcStatus.invalidArgument, message);
}
