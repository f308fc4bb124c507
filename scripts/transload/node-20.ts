/**
 * What Node 20 lacks of the language, for the built command alone: in a checkout, npm's scripts run on Node 24. Each is put
 * in where it is missing, as the standard has it, as far as it is used.
 */

type Method = (...args: never[]) => unknown;

function putIn(target: object, methods: Readonly<Record<string, Method>>): void {
  for (const [name, value] of Object.entries(methods)) {
    if (!(name in target)) Object.defineProperty(target, name, { value, writable: true, configurable: true });
  }
}

putIn(Map, {
  groupBy<K, T>(items: Iterable<T>, keyOf: (item: T, at: number) => K): Map<K, T[]> {
    const groups = new Map<K, T[]>();
    let at = 0;
    for (const item of items) {
      const key = keyOf(item, at++);
      const group = groups.get(key);
      if (group === undefined) groups.set(key, [item]);
      else group.push(item);
    }
    return groups;
  },
});

putIn(Promise, {
  withResolvers<T>() {
    let [resolve, reject]: [(value: T) => void, (reason: unknown) => void] = [() => undefined, () => undefined];
    const promise = new Promise<T>((done, fail) => {
      [resolve, reject] = [done, fail];
    });
    return { promise, resolve, reject };
  },
});

type AnySet = Set<unknown>;

putIn(Set.prototype, {
  union(this: AnySet, other: AnySet): AnySet {
    return new Set([...this, ...other]);
  },
  intersection(this: AnySet, other: AnySet): AnySet {
    return new Set([...this].filter((each) => other.has(each)));
  },
  difference(this: AnySet, other: AnySet): AnySet {
    return new Set([...this].filter((each) => !other.has(each)));
  },
  isSubsetOf(this: AnySet, other: AnySet): boolean {
    return [...this].every((each) => other.has(each));
  },
  isDisjointFrom(this: AnySet, other: AnySet): boolean {
    return ![...this].some((each) => other.has(each));
  },
});

type Items = IterableIterator<unknown>;
type Each = (item: unknown, at: number) => unknown;

const ITERATOR = Object.getPrototypeOf(Object.getPrototypeOf([][Symbol.iterator]())) as object;

putIn(ITERATOR, {
  *map(this: Items, change: Each) {
    let at = 0;
    for (const item of this) yield change(item, at++);
  },
  *filter(this: Items, keeps: Each) {
    let at = 0;
    for (const item of this) if (keeps(item, at++)) yield item;
  },
  *flatMap(this: Items, change: (item: unknown, at: number) => Iterable<unknown>) {
    let at = 0;
    for (const item of this) yield* change(item, at++);
  },
  *take(this: Items, most: number) {
    let left = most;
    if (left > 0)
      for (const item of this) {
        yield item;
        left -= 1;
        if (left <= 0) return;
      }
  },
  *drop(this: Items, count: number) {
    let left = count;
    for (const item of this) {
      if (left > 0) left -= 1;
      else yield item;
    }
  },
  some(this: Items, holds: Each): boolean {
    let at = 0;
    for (const item of this) if (holds(item, at++)) return true;
    return false;
  },
  every(this: Items, holds: Each): boolean {
    let at = 0;
    for (const item of this) if (!holds(item, at++)) return false;
    return true;
  },
  find(this: Items, holds: Each): unknown {
    let at = 0;
    for (const item of this) if (holds(item, at++)) return item;
    return undefined;
  },
  forEach(this: Items, act: Each): void {
    let at = 0;
    for (const item of this) act(item, at++);
  },
  reduce(this: Items, join: (sum: unknown, item: unknown) => unknown, first: unknown): unknown {
    let sum = first;
    for (const item of this) sum = join(sum, item);
    return sum;
  },
  toArray(this: Items): unknown[] {
    return [...this];
  },
});
