/** Paths into loops of segments: what is nearest counts, what is named exactly counts more. */
import { describe, expect, it } from 'vitest';
import { type FieldRules, SEVERAL_VALUES } from '../../../../src/formats/segments/fields.ts';
import type { LoopSpecs } from '../../../../src/formats/segments/loops.ts';
import { compileElementPath, compileListPath } from '../../../../src/formats/segments/path.ts';
import { cellsReader, segmentAt } from '../../../../src/formats/segments/reader.ts';
import { HAS_COMPONENTS } from '../../../../src/formats/segments/segment.ts';
import { treeBuilder } from '../../../../src/formats/segments/tree.ts';
import { aSet } from './sets.ts';

const LOOPS_214: LoopSpecs = { N1: { holds: ['N3', 'N4'] }, LX: {}, AT7: { in: 'LX', holds: ['MS1', 'MS2'] } };

const FIRST: FieldRules = { elements: 'first', single: [] };

const SET_214 = `ST*214*0001~B10*PRO1*L100*DEMO~L11*7*QN~L11*B1*BM~N1*SH*SENDER~N4*Joliet*IL~N1*CN*TAKER~N4*Toledo*OH~
LX*1~L11*1*QN~AT7*X3*NS***20260302*0815*CT~MS1*Joliet*IL~MS2*DEMO*T1~L11*before*SI~AT7*AF*NS***20260302*0930*CT~MS1*Joliet*IL~
LX*2~AT7*X1*NS***20260303*0700*ET~MS1*Toledo*OH~L11*2*QN~L11*behind*SI~SE*21*0001~`;

function read(
  paths: readonly string[],
  record: string | undefined,
  text = SET_214,
  loops = LOOPS_214,
  rules = FIRST,
): string[][] {
  const { records } = treeBuilder(loops, record)(aSet(text));
  const cells = cellsReader({ paths, lists: [] }, rules);
  return records.map((node) => [...cells(node).fields]);
}

describe('a path', () => {
  it('reads the segment of its own loop', () => {
    expect(read(['AT7-01', 'MS1-01', 'MS2-02'], 'AT7')).toEqual([
      ['X3', 'Joliet', 'T1'],
      ['AF', 'Joliet', ''],
      ['X1', 'Toledo', ''],
    ]);
  });

  it('goes outwards to the loop around, the set, the group and the interchange', () => {
    expect(read(['LX-01', 'B10-02', 'GS-01', 'ISA-01'], 'AT7')[2]).toEqual(['2', 'L100', 'QM', '00']);
  });

  it('takes the nearest segment with the qualifier it names: the loop lays over the heading, before or behind its events', () => {
    expect(read(['L11[02=QN]-01', 'L11[02=SI]-01', 'L11[02=BM]-01'], 'AT7')).toEqual([
      ['1', 'before', 'B1'],
      ['1', 'before', 'B1'],
      ['2', 'behind', 'B1'],
    ]);
  });

  it('that begins with a loop around the record looks there and nowhere else', () => {
    expect(read(['ST/L11[02=QN]-01', 'LX/L11[02=BM]-01'], 'AT7')[0]).toEqual(['7', '']);
  });

  it('goes through a loop chosen by the segment that opens it', () => {
    expect(read(['N1[01=SH]/N4-01', 'N1[01=CN]/N4-02', 'N1[01=ZZ]/N4-01'], 'AT7')[0]).toEqual(['Joliet', 'OH', '']);
  });

  it('takes any of several qualifiers, and the first segment in the order of the file', () => {
    expect(read(['L11[02=BM|QN]-01', 'ST/L11[02=BM|QN]-02'], undefined)).toEqual([['7', 'QN']]);
  });

  it('reads components, the whole of a simple element as its first one, and nothing beyond', () => {
    const set = 'ST*1*1~STS*1:x*24:b:c~SE*3*1~';
    expect(read(['STS-02.3', 'STS-02.1', 'STS-02', 'STS-03', 'STS-01.9'], undefined, set, {})).toEqual([
      ['c', '24', '24', '', ''],
    ]);
  });
});

describe('a path with ranked qualifiers', () => {
  const PARTIES = 'ST*1~N1*CN*TAKER~N4*Toledo*OH~N1*ST*SITE~N3*1 Elm St~L11*a*SI~L11*b*BM~SE*1~';

  it('takes the first that is there at all, wherever it stands, and all of that loop', () => {
    const paths = ['N1[01=ST>CN]/N1-02', 'N1[01=ST>CN]/N3-01', 'N1[01=ST>CN]/N4-01', 'N1[01=SF>CN]/N4-01'];
    expect(read(paths, undefined, PARTIES)).toEqual([['SITE', '1 Elm St', '', 'Toledo']]);
    expect(read(['L11[02=BM>SI]-01', 'L11[02=PO>SI]-01', 'L11[02=PO>LO]-01'], undefined, PARTIES)).toEqual([
      ['b', 'a', ''],
    ]);
  });

  it('looks near before it looks far', () => {
    expect(read(['L11[02=BM>SI]-01', 'L11[02=BM>QN]-01'], 'AT7')).toEqual([
      ['before', '1'],
      ['before', '1'],
      ['behind', '2'],
    ]);
  });
});

describe('a path to one of several pairs', () => {
  const LINE =
    'ST*1~PO1*1*1*EA*19**CB*0653*UP*123* SK *S-1*VN*V-1*VN*V-2*MG**MG*M-1*ZZ~PER*DC*Desk*EM*a@b*TE*1~PER*DC**FX*2*TE~SE*1~';
  const of = (...paths: string[]) => read(paths, undefined, LINE, {})[0];

  it('reads the element behind the kind, wherever the pair stands', () => {
    expect(of('PO1-06=CB', 'PO1-06=SK', 'PO1-06=VN', 'PO1-08=CB', 'PO1-06=EN')).toEqual(['0653', 'S-1', 'V-1', '', '']);
  });

  it('takes the first of several kinds in the order of the file, or of their rank', () => {
    expect(of('PO1-06=VN|UP', 'PO1-06=EN>VN>UP')).toEqual(['123', 'V-1']);
  });

  it('reads no kind as a value, and nothing behind the last one', () => {
    expect(of('PO1-07=0653', 'PO1-07=SK', 'PO1-06=ZZ')).toEqual(['UP', '', '']);
  });

  it('passes over a kind without a value', () => {
    expect(of('PO1-06=MG', 'PO1-06=ZZ>MG')).toEqual(['M-1', 'M-1']);
  });

  it('takes the first segment that has such a pair', () => {
    expect(of('PER-03=TE', 'PER-03=FX', 'PER-03=FX>TE', 'PER[03=FX]-03=TE')).toEqual(['1', '2', '2', '']);
  });
});

describe('a path that must find one value', () => {
  const several = (segments: string, path = 'L11[02=QN]-01') =>
    read([path, 'AT7-01'], 'AT7', `ST*1~${segments}SE*1~`, LOOPS_214, { elements: 'whole', single: [path] });

  it('finds several different ones in the loop in which it finds any, before its record or behind it', () => {
    expect(several('LX*1~L11*1*QN~AT7*X3~L11*2*QN~AT7*X1~LX*2~L11*3*QN~AT7*D1~')).toEqual([
      [SEVERAL_VALUES, 'X3'],
      [SEVERAL_VALUES, 'X1'],
      ['3', 'D1'],
    ]);
    expect(several('L11*8*QN~L11*9*QN~LX*1~AT7*X3~LX*2~AT7*X1~L11*2*QN~')).toEqual([
      [SEVERAL_VALUES, 'X3'],
      ['2', 'X1'],
    ]);
    expect(several('LX*1~L11*1*QN~AT7*X3~L11*2*QN~', 'LX/L11[02=QN]-01')).toEqual([[SEVERAL_VALUES, 'X3']]);
  });

  it('takes the same value twice, with other blanks or an empty one beside it, for one', () => {
    expect(several('LX*1~L11*1*QN~AT7*X3~L11* 1 *QN~L11**QN~')).toEqual([['1', 'X3']]);
    expect(several('LX*1~AT7*X3~L11**QN~')).toEqual([['', 'X3']]);
  });
});

describe('an element that is wanted as a whole', () => {
  const RULES: FieldRules = { elements: 'whole', single: [] };

  it('is none when it has components, of which each can be asked for', () => {
    const set = 'ST*1*1~STS*1:x*24*:*~SE*3*1~';
    expect(
      read(['STS-01', 'STS-01.1', 'STS-01.2', 'STS-02', 'STS-02.1', 'STS-03', 'STS-04'], undefined, set, {}, RULES),
    ).toEqual([[HAS_COMPONENTS, '1', 'x', '24', '24', HAS_COMPONENTS, '']]);
  });
});

describe('a list', () => {
  const lines = (path: string, paths: readonly string[]) => {
    const { root } = treeBuilder(LOOPS_214, undefined)(aSet(SET_214));
    const cells = cellsReader({ paths: [], lists: [{ path, shape: { paths, lists: [] } }] }, FIRST);
    return cells(root).lists[0]?.map(({ fields }) => [...fields]);
  };

  it('has an element for each loop, which sees what stands around it', () => {
    expect(lines('LX', ['LX-01', 'B10-01', 'AT7-01'])).toEqual([
      ['1', 'PRO1', ''],
      ['2', 'PRO1', ''],
    ]);
  });

  it('goes through the loops between', () => {
    expect(lines('LX/AT7', ['AT7-01', 'LX-01'])).toEqual([
      ['X3', '1'],
      ['AF', '1'],
      ['X1', '2'],
    ]);
  });

  it('of segments has each on its own', () => {
    expect(lines('L11', ['L11-01', 'L11-02'])).toEqual([
      ['7', 'QN'],
      ['B1', 'BM'],
    ]);
    expect(lines('LX/L11[02=SI]', ['L11-01'])).toEqual([['before'], ['behind']]);
  });

  it('of nothing is empty', () => {
    expect(lines('LX[01=9]', ['LX-01'])).toEqual([]);
  });
});

describe('the place of a problem', () => {
  const at = (path: string) => {
    const { root } = treeBuilder(LOOPS_214, undefined)(aSet(SET_214));
    const found = segmentAt(root, path);
    return found && [found.segment.tag, found.segment.number, found.element, found.component];
  };

  it('is the first of its paths at which a segment stands', () => {
    expect(at('L11[02=SI]-01, L11[02=BM]-01, B10-01')).toEqual(['L11', 4, 1, null]);
  });

  it('inside a list is that of the element by its number, from 0', () => {
    expect(at('LX[1].LX-01')).toEqual(['LX', 17, 1, null]);
    expect(at('LX[1].AT7[0].AT7-05')).toEqual(['AT7', 18, 5, null]);
  });

  it('that leads nowhere inside a list is the element as a whole', () => {
    expect(at('LX[0].LX/MAN-01, LX[0].LX/Q7-01')).toEqual(['LX', 9, null, null]);
  });

  it.each(['', 'B99-01', 'LX[7].LX/MAN-01', 'nonsense[0].', 'LX'])('is unknown where nothing stands: %j', (path) => {
    expect(at(path)).toBeUndefined();
  });
});

describe('a loop', () => {
  const shape = (text: string, loops: LoopSpecs, record: string) =>
    treeBuilder(loops, record)(aSet(text)).records.map(({ segments }) => segments.map(({ tag }) => tag).join(' '));

  it('keeps only what it holds, when it says so; anything else belongs to the loop around', () => {
    expect(shape('ST*1~LX*1~AT7*X~MS1*a~L11*b~MS1*c~SE*1~', LOOPS_214, 'AT7')).toEqual(['AT7 MS1']);
    expect(shape('ST*1~LX*1~AT7*X~MS1*a~L11*b~MS1*c~SE*1~', LOOPS_214, 'LX')).toEqual(['LX L11 MS1 SE']);
  });

  it('ends at the segments that end it', () => {
    const loops: LoopSpecs = { S5: { until: ['L3', 'SE'] } };
    expect(shape('ST*1~S5*1~L11*a~S5*2~L11*b~L3*9~SE*1~', loops, 'S5')).toEqual(['S5 L11', 'S5 L11']);
  });

  it('of one tag opens where it is declared: in a stop it is another one than in the heading', () => {
    const loops: LoopSpecs = {
      N1: { holds: ['N3', 'N4'] },
      S5: {},
      party: { in: 'S5', opens: 'N1', holds: ['N3', 'N4', 'G61'] },
    };
    const text = 'ST*1~N1*BT~N4*A~S5*1~N1*SH~N4*B~G61*x~S5*2~N1*CN~N4*C~SE*1~';
    expect(shape(text, loops, 'party')).toEqual(['N1 N4 G61', 'N1 N4']);
    expect(shape(text, loops, 'N1')).toEqual(['N1 N4']);
  });

  it('keeps a segment that opens another loop, when it names it among those it holds', () => {
    const loops: LoopSpecs = { CNI: {}, STS: { in: 'CNI', holds: ['RFF', 'DTM'] }, RFF: { in: 'CNI', holds: ['DTM'] } };
    expect(shape('UNH*1~CNI*1~STS*1~RFF*a~DTM*b~CNI*2~RFF*c~DTM*d~UNT*1~', loops, 'STS')).toEqual(['STS RFF DTM']);
    expect(shape('UNH*1~CNI*1~STS*1~RFF*a~DTM*b~CNI*2~RFF*c~DTM*d~UNT*1~', loops, 'RFF')).toEqual(['RFF DTM']);
  });

  const PASSING: LoopSpecs = { LX: {}, AT7: { in: 'LX', holds: ['MS1', 'M7'], passes: ['L11', 'K1'] } };
  const PASSED = 'ST*1~LX*1~AT7*X~L11*b~MS1*c~K1*x~M7*d~L11*e~LX*2~AT7*Y~L11*f~AT7*Z~MAN*g~MS1*h~L11*i~SE*1~';

  it('goes on behind segments that it passes, which belong to the loop around it', () => {
    expect(shape(PASSED, PASSING, 'AT7')).toEqual(['AT7 MS1 M7', 'AT7', 'AT7']);
    expect(shape(PASSED, PASSING, 'LX')).toEqual(['LX L11 K1 L11', 'LX L11 MAN MS1 L11 SE']);
    expect(read(['AT7-01', 'MS1-01', 'M7-01', 'L11-01', 'K1-01', 'LX-01'], 'AT7', PASSED, PASSING)).toEqual([
      ['X', 'c', 'd', 'b', 'x', '1'],
      ['Y', 'h', '', 'f', '', '2'],
      ['Z', 'h', '', 'f', '', '2'],
    ]);
  });

  it('in a loop that passes a segment ends at it, unless it passes it, too', () => {
    const text = 'ST*1~LX*1~AT7*X~MS1*a~L11*b~M7*c~MS1*d~SE*1~';
    const nested = (passes: string[]): LoopSpecs => ({
      LX: {},
      AT7: { in: 'LX', holds: [], passes: ['L11'] },
      MS1: { in: 'AT7', holds: ['M7'], passes },
    });
    expect(shape(text, nested(['L11']), 'MS1')).toEqual(['MS1 M7', 'MS1']);
    expect(shape(text, nested(['K1']), 'MS1')).toEqual(['MS1']);
    expect(shape(text, nested(['L11']), 'LX')).toEqual(['LX L11 SE']);
    expect(read(['L11-01', 'AT7-01'], 'MS1', text, nested(['L11']))).toEqual([
      ['b', 'X'],
      ['b', 'X'],
    ]);
  });

  it('ends with its own last segment, and the loop around it with what was passed', () => {
    const { records } = treeBuilder(PASSING, 'AT7')(aSet(PASSED));
    const around = [...new Set(records.map(({ parent }) => parent))];
    const lastOf = (nodes: typeof around) => nodes.map((node) => PASSED.slice(0, node?.byteTo).split('~').at(-2));
    expect(lastOf(records)).toEqual(['M7*d', 'AT7*Y', 'AT7*Z']);
    expect(lastOf(around)).toEqual(['L11*e', 'SE*1']);
    const cut = treeBuilder(PASSING, 'AT7')(aSet('ST*1~LX*1~AT7*X~L11*b~'));
    expect([cut.records[0]?.to, cut.records[0]?.parent?.to]).toEqual([3, 4]);
  });
});

describe('a text that is no path', () => {
  it.each([
    '',
    'B10',
    'B10-',
    'B10-00',
    'B10-1-2',
    'B10-01.0',
    'L11[QN]-01',
    'L11[02=]-01',
    '/B10-01',
    'N1//N4-01',
    'B10-001',
    ' B10-01',
  ])('to an element is refused with the form wanted: %j', (text) => {
    expect(compileElementPath(text)).toMatchObject({ ok: false, error: expect.stringMatching(/B10-03|count from 1/) });
  });

  it.each(['', 'LX-01', 'LX/', '[01=a]', 'LX[01]', `${'A'.repeat(301)}`])('to a list is refused: %j', (text) => {
    expect(compileListPath(text)).toMatchObject({ ok: false, error: expect.stringContaining('LX') });
  });
});
