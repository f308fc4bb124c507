import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  batchName,
  ENVIRONMENTS,
  gateName,
  loadName,
  mappingKey,
  orderName,
  registerName,
  requestKey,
  sourceKey,
} from '../../../src/kernel/names.ts';

const ACME = { environment: 'test', partner: 'acme' } as const;
const scopes = fc.record({ environment: fc.constantFrom(...ENVIRONMENTS), partner: fc.string() });

describe('object names', () => {
  it('are JSON arrays that begin with environment and partner', () => {
    expect(registerName(ACME)).toBe('["test","acme"]');
    expect(batchName(ACME, 'b_1')).toBe('["test","acme","b_1"]');
    expect(loadName(ACME, 'ABCD', 'L-1')).toBe('["test","acme","ABCD","L-1"]');
    expect(orderName(ACME, 'R-1')).toBe('["test","acme","R-1"]');
    expect(gateName('production', 'main')).toBe('["production","main"]');
  });

  it('keep the same load of two partners, two environments and two SCACs apart', () => {
    const names = [
      loadName(ACME, 'ABCD', 'L-1'),
      loadName({ ...ACME, partner: 'other' }, 'ABCD', 'L-1'),
      loadName({ ...ACME, environment: 'production' }, 'ABCD', 'L-1'),
      loadName(ACME, 'WXYZ', 'L-1'),
    ];
    expect(new Set(names).size).toBe(4);
  });

  it('are equal only for equal parts, whatever characters stand in them', () => {
    const parts = fc.tuple(scopes, fc.string(), fc.string());
    fc.assert(
      fc.property(parts, parts, (one, other) => {
        const same = JSON.stringify(one) === JSON.stringify(other);
        expect(loadName(...one) === loadName(...other)).toBe(same);
      }),
    );
  });

  it.each(['L","X', 'L"],["', 'L\\', 'L\u2028', '../L'])(
    'hold load number %j without a second reading',
    (loadNumber) => {
      expect(JSON.parse(loadName(ACME, 'ABCD', loadNumber))).toEqual(['test', 'acme', 'ABCD', loadNumber]);
    },
  );
});

describe('storage keys', () => {
  it('begin with environment and partner, so that one partner never meets the bytes of another', () => {
    expect(sourceKey(ACME, 'b_1')).toBe('test/acme/b_1/source');
  });

  it('keep a partner name with a slash in one segment', () => {
    expect(sourceKey({ ...ACME, partner: 'a/b' }, 'c').split('/')).toHaveLength(4);
  });

  it('name a mapping version by its content alone', () => {
    expect(mappingKey('ab12')).toBe('mappings/ab12');
  });
});

describe('requestKey', () => {
  it('tells record 1 request 11 from record 11 request 1', () => {
    expect(requestKey('b_1', 1, 11)).toBe('b_1/1/11');
    expect(requestKey('b_1', 11, 1)).toBe('b_1/11/1');
  });

  it('tells generations apart, and the first is named as if there were no other', () => {
    expect([1, 2, 12].map((generation) => requestKey('b_1', 3, 1, generation))).toEqual([
      'b_1/3/1',
      'b_1/3/1~2',
      'b_1/3/1~12',
    ]);
  });
});
