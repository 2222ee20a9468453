import { grpcStatus, RequestRefused } from '../execution/failure.ts';
import { referenceGasPrice, selectGas, suggestedBudget } from '../execution/gas.ts';
import type { ModuleRegistry } from '../execution/modules.ts';
import type { ChainStore } from '../execution/store.ts';
import type { CallArg, TransactionData } from '../execution/transaction-data.ts';
import type { OpenInput, OpenTransaction } from '../proto/transaction-from-proto.ts';

/**
 * Completes the parts of a transaction that the client left to the node: the version and digest of each object, or
 * the initial shared version and mutability (from the functions that use it), and with `chooseGas` the price,
 * budget and gas coins. Throws `RequestRefused`.
 */
export function resolveTransaction(
  store: ChainStore,
  modules: ModuleRegistry,
  open: OpenTransaction,
  chooseGas: boolean,
): TransactionData {
  const inputs = open.inputs.map((input, index) => resolveInput(store, modules, open, input, index));
  const data: TransactionData = {
    sender: open.sender,
    program: { inputs, commands: open.commands },
    gasData: {
      owner: open.gas.owner,
      payment: open.gas.payment,
      price: open.gas.price ?? referenceGasPrice.toString(),
      budget: open.gas.budget ?? suggestedBudget.toString(),
    },
    expiration: open.expiration,
  };
  if (!chooseGas) return data;
  const missing = { price: open.gas.price === undefined, budget: open.gas.budget === undefined };
  return { ...data, gasData: selectGas(store, data, missing) };
}

function resolveInput(
  store: ChainStore,
  modules: ModuleRegistry,
  open: OpenTransaction,
  input: OpenInput,
  index: number,
): CallArg {
  if (input.$kind !== 'Unresolved') return input;
  const { objectId } = input;
  const object = store.object(objectId);
  if (!object) throw new RequestRefused(grpcStatus.notFound, `object ${objectId} does not exist`);
  switch (object.owner.kind) {
    case 'object':
      throw new RequestRefused(grpcStatus.invalidArgument, `object ${objectId} is owned by another object`);
    case 'shared': {
      const mutable = isUsedMutably(modules, open, index);
      const initialSharedVersion = object.owner.initialVersion.toString();
      return {
        $kind: 'Object',
        Object: { $kind: 'SharedObject', SharedObject: { objectId, initialSharedVersion, mutable } },
      };
    }
    default: {
      const reference = { objectId, version: object.version.toString(), digest: object.digest };
      return { $kind: 'Object', Object: { $kind: 'ImmOrOwnedObject', ImmOrOwnedObject: reference } };
    }
  }
}

/** Whether any command takes the input by value or by mutable reference. */
function isUsedMutably(modules: ModuleRegistry, open: OpenTransaction, index: number): boolean {
  return open.commands.some((command) => {
    // Built-in commands always modify or consume their objects.
    if (command.$kind !== 'MoveCall') return true;
    const call = command.MoveCall;
    const definition = modules.function(call.package, call.module, call.function);
    return call.arguments.some((argument, position) => {
      if (argument.$kind !== 'Input' || argument.Input !== index) return false;
      const param = definition?.params[position];
      return param?.kind === 'own' || (param?.kind === 'ref' && param.mutable);
    });
  });
}
