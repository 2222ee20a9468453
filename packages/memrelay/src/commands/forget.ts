import { defaultNamespace } from '@memrelay/protocol/limits';
import { chunksOf } from '@memrelay/sdk/chunks';
import { type ConnectOptions, type NamespaceOption, withClient } from '../connect.ts';
import { ExitError, exitCodes } from '../exit-codes.ts';
import type { Output } from '../output.ts';
import { confirm } from '../owner/confirm.ts';

export interface ForgetCommandOptions extends ConnectOptions, NamespaceOption {
  /** Everything in the namespace */
  all?: boolean;
  /** Everything in every namespace of the account */
  everything?: boolean;
  yes?: boolean;
}

/** What the relayer takes in one request. */
const idsPerCall = 200;

/** Removes memories for good: those with these ids, those of a namespace, or all. */
export async function forget(
  output: Output,
  ids: readonly string[],
  options: ForgetCommandOptions,
): Promise<void> {
  const { all, everything } = options;
  if ([ids.length > 0, all, everything].filter(Boolean).length !== 1)
    throw new ExitError(
      exitCodes.usage,
      'Name memories by their ids, or say --all for a namespace, or --everything for all namespaces.',
    );
  await withClient(options, async ({ client }) => {
    const namespaces = everything
      ? (await client.namespaces()).map(({ namespace }) => namespace)
      : [options.namespace ?? defaultNamespace];
    await confirm(
      output,
      ids.length > 0 ? `Forget ${memories(ids.length)}` : 'Forget all memories',
      [['In', namespaces.length > 0 ? namespaces.join(', ') : 'no namespace: there is nothing']],
      options.yes,
      { question: 'They cannot be brought back. Forget them?', declined: 'Nothing was forgotten' },
    );
    const calls = namespaces.flatMap((namespace) =>
      ids.length > 0 ? chunksOf(ids, idsPerCall).map((part) => ({ namespace, ids: part })) : [{ namespace }],
    );
    let deleted = 0;
    const blobs: string[] = [];
    output.step('Forgetting');
    for (const call of calls) {
      const gone = await client.forget(call);
      deleted += gone.deleted;
      blobs.push(...gone.blobsToDelete);
      output.progress(() => `${deleted} forgotten`);
    }
    output.done();
    output.result({ deleted, namespaces, blobs_to_delete: blobs });
    output.line(`Forgotten: ${memories(deleted)}.`);
    if (blobs.length > 0)
      output.line(
        `What is left is yours: the encrypted blobs. Until you delete them, whoever kept a key can read them:\n  npx memrelay blobs delete ${blobs.join(' ')}`,
      );
  });
}

function memories(count: number): string {
  return `${count} ${count === 1 ? 'memory' : 'memories'}`;
}
