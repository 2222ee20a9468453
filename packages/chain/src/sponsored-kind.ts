import { normalizeAddress } from '@memrelay/protocol/address';
import { fromBase64, toBase64, toHex } from '@memrelay/protocol/bytes';
import { bcs } from '@mysten/sui/bcs';

/**
 * Which transactions a sponsor may pay for (decisions.md, "Sponsor routes"): functions of the account module, and
 * deleting or extending blobs. The chain itself checks that the blobs are the sender's own. All other commands are
 * rejected, except for transferring to the sender what a deletion returns.
 */

export interface SponsorPolicy {
  packageId: string;
  walrusPackageId: string;
}

/** The transaction is not sponsored. The message may be shown to the caller. */
export class UnsponsorableError extends Error {
  override name = 'UnsponsorableError';
}

const accountFunctions = [
  'create_account',
  'new_account',
  'share_account',
  'add_delegate_key',
  'add_delegate_key_scoped',
  'set_delegate_scope',
  'remove_delegate_key',
  'prune_expired',
  'rotate_key_epoch',
  'deactivate_account',
  'reactivate_account',
  'offer_owner',
  'cancel_offer',
  'accept_owner',
  'set_recovery_key',
] as const;

/** Limited because each command costs gas. The body limit of the route may allow fewer. */
const maxCommands = 64;

type Program = NonNullable<(typeof bcs.TransactionKind.$inferType)['ProgrammableTransaction']>;
type Command = Program['commands'][number];
type Argument = Extract<Command, { $kind: 'MergeCoins' }>['MergeCoins']['destination'];

/**
 * Checks a transaction kind and returns the functions that it calls, as `package::module::function`. Throws
 * `UnsponsorableError` if any part of it is not allowed.
 */
export function sponsoredTargets(kind: Uint8Array, sender: string, policy: SponsorPolicy): string[] {
  const { inputs, commands } = parseProgram(kind);
  if (commands.length === 0 || commands.length > maxCommands)
    throw new UnsponsorableError(`a sponsored transaction has 1 to ${maxCommands} commands`);
  const account = `${normalizeAddress(policy.packageId)}::account::`;
  const deletion = `${normalizeAddress(policy.walrusPackageId)}::system::delete_blob`;
  const extension = `${normalizeAddress(policy.walrusPackageId)}::system::extend_blob`;
  const allowed = new Set([...accountFunctions.map((name) => account + name), deletion, extension]);
  const targets = commands.map(targetOf);

  commands.forEach((command, index) => {
    if (command.$kind === 'MoveCall') {
      const target = targets[index]!;
      if (!allowed.has(target)) throw new UnsponsorableError(`${target} is not sponsored`);
      if (command.MoveCall.arguments.some(({ $kind }) => $kind === 'GasCoin'))
        throw new UnsponsorableError('the gas coin is not for the sender to use');
      return;
    }
    if (command.$kind !== 'TransferObjects')
      throw new UnsponsorableError(`${command.$kind} is not sponsored`);
    const { objects, address } = command.TransferObjects;
    const freed = objects.every((object) => {
      const from = resultOf(object);
      return from !== undefined && targets[from] === deletion;
    });
    const toSender = address.$kind === 'Input' && pureAddress(inputs[address.Input]) === sender;
    if (!freed || !toSender)
      throw new UnsponsorableError('only what a deletion gives back may be transferred, to the sender');
  });
  return [...new Set(targets.filter((target) => target !== undefined))];
}

/** Parses the bytes. Throws if they are not the canonical encoding, because then the executed transaction could differ from the checked one. */
function parseProgram(bytes: Uint8Array): Program {
  try {
    const kind = bcs.TransactionKind.parse(bytes);
    const again = bcs.TransactionKind.serialize(kind).toBytes();
    if (kind.ProgrammableTransaction && toBase64(again) === toBase64(bytes))
      return kind.ProgrammableTransaction;
  } catch {
    // falls through
  }
  throw new UnsponsorableError('these are not the bytes of a programmable transaction kind');
}

function targetOf(command: Command): string | undefined {
  if (command.$kind !== 'MoveCall') return undefined;
  const { package: packageId, module, function: name } = command.MoveCall;
  return `${normalizeAddress(packageId)}::${module}::${name}`;
}

/** Index of the command that an argument is a result of. */
function resultOf(argument: Argument): number | undefined {
  if (argument.$kind === 'Result') return argument.Result;
  return argument.$kind === 'NestedResult' ? argument.NestedResult[0] : undefined;
}

function pureAddress(input: Program['inputs'][number] | undefined): string | undefined {
  const bytes = input?.$kind === 'Pure' ? fromBase64(input.Pure.bytes) : undefined;
  return bytes?.length === 32 ? `0x${toHex(bytes)}` : undefined;
}
