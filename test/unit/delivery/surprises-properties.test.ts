/** Journeys made by chance: a sound one surprises nobody, and the order in which independent events come in does not matter. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { EVENT_CLASSES } from '../../../src/delivery/events/event-classes.ts';
import { anEvent, oddInTurn } from './journeys.ts';

const clock = (minute: number): string =>
  `${String(Math.floor(minute / 60)).padStart(2, '0')}:${String(minute % 60).padStart(2, '0')}`;

const CHAIN = { pickup: ['X3', 'X8', 'L1', 'CP', 'AF'], delivery: ['X1', 'X5', 'D1', 'CD'] };

/** Stop after stop, pick-ups first; at each some of what happens there, in order, some minutes apart. */
const soundJourney = fc
  .record({
    pickups: fc.integer({ min: 1, max: 4 }),
    deliveries: fc.integer({ min: 0, max: 4 }),
    keeps: fc.array(fc.boolean(), { minLength: 40, maxLength: 40 }),
    waits: fc.array(fc.integer({ min: 0, max: 30 }), { minLength: 40, maxLength: 40 }),
    step: fc.constantFrom(1, 5, 10),
  })
  .map(({ pickups, deliveries, keeps, waits, step }) => {
    let [at, minute] = [0, 0];
    const events: { stop: number; text: string }[] = [];
    for (let index = 0; index < pickups + deliveries; index += 1) {
      const chain = index < pickups ? CHAIN.pickup : CHAIN.delivery;
      for (const [place, code] of chain.entries()) {
        minute += waits[at % 40] ?? 0;
        if (place === 0 || keeps[at % 40])
          events.push({ stop: index, text: `${code}@${(index + 1) * step} ${clock(minute)}` });
        at += 1;
      }
    }
    return events;
  });

it('a sound journey surprises nobody', () => {
  fc.assert(
    fc.property(soundJourney, (events) => {
      expect(oddInTurn(events.map(({ text }) => anEvent(text))).flat()).toEqual([]);
    }),
  );
});

it('events of different stops may come in any order: those of one stop among themselves decide', () => {
  const shuffled = soundJourney.chain((events) =>
    fc.array(fc.integer(), { minLength: events.length, maxLength: events.length }).map((keys) => {
      const stops = [...Map.groupBy(events, ({ stop }) => stop).values()];
      return stops.toSorted((one, other) => (keys[one[0]?.stop ?? 0] ?? 0) - (keys[other[0]?.stop ?? 0] ?? 0)).flat();
    }),
  );
  fc.assert(
    fc.property(shuffled, (events) => {
      const odd = oddInTurn(
        events.map(({ text }) => anEvent(text)),
        { stops: 'off' },
      ); // which stops are known grows
      expect(odd.flat()).toEqual([]);
    }),
  );
});

/** Any two events, sound or not. */
const anyMilestone = fc
  .record({
    code: fc.constantFrom(...EVENT_CLASSES.keys(), 'ZZ'),
    stop: fc.option(fc.integer({ min: 1, max: 3 }), { nil: null }),
    minute: fc.integer({ min: 0, max: 1_439 }),
  })
  .map(({ code, stop, minute }) => `${code}${stop === null ? '' : `@${stop}`} ${clock(minute)}`);
const anyPosition = fc
  .record({
    north: fc.integer({ min: 300, max: 490 }),
    west: fc.integer({ min: 700, max: 1_220 }),
    minute: fc.integer({ min: 0, max: 1_439 }),
  })
  .map(({ north, west, minute }) => `${north / 10},-${west / 10} ${clock(minute)}`);

it('two events that contradict each other do so whichever comes first', () => {
  const policy = { cameLate: 'off' } as const;
  const pairs = fc.oneof(fc.tuple(anyMilestone, anyMilestone), fc.tuple(anyPosition, anyPosition));
  fc.assert(
    fc.property(pairs, ([one, other]) => {
      const kinds = (texts: string[]) => oddInTurn(texts.map(anEvent), policy)[1]?.map(({ kind }) => kind);
      expect(kinds([one, other])).toEqual(kinds([other, one]));
    }),
  );
});

it('a code of unknown meaning neither surprises nor makes others surprising', () => {
  fc.assert(
    fc.property(
      fc.array(anyMilestone, { maxLength: 8 }),
      fc.nat({ max: 8 }),
      fc.integer({ min: 0, max: 1_439 }),
      (texts, at, minute) => {
        const odd = oddInTurn(texts.map(anEvent));
        const joined = oddInTurn(texts.toSpliced(at, 0, `LY@1 ${clock(minute)}`).map(anEvent));
        expect(joined.toSpliced(Math.min(at, texts.length), 1)).toEqual(odd);
        expect(joined[Math.min(at, texts.length)]).toEqual([]);
      },
    ),
  );
});
