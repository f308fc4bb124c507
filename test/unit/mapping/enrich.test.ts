/** Look-ups of vehicles and locations: answers are an input of mapping, and what was looked up is told. */
import { describe, expect, it } from 'vitest';
import {
  type Answers,
  answersFrom,
  type Lookup,
  type LookupAnswer,
  lookupKey,
} from '../../../src/mapping/lookups/lookup.ts';
import { mappingOf } from './documents.ts';

const FIELDS = {
  fields: {
    loadNumber: 'Load',
    eventCode: { const: 'X3' },
    time: { from: 'When', parse: 'iso' },
    eventCity: { from: 'Site', enrich: { location: 'city' } },
    eventState: { from: 'Site', enrich: { location: 'state', onMiss: 'empty' } },
    references: [{ name: 'VIN', value: { from: 'Unit', enrich: { vehicle: 'vin' } }, omitWhenEmpty: true }],
  },
};
const COLUMNS = ['Load', 'When', 'Site', 'Unit'];

function mapper(answers?: Answers) {
  const bound = mappingOf(FIELDS).bind(COLUMNS, answers);
  if (!bound.ok) throw new Error(JSON.stringify(bound.error));
  return (site: string, unit = '') => bound.value.map(['L1', '2026-03-02T08:00:00Z', site, unit]);
}

const answering =
  (answer: LookupAnswer): Answers =>
  () =>
    answer;

describe('a field that is looked up', () => {
  it('says which fields one look-up gave, and when it was answered', () => {
    const { requests, lookedUp } = mapper(
      answering({ outcome: 'found', facts: { city: 'Reno', state: 'NV' }, atMs: 7 }),
    )('1001');
    expect(requests[0]?.body).toMatchObject({ eventCity: 'Reno', eventState: 'NV' });
    expect(lookedUp).toEqual([
      {
        of: 'location',
        by: 'locationNumber',
        key: '1001',
        outcome: 'found',
        fields: { eventCity: 'city', eventState: 'state' },
        atMs: 7,
      },
    ]);
  });

  it('tells of one record nothing of the record before it', () => {
    const map = mapper(answersFrom({ locations: [{ locationNumber: '1001', city: 'Reno', state: 'NV' }] }));
    expect(map('1001').lookedUp).toHaveLength(1);
    expect(map('').lookedUp).toBeUndefined();
    expect(map('1001').lookedUp).toHaveLength(1);
  });

  it.each<[LookupAnswer, string]>([
    [{ outcome: 'none', atMs: 0 }, 'look_up_missing'],
    [{ outcome: 'several', count: 2, atMs: 0 }, 'look_up_ambiguous'],
    [{ outcome: 'unavailable', why: 'status 503', atMs: 0 }, 'look_up_unavailable'],
    [{ outcome: 'found', facts: { state: 'NV' }, atMs: 0 }, 'look_up_silent'],
  ])('whose answer is %j is an error, %s, and told as looked up all the same', (answer, code) => {
    const { requests, errors, lookedUp } = mapper(answering(answer))('1001');
    expect(requests).toEqual([]);
    expect(errors).toEqual([expect.objectContaining({ code, path: 'Site', value: '1001' })]);
    for (const { message, fix } of errors) expect(`${message} ${fix}`).not.toContain('undefined');
    expect(lookedUp?.length).toBeGreaterThan(0);
  });

  it('is an error where nobody was asked, and is left empty by no policy', () => {
    expect(mapper()('1001').errors.map(({ code }) => code)).toEqual(['look_up_unanswered', 'look_up_unanswered']);
  });

  it('asks for every key of a record at once, so that one round of answers is enough', () => {
    const asked: Lookup[] = [];
    const map = mapper((one) => {
      asked.push(one);
      return undefined;
    });
    map('1001', '4711');
    expect(new Set(asked.map(lookupKey))).toEqual(
      new Set(['["location","locationNumber","1001"]', '["vehicle","vehicleNumber","4711"]']),
    );
  });

  it('gives equal requests for equal records and answers', () => {
    const known = {
      locations: [{ locationNumber: '1001', city: 'Reno' }],
      vehicles: [{ vehicleNumber: '1', vin: 'V' }],
    };
    expect(JSON.stringify(mapper(answersFrom(known))('1001', '1'))).toBe(
      JSON.stringify(mapper(answersFrom(known))('1001', '1')),
    );
  });
});

describe('lists of what is known', () => {
  const vehicle = (by: 'vehicleNumber' | 'licensePlate' | 'vin', key: string): Lookup => ({ of: 'vehicle', by, key });
  const answers = answersFrom({
    vehicles: [
      { vehicleNumber: '1', licensePlate: 'AB1' },
      { vehicleNumber: '2', licensePlate: 'ab1', vin: 'V2' },
    ],
  });

  it('find a vehicle by each of its names, whatever letters are used', () => {
    expect(answers(vehicle('vehicleNumber', '2'))).toMatchObject({ outcome: 'found', facts: { vin: 'V2' } });
    expect(answers(vehicle('vin', 'v2'))).toMatchObject({ outcome: 'found', facts: { vehicleNumber: '2' } });
  });

  it('count those that share a name, and find none where there is none', () => {
    expect(answers(vehicle('licensePlate', 'AB1'))).toMatchObject({ outcome: 'several', count: 2 });
    expect(answers(vehicle('vin', 'V1'))).toMatchObject({ outcome: 'none' });
  });

  it('give way to answers that a batch has recorded', () => {
    const asked = vehicle('vehicleNumber', '1');
    const answer: LookupAnswer = { outcome: 'none', atMs: 5 };
    expect(answersFrom({ vehicles: [{ vehicleNumber: '1' }], answers: [{ asked, answer }] })(asked)).toEqual(answer);
  });
});
