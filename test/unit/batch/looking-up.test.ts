/** A step of a batch that looks things up: asked once, recorded, mapped again; and what happens where nobody answers. */
import { describe, expect, it } from 'vitest';
import type { AwaitedLookup } from '../../../src/batch/core/progress.ts';
import { type LookingPort, mapLookingUp } from '../../../src/batch/steps/lookup.ts';
import type { FleetTrouble } from '../../../src/fleet/answer.ts';
import {
  LOOKUP_PATIENCE_MS,
  LOOKUP_PAUSE_MAX_MS,
  LOOKUP_PAUSE_MS,
  LOOKUPS_PER_STEP,
} from '../../../src/fleet/limits.ts';
import type { EnrichmentRules } from '../../../src/mapping/lookups/enrichment.ts';
import { type Answers, type Lookup, type LookupAnswer, lookupKey } from '../../../src/mapping/lookups/lookup.ts';

const unit = (number: number): Lookup => ({ of: 'vehicle', by: 'vehicleNumber', key: String(number) });
const known = (vin: string): LookupAnswer => ({ outcome: 'found', facts: { vin }, atMs: 1 });
const DOWN: FleetTrouble = { code: 'fleet_down', api: 'fleet', status: 503, detail: 'away', retryAfterMs: null };
const rules = (whenDown: EnrichmentRules['whenDown']): EnrichmentRules => ({ whenDown, of: ['vehicle'] });

/** @param fleet says what it knows; a trouble: it answers nothing. */
function aPort(fleet: (asked: Lookup) => LookupAnswer | FleetTrouble) {
  const stored = new Map<string, LookupAnswer>();
  const rounds: Lookup[][] = [];
  const at = { nowMs: 1_000 };
  let awaited: AwaitedLookup | undefined;
  const port: LookingPort = {
    store: {
      answer: (message, key) => stored.get(`${message} ${key}`),
      keep: (message, { asked, answer }) => void stored.set(`${message} ${lookupKey(asked)}`, answer),
    },
    clock: { nowMs: () => at.nowMs, timeScale: 1 },
    async request(wanted) {
      rounds.push([...wanted]);
      const said = wanted.map((asked) => [lookupKey(asked), fleet(asked)] as const);
      const trouble = said.map(([, answer]) => answer).find((answer) => 'code' in answer) ?? null;
      return {
        answers: new Map(said.flatMap(([key, answer]) => ('code' in answer ? [] : [[key, answer] as const]))),
        trouble,
      };
    },
    awaited: () => awaited,
    keep: (next) => {
      awaited = next;
    },
  };
  return { port, stored, rounds, at, awaited: () => awaited };
}

/** Maps rows of unit numbers to what is found. */
const mapping =
  (...numbers: number[]) =>
  (answers: Answers = () => undefined): string[] =>
    numbers.map((number) => {
      const answer = answers(unit(number));
      return answer?.outcome === 'found' ? (answer.facts.vin ?? '') : String(answer?.outcome);
    });

describe('a step that looks things up', () => {
  it('asks for each key once, however many rows name it, and maps again with the answers', async () => {
    const { port, rounds } = aPort(({ key }) => known(`V${key}`));
    const mapped = await mapLookingUp(port, rules('wait'), 0, mapping(1, 2, 1, 1, 2));
    expect(mapped).toEqual({ outcome: 'mapped', value: ['V1', 'V2', 'V1', 'V1', 'V2'] });
    expect(rounds).toEqual([[unit(1), unit(2)]]);
  });

  it('asks nothing that the batch has recorded, so that a step made again gives the same', async () => {
    let vin = 'OLD';
    const { port, rounds } = aPort(() => known(vin));
    await mapLookingUp(port, rules('wait'), 0, mapping(1));
    vin = 'NEW';
    expect(await mapLookingUp(port, rules('wait'), 0, mapping(1, 2))).toMatchObject({ value: ['OLD', 'NEW'] });
    expect(rounds.flat()).toEqual([unit(1), unit(2)]);
  });

  it('ends where a recorded answer is not found again, instead of asking without end', async () => {
    const { port, rounds } = aPort(() => known('V'));
    const forgetful: LookingPort = {
      ...port,
      store: { answer: () => undefined, keep: () => undefined },
      request: (wanted) => (rounds.length < 3 ? port.request(wanted) : Promise.reject(new Error('asked without end'))),
    };
    await expect(mapLookingUp(forgetful, rules('wait'), 0, mapping(1))).rejects.toThrow('recorded and is not found');
    expect(rounds).toEqual([[unit(1)]]);
  });

  it('asks anew for another message of a shared batch', async () => {
    const { port, rounds } = aPort(() => known('V'));
    await mapLookingUp(port, rules('wait'), 1, mapping(1));
    await mapLookingUp(port, rules('wait'), 2, mapping(1));
    expect(rounds).toHaveLength(2);
  });

  it('is mapped once where nothing is looked up', async () => {
    const { port } = aPort(() => DOWN);
    expect(await mapLookingUp(port, null, 0, () => 'as it is')).toEqual({ outcome: 'mapped', value: 'as it is' });
  });

  it('goes on in its next turn where there are more than one step may ask, and loses no answer', async () => {
    const { port, rounds } = aPort(({ key }) => known(key));
    const many = Array.from({ length: LOOKUPS_PER_STEP + 5 }, (_, index) => index);
    expect(await mapLookingUp(port, rules('wait'), 0, mapping(...many))).toEqual({ outcome: 'later', waitMs: 0 });
    expect(await mapLookingUp(port, rules('wait'), 0, mapping(...many))).toEqual({
      outcome: 'mapped',
      value: many.map(String),
    });
    expect(rounds.map(({ length }) => length)).toEqual([LOOKUPS_PER_STEP, 5]);
  });
});

describe('where nobody answers', () => {
  it('the step waits, longer each time up to a limit, and says since when, how often and why', async () => {
    const { port, at, awaited } = aPort(() => DOWN);
    const waits: number[] = [];
    for (let tries = 1; tries <= 8; tries += 1) {
      const looked = await mapLookingUp(port, rules('wait'), 0, mapping(1));
      if (looked.outcome !== 'later') throw new Error('it did not wait');
      waits.push(looked.waitMs);
      expect(awaited()).toEqual({
        ...{ api: 'fleet', status: 503, detail: 'away', sinceMs: 1_000, tries },
        nextMs: at.nowMs + looked.waitMs,
      });
      at.nowMs += looked.waitMs;
    }
    expect(waits.slice(0, 3)).toEqual([LOOKUP_PAUSE_MS, 2 * LOOKUP_PAUSE_MS, 4 * LOOKUP_PAUSE_MS]);
    expect(waits.at(-1)).toBe(LOOKUP_PAUSE_MAX_MS);
  });

  it('what was answered meanwhile is kept, and only the rest is asked again', async () => {
    let isDown = true;
    const { port, rounds, awaited } = aPort(({ key }) => (key === '2' && isDown ? DOWN : known(`V${key}`)));
    expect(await mapLookingUp(port, rules('wait'), 0, mapping(1, 2))).toMatchObject({ outcome: 'later' });
    isDown = false;
    expect(await mapLookingUp(port, rules('wait'), 0, mapping(1, 2))).toEqual({
      outcome: 'mapped',
      value: ['V1', 'V2'],
    });
    expect(rounds).toEqual([[unit(1), unit(2)], [unit(2)]]);
    expect(awaited()).toBeUndefined();
  });

  it('waits as long as the upstream asks for', async () => {
    const { port } = aPort(() => ({ ...DOWN, retryAfterMs: 300_000 }));
    expect(await mapLookingUp(port, rules('wait'), 0, mapping(1))).toEqual({ outcome: 'later', waitMs: 300_000 });
  });

  it('goes on without the answers once patience is over, and rows say so', async () => {
    const { port, at } = aPort(() => DOWN);
    await mapLookingUp(port, rules('wait'), 0, mapping(1));
    at.nowMs += LOOKUP_PATIENCE_MS - 1;
    expect(await mapLookingUp(port, rules('wait'), 0, mapping(1))).toMatchObject({ outcome: 'later' });
    at.nowMs += 1;
    expect(await mapLookingUp(port, rules('wait'), 0, mapping(1))).toEqual({
      outcome: 'mapped',
      value: ['unavailable'],
    });
  });

  it('the rows say when nobody answered, and that there was no answer at all where there was none', async () => {
    const { port, stored } = aPort(() => ({ ...DOWN, status: null }));
    await mapLookingUp(port, rules('miss'), 0, mapping(1));
    expect([...stored.values()]).toEqual([
      { outcome: 'unavailable', why: 'the fleet API gave no answer (away)', atMs: 1_000 },
    ]);
  });

  it('does not wait at all where the mapping takes it for a miss', async () => {
    const { port, stored } = aPort(({ key }) => (key === '2' ? DOWN : known('V')));
    expect(await mapLookingUp(port, rules('miss'), 0, mapping(1, 2))).toEqual({
      outcome: 'mapped',
      value: ['V', 'unavailable'],
    });
    expect([...stored.values()].find(({ outcome }) => outcome === 'unavailable')).toMatchObject({
      why: 'the fleet API answered with status 503 (away)',
    });
  });
});
