import type { Item } from '@langchain/langgraph-checkpoint';
import { tagOf } from '@memrelay/adapter/records';

/** An item as the text of its memory. The value is first, because that is what a search should find. */
interface ItemRecord {
  value: Record<string, unknown>;
  namespace: string[];
  key: string;
  createdAt: string;
  updatedAt: string;
  /** Keeps equal items apart: the relayer stores each text once */
  id: string;
}

/** Tags per memory, without the one of the key and the one of unindexed items */
const maxDepth = 30;
/** The tag of items that a search by meaning leaves out */
export const unindexed = 'unindexed';

export function itemText(item: Item): string {
  const record: ItemRecord = {
    value: item.value,
    namespace: item.namespace,
    key: item.key,
    createdAt: item.createdAt.toISOString(),
    updatedAt: item.updatedAt.toISOString(),
    id: crypto.randomUUID(),
  };
  return JSON.stringify(record);
}

export function itemOf(text: string): Item {
  const { value, namespace, key, createdAt, updatedAt } = JSON.parse(text) as ItemRecord;
  return { value, namespace, key, createdAt: new Date(createdAt), updatedAt: new Date(updatedAt) };
}

/** The tag that all items have below a prefix; an empty prefix has all items. */
export function prefixTag(prefix: readonly string[]): Promise<string> {
  return tagOf('in', ...prefix);
}

/** The tag that only the item with this key has. */
export function keyTag(namespace: readonly string[], key: string): Promise<string> {
  return tagOf('item', ...namespace, key);
}

/** All tags of an item. Throws if its namespace is too deep. */
export async function itemTags(
  namespace: readonly string[],
  key: string,
  isIndexed: boolean,
): Promise<string[]> {
  if (namespace.length >= maxDepth)
    throw new Error(`A namespace has at most ${maxDepth - 1} parts; this one has ${namespace.length}.`);
  const prefixes = namespace.map((_, i) => prefixTag(namespace.slice(0, i + 1)));
  const tags = await Promise.all([keyTag(namespace, key), prefixTag([]), ...prefixes]);
  return isIndexed ? tags : [...tags, unindexed];
}

/** One name for each item, to tell newer from older versions. */
export function itemName({ namespace, key }: Pick<Item, 'namespace' | 'key'>): string {
  return JSON.stringify([namespace, key]);
}
