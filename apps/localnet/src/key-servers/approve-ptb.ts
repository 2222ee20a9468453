import { bcs } from '@mysten/sui/bcs';
import { fromBase64, toBase64 } from '@mysten/sui/utils';
import { KeyServerError } from './key-server-error.ts';

const maxCommands = 100;

/** A transaction that only calls `seal_approve*` functions of one package. */
export interface ApprovePtb {
  /** BCS `ProgrammableTransaction` */
  readonly bytes: Uint8Array;
  readonly packageId: string;
  /** First argument of each call: the requested identity, without the package prefix */
  readonly innerIds: readonly Uint8Array[];
}

/**
 * Parses the `ptb` field of a key request and checks the rules of Seal's server: 1–100 commands, all calls to
 * functions of one package whose names start with `seal_approve`. All arguments are inputs, and the first is an
 * identity. Throws `InvalidPTB`.
 */
export function parseApprovePtb(base64: string): ApprovePtb {
  const bytes = decodeCanonical(base64);
  const ptb = bcs.ProgrammableTransaction.parse(bytes);
  if (ptb.inputs.length === 0 || ptb.commands.length === 0) throw invalid('Empty PTB input or command');
  if (ptb.commands.length > maxCommands) throw invalid('Too many commands');

  const calls = ptb.commands.map((command) => {
    if (command.$kind !== 'MoveCall') throw invalid('Invalid PTB non move call command');
    return command.MoveCall;
  });
  const packageId = calls[0]!.package;
  const innerIds = calls.map((call) => {
    if (!call.function.startsWith('seal_approve') || call.package !== packageId) {
      throw invalid('Invalid function or package id');
    }
    const inputs = call.arguments.map((argument) => {
      if (argument.$kind !== 'Input') throw invalid('Arguments must be inputs');
      return ptb.inputs[argument.Input];
    });
    const first = inputs[0];
    if (first?.$kind !== 'Pure') throw invalid('Invalid first parameter for seal_approve');
    return parseIdentity(fromBase64(first.Pure.bytes));
  });
  return { bytes, packageId, innerIds };
}

/** The signature covers the serialized transaction, so a second encoding of the same one is rejected. */
function decodeCanonical(base64: string): Uint8Array {
  try {
    const bytes = fromBase64(base64);
    const again = bcs.ProgrammableTransaction.serialize(bcs.ProgrammableTransaction.parse(bytes)).toBytes();
    if (toBase64(again) === base64) return bytes;
  } catch {
    // falls through: neither base64 nor BCS
  }
  throw invalid('Invalid BCS');
}

function parseIdentity(pure: Uint8Array): Uint8Array {
  try {
    const id = bcs.byteVector().parse(pure);
    if (bcs.byteVector().serialize(id).toBytes().length === pure.length) return id;
  } catch {
    // falls through: not a vector of bytes
  }
  throw invalid('Invalid BCS for first parameter for seal_approve');
}

function invalid(message: string): KeyServerError {
  return new KeyServerError('InvalidPTB', message);
}
