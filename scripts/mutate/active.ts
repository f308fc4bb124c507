/**
 * Which mutant is active, and which were reached, in the process of the tests; of a worker test, in its runtime. The global
 * is what the changed sources look at: they are loaded in whichever way a test loads them.
 */

interface Mutation {
  /** One byte for each mutant and each file that somebody asks about. */
  reached: Uint8Array;
  active: number;
  rounds: number;
  is(id: number): boolean;
  enter(fileId: number): void;
  loop(): void;
  again(ids: readonly number[], make: () => void): void;
  activate(id: number): void;
}

/** Far more than a small test goes through: a mutant that is still going round then never ends. Ours. */
const ROUNDS_MAX = 20_000_000;

export function mutation(size: number): Mutation {
  const remakes = new Map<number, (() => void)[]>();
  const remake = (id: number): void => {
    for (const make of remakes.get(id) ?? []) make();
  };
  const self: Mutation = {
    reached: new Uint8Array(size),
    active: 0,
    rounds: 0,
    is(id) {
      self.reached[id] = 1;
      return id === self.active;
    },
    enter(fileId) {
      self.reached[fileId] = 1;
    },
    loop() {
      if (self.active === 0) return;
      self.rounds += 1;
      if (self.rounds > ROUNDS_MAX) throw new Error('The mutant never ends.');
    },
    again(ids, make) {
      for (const id of ids) remakes.set(id, [...(remakes.get(id) ?? []), make]);
    },
    activate(id) {
      const before = self.active;
      self.active = id;
      self.rounds = 0;
      if (before !== 0) remake(before);
      if (id !== 0) remake(id);
    },
  };
  return self;
}
