/** What happens next in virtual time. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Agenda } from '../../../scripts/simulate/agenda.ts';

const nothing = () => undefined;

it('gives entries in the order of their time, and of the dice where times are equal', () => {
  const entry = fc.tuple(fc.integer({ min: 0, max: 20 }), fc.double({ min: 0, max: 1, noNaN: true }));
  fc.assert(
    fc.property(fc.array(entry, { maxLength: 60 }), (entries) => {
      const agenda = new Agenda();
      for (const [atMs, tie] of entries) agenda.add(atMs, tie, nothing);
      const taken = entries.map(() => agenda.next()).map((next) => [next?.atMs, next?.tie]);
      expect(taken).toEqual([...entries].sort(([a, x], [b, y]) => a - b || x - y));
      expect(agenda.next()).toBeUndefined();
    }),
  );
});

it('passes over what was cancelled', () => {
  const agenda = new Agenda();
  agenda.add(1, 0, nothing).isCancelled = true;
  agenda.add(2, 0, nothing);
  expect(agenda.next()?.atMs).toBe(2);
});
