/** Which interchange of an upload has come before, and what is said of the others beside it. */
import { describe, expect, it } from 'vitest';
import { ObjectDatabase } from '../../../scripts/simulate/sql.ts';
import { REPEATED } from '../../../src/batch/envelopes/validate.ts';
import { claimInterchanges, repeatedInterchange } from '../../../src/intake/interchanges.ts';
import { REGISTER_MIGRATIONS } from '../../../src/intake/register-migrations.ts';
import { storageOf } from '../object-storage.ts';

const interchange = (number: number, digest = `content-${number}`) => ({
  key: JSON.stringify(['SENDER', 'US', String(number)]),
  control: String(number).padStart(9, '0'),
  digest,
});

function aRegister() {
  const { sql } = storageOf(new ObjectDatabase(() => ''), REGISTER_MIGRATIONS);
  return {
    claim: (batchId: string, ...found: ReturnType<typeof interchange>[]) => claimInterchanges(sql, found, batchId, 0),
    repeated: (...found: ReturnType<typeof interchange>[]) => repeatedInterchange(sql, found, 'b_new'),
  };
}

describe('an upload is refused', () => {
  it('for an interchange that another upload has brought, and says which of the others may come again', () => {
    const { claim, repeated } = aRegister();
    claim('b_old', interchange(2));
    expect(repeated(interchange(1), interchange(2), interchange(3))).toEqual({
      code: 'control_duplicate',
      control: '000000002',
      batchId: 'b_old',
      upload: {
        faults: [{ place: 1, control: '000000002', code: 'control_duplicate', standard: REPEATED }],
        sound: ['000000001', '000000003'],
      },
    });
  });

  it('for a number that it has twice itself, as a conflict where the contents differ', () => {
    const { repeated } = aRegister();
    expect(repeated(interchange(1), interchange(1))).toMatchObject({ code: 'control_duplicate', batchId: null });
    expect(repeated(interchange(1), interchange(1, 'other'))).toMatchObject({
      code: 'control_conflict',
      control: '000000001',
      batchId: null,
      upload: { faults: [{ place: 1 }], sound: ['000000001'] },
    });
  });
});

it('an upload whose interchanges are all new, or its own from before, is not refused', () => {
  const { claim, repeated } = aRegister();
  claim('b_new', interchange(1));
  expect(repeated(interchange(1), interchange(2))).toBeUndefined();
});
