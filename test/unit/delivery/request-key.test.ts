import { describe, expect, it } from 'vitest';
import { withRequestKey } from '../../../src/delivery/events/duplicates.ts';
import { REQUEST_KINDS } from '../../../src/mapping/request.ts';
import { milestoneBody, tracePoint } from '../../../src/upstream/contracts/bodies.ts';

const time = { dateTime: '2026-03-02T08:15:00.0000000-06:00', timeZoneCode: 'CST', timeZoneOffset: 'UTC-6' };
const point = { time, coordinate: { latitude: 41.5, longitude: -88.1 } };
const named = { name: 'TRANSLOAD', value: 'b_1/7/1' };
const keyed = (kind: Parameters<typeof withRequestKey>[0], body: unknown): unknown =>
  JSON.parse(withRequestKey(kind, JSON.stringify(body), 'b_1/7/1'));

describe('a request that names itself', () => {
  it('has its key behind the references of its mapping, and is otherwise as it was mapped', () => {
    const event = { loadNumber: 'L1', eventCode: 'X3', time };
    const pro = { name: 'PRO', value: '7744' };
    expect(keyed('milestone', event)).toEqual({ ...event, references: [named] });
    expect(keyed('milestone', { ...event, references: [pro] })).toEqual({ ...event, references: [pro, named] });
    expect(milestoneBody.safeParse(keyed('milestone', event)).success).toBe(true);
  });

  it('names each position, because positions travel together', () => {
    const wanted = { ...point, references: [named] };
    expect(keyed('trace', { loadNumber: 'L1', traces: [point] })).toEqual({ loadNumber: 'L1', traces: [wanted] });
    expect(tracePoint.safeParse(wanted).success).toBe(true);
  });

  it.each(REQUEST_KINDS.filter((kind) => kind !== 'milestone' && kind !== 'trace'))(
    'is the same bytes where its kind has no references: %s',
    (kind) => expect(withRequestKey(kind, '{ "load_id": "L1" }', 'b_1/7/1')).toBe('{ "load_id": "L1" }'),
  );
});
