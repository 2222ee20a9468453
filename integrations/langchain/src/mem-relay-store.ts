import {
  BaseStore,
  type GetOperation,
  type Item,
  type ListNamespacesOperation,
  type Operation,
  type OperationResults,
  type PutOperation,
  type SearchItem,
  type SearchOperation,
} from '@langchain/langgraph-checkpoint';
import { listRecords, removeRecords, writeRecords } from '@memrelay/adapter/records';
import type { MemRelay } from '@memrelay/sdk';
import { matchingNamespaces, passes } from './item-filters.ts';
import { itemName, itemOf, itemTags, itemText, keyTag, prefixTag, unindexed } from './store-items.ts';

/** What the store calls of a client. */
export type MemRelayStoreClient = Pick<MemRelay, 'memories' | 'rememberBulk' | 'forget' | 'recall'>;

export interface MemRelayStoreOptions {
  memory: MemRelayStoreClient;
  /**
   * Where the items are. Use a namespace of their own. The namespaces of LangGraph are inside, encrypted; the server sees only this
   * one.
   */
  namespace: string;
}

/** A recall returns at most this many */
const maxHits = 100;

/**
 * A store of LangGraph. Each item is one memory: its value is searched by meaning as a whole, unless it was put with
 * `index: false`. Putting an item again replaces it, deleting removes it permanently. Reads see all accepted writes, except that a
 * search with a query finds an item only once it is embedded, usually within milliseconds.
 *
 * A search without a query reads all items below its prefix, and `listNamespaces` all items of the store.
 */
export class MemRelayStore extends BaseStore {
  readonly #memory: MemRelayStoreClient;
  readonly #namespace: string;

  constructor({ memory, namespace }: MemRelayStoreOptions) {
    super();
    this.#memory = memory;
    this.#namespace = namespace;
  }

  /** The reads see the state before the writes of the same batch. Of several writes to one key the last one counts. */
  override async batch<Op extends Operation[]>(operations: Op): Promise<OperationResults<Op>> {
    const results = await Promise.all(operations.map((operation) => this.#read(operation)));
    const writes = operations.filter((operation): operation is PutOperation => 'value' in operation);
    await this.#write([...new Map(writes.map((each) => [itemName(each), each])).values()]);
    return results as OperationResults<Op>;
  }

  #read(operation: Operation): Promise<unknown> | undefined {
    if ('namespacePrefix' in operation) return this.#search(operation);
    if ('value' in operation) return undefined;
    if ('key' in operation) return this.#get(operation);
    return this.#listNamespaces(operation);
  }

  async #get({ namespace, key }: GetOperation): Promise<Item | null> {
    const [newest] = await this.#versions(namespace, key, 1);
    return newest?.item ?? null;
  }

  #search(operation: SearchOperation): Promise<SearchItem[]> {
    return operation.query ? this.#recall(operation, operation.query) : this.#scan(operation);
  }

  async #recall({ namespacePrefix, filter, limit = 10, offset = 0 }: SearchOperation, query: string) {
    const { results } = await this.#memory.recall(query, {
      namespace: this.#namespace,
      tags: { all: [await prefixTag(namespacePrefix)], not: [unindexed] },
      limit: filter ? maxHits : Math.min(offset + limit, maxHits),
      explain: true,
    });
    const items = results.map(({ text, score }) => ({
      ...itemOf(text),
      ...(score === undefined ? {} : { score }),
    }));
    return newestOf(items)
      .filter(({ value }) => passes(value, filter))
      .slice(offset, offset + limit);
  }

  async #scan({ namespacePrefix, filter, limit = 10, offset = 0 }: SearchOperation): Promise<SearchItem[]> {
    const seen = new Set<string>();
    const found: SearchItem[] = [];
    for await (const item of this.#items(namespacePrefix)) {
      if (found.length >= offset + limit) break;
      const name = itemName(item);
      // The first version is the newest
      if (!seen.has(name) && passes(item.value, filter)) found.push(item);
      seen.add(name);
    }
    return found.slice(offset);
  }

  async #listNamespaces(operation: ListNamespacesOperation): Promise<string[][]> {
    const namespaces: string[][] = [];
    for await (const { namespace } of this.#items([])) namespaces.push(namespace);
    return matchingNamespaces(namespaces, operation);
  }

  async *#items(prefix: readonly string[]): AsyncGenerator<Item, void, undefined> {
    const records = listRecords(this.#memory, this.#namespace, [await prefixTag(prefix)]);
    for await (const { text } of records) yield itemOf(text);
  }

  /** The versions of an item, newest first: more than one only after writes at the same time, or an interrupted one. */
  async #versions(namespace: string[], key: string, limit?: number): Promise<{ id: string; item: Item }[]> {
    const found: { id: string; item: Item }[] = [];
    const records = listRecords(this.#memory, this.#namespace, [await keyTag(namespace, key)], limit);
    for await (const { id, text } of records) {
      found.push({ id, item: itemOf(text) });
      if (found.length === limit) break;
    }
    return found;
  }

  /** Stores the new versions before it removes the old ones, so that nothing is lost if it is interrupted. */
  async #write(operations: readonly PutOperation[]): Promise<void> {
    if (operations.length === 0) return;
    const old = await Promise.all(operations.map(({ namespace, key }) => this.#versions(namespace, key)));
    const updatedAt = new Date();
    const records = operations.map(async ({ namespace, key, value, index }, i) => {
      if (value === null) return [];
      const createdAt = old[i]!.at(-1)?.item.createdAt ?? updatedAt;
      const text = itemText({ namespace, key, value, createdAt, updatedAt });
      return [{ text, tags: await itemTags(namespace, key, index !== false) }];
    });
    await writeRecords(this.#memory, this.#namespace, (await Promise.all(records)).flat());
    const replaced = old.flat().map(({ id }) => id);
    await removeRecords(this.#memory, this.#namespace, replaced);
  }
}

/** Of several versions of an item only the newest, in the order of the first. */
function newestOf<I extends Item>(items: readonly I[]): I[] {
  const newest = new Map<string, I>();
  for (const item of items) {
    const known = newest.get(itemName(item));
    if (!known || known.updatedAt < item.updatedAt) newest.set(itemName(item), item);
  }
  return [...newest.values()];
}
