import { grpcStatus, RequestRefused } from './failure.ts';
import type { TransactionData } from './transaction-data.ts';

/** Limits of Sui's protocol, which limit the work of a single transaction. */
const maxTransactionBytes = 128 * 1024;
const maxCommands = 1024;
const maxArguments = 512;
const maxTypeArguments = 16;
const maxPureBytes = 16 * 1024;
const maxInputs = 2048;
const maxGasCoins = 256;

/** Throws `RequestRefused` for a transaction that exceeds a limit. `bytes` is its encoding. */
export function checkLimits({ program, gasData }: TransactionData, bytes: Uint8Array): void {
  atMost(maxTransactionBytes, bytes.length, 'serialized transaction size');
  atMost(maxCommands, program.commands.length, 'commands in a programmable transaction');
  atMost(maxInputs, program.inputs.length, 'inputs in a transaction');
  atMost(maxGasCoins, gasData.payment.length, 'gas payment objects');
  for (const input of program.inputs) {
    if (input.$kind === 'Pure') atMost(maxPureBytes, decodedLength(input.Pure.bytes), 'pure argument size');
  }
  for (const command of program.commands) {
    atMost(maxArguments, argumentCount(command), 'arguments in a command');
    if (command.$kind === 'MoveCall')
      atMost(maxTypeArguments, command.MoveCall.typeArguments.length, 'type arguments');
  }
}

function atMost(limit: number, value: number, what: string): void {
  if (value > limit)
    throw new RequestRefused(
      grpcStatus.invalidArgument,
      `Size limit exceeded: maximum ${what} is ${limit}, got ${value}`,
    );
}

/** Number of bytes in a base64 text. */
function decodedLength(base64: string): number {
  return Buffer.byteLength(base64, 'base64');
}

function argumentCount(command: TransactionData['program']['commands'][number]): number {
  switch (command.$kind) {
    case 'MoveCall':
      return command.MoveCall.arguments.length;
    case 'SplitCoins':
      return command.SplitCoins.amounts.length;
    case 'MergeCoins':
      return command.MergeCoins.sources.length;
    case 'TransferObjects':
      return command.TransferObjects.objects.length;
    case 'MakeMoveVec':
      return command.MakeMoveVec.elements.length;
    default:
      return 0;
  }
}
