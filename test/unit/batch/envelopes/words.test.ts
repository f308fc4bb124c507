/** What the sender of a refused upload is told to do leads to each event being sent once, and to no address that is not there. */
import { describe, expect, it } from 'vitest';
import { refusalMessage } from '../../../../src/batch/envelopes/messages.ts';
import { type InterchangeFault, REPEATED, type RefusedInterchange } from '../../../../src/batch/envelopes/validate.ts';

const repeated = (place: number, control: string, code: InterchangeFault['code'] = 'control_duplicate') => ({
  ...{ place, control, code },
  standard: REPEATED,
});
const DUPLICATE = { code: 'control_duplicate', control: '17', batchId: 'b_1' } as const;
const CONFLICT = { code: 'control_conflict', control: '17', batchId: 'b_1' } as const;
const CONFLICTING = repeated(0, '17', 'control_conflict');
const FORCE = 'force=true with a new Idempotency-Key sends every event of an upload, delivered ones once more.';

const fixOf = (error: RefusedInterchange): string => refusalMessage(error).fix;

describe('an upload whose interchange has come before with the same content', () => {
  it('needs nothing where it holds no other, and is told what force does', () => {
    const told = `Nothing needs to be done: GET /v1/batches/b_1 says what became of it. ${FORCE}`;
    expect(fixOf(DUPLICATE)).toBe(told);
  });

  it('is told where it came: in a batch, or in a message of one', () => {
    expect(refusalMessage(DUPLICATE).detail).toContain('batch b_1');
    expect(refusalMessage(DUPLICATE).detail).not.toContain('message');
    const inMessage = refusalMessage({ ...DUPLICATE, message: 2 });
    expect(inMessage.detail).toContain('message 2 of batch b_1');
    expect(inMessage.fix).toContain('GET /v1/messages/b_1/2 says');
  });

  it('needs nothing where all its others have come before as well', () => {
    const upload = { faults: [repeated(0, '17'), repeated(1, '18')], sound: [] };
    expect(fixOf({ ...DUPLICATE, upload })).toMatch(/^Nothing needs to be done: .* what became of 17\./);
  });

  it('is to be sent again with those alone that have not come before', () => {
    const upload = { faults: [repeated(0, '17'), repeated(2, '19')], sound: ['18', '20'] };
    expect(fixOf({ ...DUPLICATE, upload })).toBe(
      'Send interchanges 18, 20 again, without 17, 19. GET /v1/batches/b_1 says what became of 17.',
    );
    expect(refusalMessage({ ...DUPLICATE, upload }).detail).toMatch(/, and nothing of this upload was taken\.$/);
  });

  it('is told of another that came with other content', () => {
    const upload = { faults: [repeated(0, '17'), repeated(1, '18', 'control_conflict')], sound: [] };
    expect(fixOf({ ...DUPLICATE, upload })).toBe(
      'Send what was not taken of interchange 18 under control numbers of their own. GET /v1/batches/b_1 says what became of 17.',
    );
  });

  it('names twenty of many, and says how many more there are', () => {
    const sound = Array.from({ length: 25 }, (_, index) => String(index + 100));
    const words = fixOf({ ...DUPLICATE, upload: { faults: [repeated(0, '17')], sound } });
    expect(words).toContain('118, 119 and 5 more again, without 17.');
  });
});

describe('an upload whose interchange has come before with other content', () => {
  it('is not sent to force, which would send delivered events once more', () => {
    expect(fixOf(CONFLICT)).toBe(
      `Send what of it was not taken under a control number of its own. GET /v1/batches/b_1 says what was taken of 17. ${FORCE}`,
    );
  });

  it('is told to send its others by themselves', () => {
    const words = fixOf({ ...CONFLICT, message: 3, upload: { faults: [CONFLICTING], sound: ['18'] } });
    expect(words).toMatch(
      /^Send interchange 18 again, without 17\. Send what was not taken of interchange 17 under .* GET \/v1\/messages\/b_1\/3 says/,
    );
  });
});

describe('an upload in which a number stands twice', () => {
  it.each([
    [
      'same',
      { ...DUPLICATE, batchId: null, upload: { faults: [repeated(1, '17')], sound: ['17', '18'] } },
      'Send interchanges 17, 18 again, each once.',
    ],
    [
      'different',
      {
        ...CONFLICT,
        batchId: null,
        upload: { faults: [{ ...CONFLICTING, place: 1 }, repeated(2, '19')], sound: ['17'] },
      },
      'Give the second of them a control number of its own, and send the upload again, without 19.',
    ],
  ] as const)('with %s content is told what to send, and no address', (content, error, fix) => {
    const words = refusalMessage(error);
    expect([words.detail, words.fix]).toEqual([
      `Interchange 17 stands in this upload twice, with ${content === 'same' ? 'the same' : 'different'} content; nothing of the upload was taken.`,
      fix,
    ]);
  });
});

describe('an upload with an interchange that is not agreed', () => {
  const refused = {
    code: 'identity_mismatch',
    control: '18',
    what: 'sender',
    found: 'ZZ:OTHER',
    allowed: ['DEMO'],
    standard: 'TA1 006',
  } as const;
  const fault = { place: 1, control: '18', code: 'identity_mismatch', standard: 'TA1 006' } as const;

  it('is told that its others were not taken either, and which may come again', () => {
    const { detail, fix } = refusalMessage({ ...refused, upload: { faults: [fault], sound: ['17', '19'] } });
    expect(detail).toMatch(/ Nothing of this upload was taken\.$/);
    expect(fix).toMatch(/ Send interchanges 17, 19 again without what is at fault\.$/);
  });

  it('is told of all that are at fault', () => {
    const other = { ...fault, place: 2, control: '19' };
    const { detail, fix } = refusalMessage({ ...refused, upload: { faults: [fault, other], sound: [] } });
    expect(detail).toMatch(/ Nothing of this upload was taken\. Also at fault: 19\.$/);
    expect(fix).toBe(refusalMessage(refused).fix);
  });
});
