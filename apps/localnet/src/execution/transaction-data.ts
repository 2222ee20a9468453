import { bcs } from '@mysten/sui/bcs';
import type { ProgrammableTransaction } from './executor.ts';
import { grpcStatus, RequestRefused } from './failure.ts';

type DataV1 = typeof bcs.TransactionDataV1.$inferType;
export type Expiration = DataV1['expiration'];
export type GasData = DataV1['gasData'];
export type CallArg = ProgrammableTransaction['inputs'][number];

/** A transaction with all inputs resolved, in the format of the SDK's BCS codecs (u64 as decimal text). */
export interface TransactionData {
  sender: string;
  program: ProgrammableTransaction;
  gasData: GasData;
  expiration: Expiration;
}

/** The bytes that are signed. */
export function encodeTransaction(data: TransactionData): Uint8Array<ArrayBuffer> {
  return bcs.TransactionData.serialize({
    V1: {
      kind: { ProgrammableTransaction: data.program },
      sender: data.sender,
      gasData: data.gasData,
      expiration: data.expiration,
    },
  }).toBytes();
}

/**
 * Decodes a programmable transaction. Throws `RequestRefused` for other bytes, and for non-canonical encodings,
 * because two encodings of one transaction would have two digests and could both be executed.
 */
export function decodeTransaction(bytes: Uint8Array): TransactionData {
  let decoded: DataV1;
  try {
    decoded = bcs.TransactionData.parse(bytes).V1;
  } catch {
    throw new RequestRefused(grpcStatus.invalidArgument, 'transaction.bcs is not a valid TransactionData');
  }
  const { kind, sender, gasData, expiration } = decoded;
  if (!kind.ProgrammableTransaction) {
    throw new RequestRefused(grpcStatus.invalidArgument, 'only programmable transactions can be sent');
  }
  const data = { sender, program: kind.ProgrammableTransaction, gasData, expiration };
  if (Buffer.compare(encodeTransaction(data), bytes) !== 0) {
    throw new RequestRefused(grpcStatus.invalidArgument, 'transaction.bcs is not canonical BCS');
  }
  return data;
}

/** Called functions as `package::module::function`. */
export function calledFunctions(program: ProgrammableTransaction): string[] {
  return program.commands.flatMap((command) =>
    command.$kind === 'MoveCall'
      ? [`${command.MoveCall.package}::${command.MoveCall.module}::${command.MoveCall.function}`]
      : [],
  );
}
