import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type MappedRow, runSlice, type ScacRule, type SliceRun } from '../../../src/batch/core/run.ts';
import { csvStart as START } from '../../../src/formats/csv/checkpoint.ts';
import type { Checkpoint } from '../../../src/formats/reader.ts';
import { aMapping } from './samples.ts';

const MAPPING = aMapping();
const SCAC_BY_ROW = aMapping('scac: Scac');
const RULE: ScacRule = { scac: 'ABCD', allowed: ['ABCD', 'WXYZ'] };
const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);

const run = (text: string, rule = RULE, mapping = MAPPING): SliceRun =>
  runSlice(mapping, rule, { bytes: utf8(text), atEnd: true, checkpoint: START });

function rowsOf(ran: SliceRun): MappedRow[] {
  if (ran.outcome !== 'rows') throw new Error(`the slice ended as ${ran.outcome}`);
  return ran.rows;
}

describe('runSlice', () => {
  it('turns every record into a row with its place, its request and the SCAC of the upload', () => {
    const ran = run('Load,Code,At\nL1,X3,2026-03-02 08:15\n');
    expect(ran).toMatchObject({ outcome: 'rows', finished: true });
    expect(rowsOf(ran)).toEqual([
      {
        position: { record: 1, line: 2, byteFrom: 13, byteTo: 35 },
        state: null,
        problems: [],
        requests: [
          {
            kind: 'milestone',
            subject: 'load:L1',
            scac: 'ABCD',
            body: {
              loadNumber: 'L1',
              eventCode: 'X3',
              time: { dateTime: '2026-03-02T08:15:00.0000000-06:00', timeZoneCode: 'CST', timeZoneOffset: 'UTC-6' },
            },
          },
        ],
        group: null,
      },
    ]);
  });

  it('makes a row that the mapping cannot fill invalid, with a problem and no request', () => {
    const [row] = rowsOf(run('Load,Code,At\nL1,X3,yesterday\n'));
    expect(row).toMatchObject({ state: 'invalid', requests: [], problems: [{ path: 'At', value: 'yesterday' }] });
    expect(row?.problems[0]?.fix).not.toBe('');
  });

  it('makes a row that the reader cannot read invalid and goes on with the next', () => {
    const rows = rowsOf(run('Load,Code,At\nL1,X3\nL2,X3,2026-03-02 08:15\n'));
    expect(rows).toMatchObject([
      { state: 'invalid', problems: [{ code: 'ragged_row' }], requests: [] },
      { state: null, requests: [{ subject: 'load:L2' }] },
    ]);
  });

  it('has nothing that was looked up for it where its mapping looks nothing up', () => {
    expect(rowsOf(run('Load,Code,At\nL1,X3,2026-03-02 08:15\n'))[0]).not.toHaveProperty('lookedUp');
    expect(rowsOf(run('Load,Code,At\nL1,X3,yesterday\n'))[0]).not.toHaveProperty('lookedUp');
  });

  it('makes a row that the mapping leaves out skipped', () => {
    expect(rowsOf(run('Load,Code,At\nL1,-,\n'))).toMatchObject([{ state: 'skipped', problems: [], requests: [] }]);
  });

  it('calls a file unreadable when it lacks columns, naming each', () => {
    const ran = run('Load,Status\nL1,X3\n');
    expect(ran).toMatchObject({ outcome: 'unreadable', problems: [{ path: 'Code' }, { path: 'At' }] });
  });

  it('calls a file unreadable when it is none of its format', () => {
    expect(run('PK\u0003\u0004 spreadsheet')).toMatchObject({ outcome: 'unreadable' });
    expect(run('')).toMatchObject({ outcome: 'unreadable', problems: [{ code: 'empty_file' }] });
  });

  it('finds no row in a file that is only a header', () => {
    expect(run('Load,Code,At\n')).toMatchObject({ outcome: 'rows', rows: [], finished: true });
  });

  it('asks for more when no whole record fits', () => {
    const slice = { bytes: utf8('Load,Co'), atEnd: false, checkpoint: START };
    expect(runSlice(MAPPING, RULE, slice)).toEqual({ outcome: 'more' });
  });
});

describe('the SCAC of a record', () => {
  const AT = '2026-03-02 08:15';

  it('is its own where the mapping reads it, whatever the upload named', () => {
    const rows = rowsOf(run(`Load,Code,At,Scac\nL1,X3,${AT},WXYZ\nL2,X3,${AT},ABCD\n`, RULE, SCAC_BY_ROW));
    expect(rows.map(({ requests }) => requests[0]?.scac)).toEqual(['WXYZ', 'ABCD']);
  });

  it('makes the row invalid when the key may not use it, and says which it may', () => {
    const [row] = rowsOf(run(`Load,Code,At,Scac\nL1,X3,${AT},EVIL\n`, RULE, SCAC_BY_ROW));
    expect(row).toMatchObject({
      state: 'invalid',
      requests: [],
      problems: [{ code: 'scac_not_allowed', path: 'Scac', value: 'EVIL' }],
    });
    expect(row?.problems[0]?.fix).toContain('ABCD, WXYZ');
  });

  it('makes the row invalid when the mapping reads none and the upload named none', () => {
    const [row] = rowsOf(run(`Load,Code,At\nL1,X3,${AT}\n`, { ...RULE, scac: null }));
    expect(row).toMatchObject({ state: 'invalid', requests: [], problems: [{ code: 'scac_missing' }] });
    expect(row?.problems[0]?.fix).toContain('ABCD, WXYZ');
  });

  it('is checked for the upload too, should its ticket name one the key lost', () => {
    const [row] = rowsOf(run(`Load,Code,At\nL1,X3,${AT}\n`, { scac: 'GONE', allowed: ['ABCD'] }));
    expect(row).toMatchObject({
      state: 'invalid',
      problems: [{ code: 'scac_not_allowed', path: 'scac', value: 'GONE' }],
    });
  });
});

describe('the SCAC of a record with two requests', () => {
  const TWO = `requests:
  - fields: { references: [{ name: A, value: Load }] }
  - fields: { references: [{ name: B, value: Load }] }`;
  const FILE = 'Load,Code,At\nL1,X3,2026-03-02 08:15\n';

  it('goes to both', () => {
    expect(rowsOf(run(FILE, RULE, aMapping(TWO)))[0]?.requests.map(({ scac }) => scac)).toEqual(['ABCD', 'ABCD']);
  });

  it.each<[string, string, ScacRule]>([
    ['not allowed', 'scac_not_allowed', { scac: 'GONE', allowed: ['ABCD'] }],
    ['missing', 'scac_missing', { scac: null, allowed: ['ABCD', 'WXYZ'] }],
  ])('is one problem of the row, not two, when it is %s', (_what, code, rule) => {
    expect(rowsOf(run(FILE, rule, aMapping(TWO)))).toMatchObject([{ state: 'invalid', problems: [{ code }] }]);
    expect(rowsOf(run(FILE, rule, aMapping(TWO)))[0]?.problems).toHaveLength(1);
  });

  it('takes no other problem of the row away, though two come from one column', () => {
    const twice = aMapping('  references: [{ name: A, value: Note }, { name: B, value: Note }]');
    const rows = rowsOf(run(`Load,Code,At,Note\nL1,X3,2026-03-02 08:15,${'x'.repeat(10_000)}\n`, RULE, twice));
    const [first, second, ...others] = rows[0]?.problems ?? [];
    expect([first?.path, second?.path, others]).toEqual(['Note', 'Note', []]);
    expect(first?.code).toBe(second?.code);
    expect(first?.message).not.toBe(second?.message);
  });
});

describe('slices', () => {
  const FILE = utf8(
    `Load,Code,At\r\n${Array.from({ length: 12 }, (_, index) => `L${index},${index % 5 === 0 ? '-' : 'X3'},2026-03-02 0${index % 10}:15\r\n`).join('')}`,
  );

  /** Reads the file in slices of at least `step` bytes, longer where a slice holds no whole record. */
  function inSlices(step: number): MappedRow[] {
    const rows: MappedRow[] = [];
    let checkpoint: Checkpoint = START;
    for (let length = step; ; ) {
      const bytes = FILE.subarray(checkpoint.byte, checkpoint.byte + length);
      const ran = runSlice(MAPPING, RULE, { bytes, atEnd: checkpoint.byte + bytes.length >= FILE.length, checkpoint });
      if (ran.outcome === 'unreadable') throw new Error('unreadable');
      if (ran.outcome === 'more') {
        length += step;
        continue;
      }
      rows.push(...ran.rows);
      if (ran.finished) return rows;
      checkpoint = JSON.parse(JSON.stringify(ran.checkpoint)); // it rests in storage between slices
      length = step;
    }
  }

  it('give the same rows under the same numbers wherever they end', () => {
    const whole = inSlices(FILE.length);
    expect(whole).toHaveLength(12);
    fc.assert(
      fc.property(fc.integer({ min: 1, max: FILE.length }), (step) => {
        expect(inSlices(step)).toEqual(whole);
      }),
    );
  });

  it('give the same rows again when one is run twice', () => {
    expect(inSlices(64)).toEqual(inSlices(64));
  });
});
