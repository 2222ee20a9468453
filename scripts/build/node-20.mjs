// @ts-nocheck: it defines what the type library already has
/**
 * Defines the language features that our code and dependencies use and that Node 20 or 22 lack. Each built process loads this
 * first; on Node 24 it does nothing. Contains only features in use: the tests of the built packages on Node 20 detect a missing
 * one.
 */

if (!('withResolvers' in Promise))
  define(Promise, 'withResolvers', function withResolvers() {
    let resolve;
    let reject;
    const promise = new this((onResolve, onReject) => {
      resolve = onResolve;
      reject = onReject;
    });
    return { promise, resolve, reject };
  });

if (!('groupBy' in Map))
  define(Map, 'groupBy', (items, keyOf) => {
    const groups = new Map();
    let index = 0;
    for (const item of items) {
      const key = keyOf(item, index++);
      const group = groups.get(key);
      if (group) group.push(item);
      else groups.set(key, [item]);
    }
    return groups;
  });

if (!('parse' in URL))
  define(URL, 'parse', (url, base) => (URL.canParse(url, base) ? new URL(url, base) : null));

// Node 20 has the iterators, but not their methods
const iterator = Object.getPrototypeOf(Object.getPrototypeOf([][Symbol.iterator]()));
const helpers = {
  *map(each) {
    let index = 0;
    for (const value of this) yield each(value, index++);
  },
  *filter(keep) {
    let index = 0;
    for (const value of this) if (keep(value, index++)) yield value;
  },
  *take(count) {
    if (count <= 0) return;
    let left = count;
    for (const value of this) {
      yield value;
      if (--left <= 0) return;
    }
  },
  *drop(count) {
    let left = count;
    for (const value of this) if (--left < 0) yield value;
  },
  *flatMap(each) {
    let index = 0;
    for (const value of this) yield* each(value, index++);
  },
  toArray() {
    return [...this];
  },
  forEach(each) {
    let index = 0;
    for (const value of this) each(value, index++);
  },
  find(fits) {
    let index = 0;
    for (const value of this) if (fits(value, index++)) return value;
    return undefined;
  },
  some(fits) {
    let index = 0;
    for (const value of this) if (fits(value, index++)) return true;
    return false;
  },
  every(fits) {
    let index = 0;
    for (const value of this) if (!fits(value, index++)) return false;
    return true;
  },
  reduce(combine, ...initial) {
    return [...this].reduce(combine, ...initial);
  },
};
for (const [name, helper] of Object.entries(helpers)) if (!(name in iterator)) define(iterator, name, helper);

if (typeof globalThis.AsyncDisposableStack === 'undefined')
  define(
    globalThis,
    'AsyncDisposableStack',
    class AsyncDisposableStack {
      #steps = [];
      disposed = false;

      defer(step) {
        this.#steps.push(step);
      }

      use(resource) {
        const dispose = resource?.[Symbol.asyncDispose] ?? resource?.[Symbol.dispose];
        if (dispose) this.defer(() => dispose.call(resource));
        return resource;
      }

      adopt(value, onDispose) {
        this.defer(() => onDispose(value));
        return value;
      }

      move() {
        const next = new AsyncDisposableStack();
        next.#steps = this.#steps;
        this.#steps = [];
        this.disposed = true;
        return next;
      }

      async disposeAsync() {
        this.disposed = true;
        const failures = [];
        for (const step of this.#steps.splice(0).reverse()) {
          try {
            await step();
          } catch (error) {
            failures.push(error);
          }
        }
        if (failures.length === 1) throw failures[0];
        if (failures.length > 1) throw new AggregateError(failures);
      }

      [Symbol.asyncDispose]() {
        return this.disposeAsync();
      }
    },
  );

function define(target, name, value) {
  Object.defineProperty(target, name, { value, writable: true, configurable: true, enumerable: false });
}
