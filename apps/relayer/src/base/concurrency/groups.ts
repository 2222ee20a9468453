import { outsideRequests } from '@memrelay/process/request-scope';

export interface GroupOptions<Item, Answer> {
  /** Returns an answer for each item, in their order; an answer may be a promise. If it throws, all items fail. */
  run(items: readonly Item[]): Promise<readonly (Answer | PromiseLike<Answer>)[]>;
  /** Groups that may run at the same time. While they do, items wait for the next group. Default: any number */
  atOnce?: number;
  /** Items in one group */
  maxItems: number;
  /** Total size of a group that has several items; default: any */
  maxSize?: number;
  sizeOf?(item: Item): number;
  /** Items with the same key run one after the other, in different groups. Default: no keys */
  keyOf?(item: Item): string | undefined;
}

interface Entry<Item, Answer> {
  item: Item;
  resolve(answer: Answer | PromiseLike<Answer>): void;
  reject(reason: unknown): void;
}

/**
 * Returns a function that runs items in groups, in the order in which they were given. A group begins at the end of the
 * present turn of the event loop, so an item on its own does not wait for others.
 */
export function createGroups<Item, Answer>(
  options: GroupOptions<Item, Answer>,
): (item: Item) => Promise<Answer> {
  const { run, atOnce = Infinity, maxItems, maxSize = Infinity, sizeOf = () => 0, keyOf } = options;
  let waiting: Entry<Item, Answer>[] = [];
  let running = 0;
  let scheduled = false;
  const runningKeys = new Set<string>();

  function takeGroup(): Entry<Item, Answer>[] {
    const group: Entry<Item, Answer>[] = [];
    const left: Entry<Item, Answer>[] = [];
    const keys = new Set(runningKeys);
    let size = 0;
    let isFull = false;
    for (const entry of waiting) {
      const key = keyOf?.(entry.item);
      size += isFull ? 0 : sizeOf(entry.item);
      isFull ||= group.length === maxItems || (group.length > 0 && size > maxSize);
      if (isFull || (key !== undefined && keys.has(key))) left.push(entry);
      else {
        group.push(entry);
        if (key !== undefined) runningKeys.add(key);
      }
      if (key !== undefined) keys.add(key);
    }
    waiting = left;
    return group;
  }

  async function runGroup(group: readonly Entry<Item, Answer>[]): Promise<void> {
    try {
      const answers = await run(group.map(({ item }) => item));
      for (const [i, { resolve }] of group.entries()) resolve(answers[i]!);
    } catch (error) {
      for (const { reject } of group) reject(error);
    } finally {
      running -= 1;
      for (const { item } of group) runningKeys.delete(keyOf?.(item) ?? '');
      schedule();
    }
  }

  function start(): void {
    scheduled = false;
    while (running < atOnce) {
      const group = takeGroup();
      if (group.length === 0) return;
      running += 1;
      void runGroup(group);
    }
  }

  const later = outsideRequests(() => setImmediate(start));
  function schedule(): void {
    if (scheduled || waiting.length === 0 || running >= atOnce) return;
    scheduled = true;
    later();
  }

  return (item) => {
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    waiting.push({ item, resolve, reject });
    schedule();
    return promise;
  };
}
