import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ORDER_REF_MEMBER } from '../../../src/mapping/document/order-spec.ts';
import { eventFields, isOrderKind, TARGETS } from '../../../src/mapping/document/targets.ts';
import { REQUEST_KINDS, type RequestKind } from '../../../src/mapping/request.ts';
import {
  loadMilestoneEventBody,
  milestoneBody,
  traceBody,
  tracePoint,
} from '../../../src/upstream/contracts/bodies.ts';
import { NOT_SHOWN } from '../../../src/upstream/contracts/not-shown.ts';
import { BODY_CONTRACTS } from '../../body-contracts.ts';
import { draws } from '../../draws.ts';
import { milestoneOf } from '../../milestone-of.ts';
import { mapperOf, withFields } from './documents.ts';
import { SHIPPED } from './shipped.ts';

/** Every function at once, so that any cell meets any of them. */
const RICH = {
  skip: { when: { field: 'Code', equals: 'skip' } },
  scac: { from: 'S', when: { field: 'S', empty: false } },
  zone: { from: 'Z', lookup: 'zones', onMiss: 'keep', default: 'America/Chicago' },
  requests: [
    { fields: { eventCode: { from: 'Code', substring: { from: -5, length: 4 }, upper: true } } },
    {
      when: {
        not: {
          any: [
            { field: 'A', empty: true },
            { field: 'B', in: ['x', ''] },
          ],
        },
      },
      fields: {
        eventCode: { const: 'CD' },
        time: { from: 'When', parse: ['iso', 'M/d/yyyy h:mm a'], gap: 'later', overlap: 'earlier' },
      },
    },
  ],
  ...withFields({
    eventCode: undefined,
    reasonCode: { from: 'B', lookup: 'words', onMiss: 'empty', default: 'NS' },
    eventCity: { template: '{A}, {B}', lower: true, pad: { to: 4, with: '_', side: 'right' } },
    eventState: { firstOf: ['A', 'B'], upper: true },
    stopsequenceNumber: { from: 'N', as: 'integer' },
    references: [
      { name: 'A', value: { from: ['A', { const: '+' }, 'B'], replace: [{ find: 'a', with: 'bb' }] } },
      { name: 'B', value: 'B', omitWhenEmpty: true },
    ],
  }),
};
const COLUMNS = ['Load', 'Code', 'When', 'S', 'Z', 'A', 'B', 'N'];
const mapper = mapperOf(RICH, COLUMNS);

const likely = fc.constantFrom(
  '',
  ' ',
  '0',
  '-3',
  'x',
  'LD1',
  'ABCD',
  'CT',
  'UTC',
  '+05:30',
  'America/St_Johns',
  'Departed',
  'skip',
  '2026-03-08 02:30',
  '2026-11-01 01:30',
  '2026-02-29 10:00',
  '2026-07-04T12:00:00.1234567Z',
  '3/8/2026 2:30 AM',
  '9999-12-31 23:59',
  '__proto__',
);
const cell = fc.oneof(likely, likely, fc.string({ unit: 'binary', maxLength: 300 }), fc.string({ maxLength: 5_000 }));
const record = fc.array(cell, { maxLength: COLUMNS.length + 2 });

describe('a mapper', () => {
  it('never throws, and gives requests, errors, or leaves the record out', () => {
    fc.assert(
      fc.property(record, (cells) => {
        const { requests, errors, skipped } = mapper(cells);
        expect(requests.length + errors.length > 0).toBe(!skipped);
        for (const error of errors) {
          expect(Object.keys(error).sort()).toEqual(['code', 'fix', 'message', 'path', 'value']);
          expect(error.message.length * error.fix.length * error.path.length).toBeGreaterThan(0);
        }
      }),
      { numRuns: draws(1_000) },
    );
  });
  it('gives equal output for equal input, and keeps nothing between records', () => {
    fc.assert(
      fc.property(record, record, (cells, others) => {
        const first = mapper(cells);
        mapper(others);
        expect(mapper([...cells])).toEqual(first);
      }),
    );
  });
  it('writes only bodies that the upstream’s contract accepts', () => {
    let checked = 0;
    const good = fc.tuple(
      fc.constantFrom('LD1', ' LD2 ', 'é', 'x'.repeat(80)),
      fc.constantFrom('X1', 'arrived'),
      fc.constantFrom('2026-03-02 08:00', '2026-07-02 23:59'),
      fc.constantFrom('', 'ABCD'),
      fc.constantFrom('', 'CT', '-06:00', 'Asia/Kolkata'),
      fc.oneof(cell, fc.constantFrom('', 'IL', 'on')),
      fc.oneof(cell, fc.constantFrom('', 'IL', 'on')),
      fc.constantFrom('', '4', ' 07 '),
    );
    fc.assert(
      fc.property(fc.oneof(good, record), (cells) => {
        for (const request of mapper(cells).requests) {
          const { kind, subject } = request;
          const body = milestoneOf(request);
          expect(milestoneBody.safeParse(body).error).toBeUndefined();
          expect(REQUEST_KINDS).toContain(kind);
          expect(subject).toBe(`load:${body.loadNumber}`);
          expect(JSON.parse(JSON.stringify(body))).toEqual(body);
          checked += 1;
        }
      }),
      { numRuns: draws(1_000) },
    );
    expect(checked).toBeGreaterThan(draws(1_000) / 10);
  });
  it.each([...SHIPPED.keys()])('of the shipped mapping %s is total over any cells', (name) => {
    const columns = SHIPPED.get(name)?.columns ?? [];
    const bound = SHIPPED.get(name)?.mapping.bind(columns);
    if (!bound?.ok) throw new Error('columns are missing');
    fc.assert(
      fc.property(fc.array(cell, { minLength: columns.length, maxLength: columns.length }), (cells) => {
        for (const { kind, body } of bound.value.map(cells, [[{ fields: cells, lists: [] }]]).requests)
          expect(BODY_CONTRACTS[kind].safeParse(body).error).toBeUndefined();
      }),
    );
  });
});

describe('the table of targets', () => {
  const sorted = (names: Iterable<string>) => [...new Set(names)].sort();
  const namesOf = (kind: RequestKind) => (TARGETS.get(kind) ?? []).map(({ name }) => name);
  const requiredOf = (kind: RequestKind) =>
    (TARGETS.get(kind) ?? []).filter(({ required }) => required).map(({ name }) => name);
  const { traces: _, ...traceRequest } = traceBody.shape;

  it.each([
    ['milestone', Object.keys(milestoneBody.shape), NOT_SHOWN.milestoneRequired],
    // One point per request: its fields stand beside those of the request.
    [
      'trace',
      [...Object.keys(traceRequest), ...Object.keys(tracePoint.shape)],
      ['loadNumber', ...NOT_SHOWN.tracePointRequired],
    ],
    ['loadMilestoneEvent', Object.keys(loadMilestoneEventBody.shape), NOT_SHOWN.loadMilestoneEventRequired],
  ] as const)(
    'names the fields of the upstream’s contract for a %s, and what it requires',
    (kind, fields, required) => {
      expect(sorted(namesOf(kind))).toEqual(sorted(fields));
      expect(sorted(requiredOf(kind))).toEqual(sorted(required));
    },
  );
  it('has no field that a document could not fill, and no form without a field', () =>
    expect(sorted([...TARGETS.keys()].flatMap(namesOf))).toEqual(sorted(Object.keys(eventFields.shape))));
  it('calls an order’s reference what the upstream’s settings call it', () =>
    expect(NOT_SHOWN.orderRefPath).toEqual([ORDER_REF_MEMBER]));
  it('has every kind of event', () =>
    expect([...TARGETS.keys()]).toEqual(REQUEST_KINDS.filter((kind) => !isOrderKind(kind))));
});
