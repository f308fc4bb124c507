/** CONTRL: what it says of interchanges that are accepted, in part or not at all; and that others can read it. */
import { createRequire } from 'node:module';
import { describe, expect, it } from 'vitest';
import { codesOf, readWhole } from '../../formats/edifact/reading.ts';
import { acknowledged, acknowledgedBytes, segmentsOf, type Wanted } from './acknowledging.ts';

const IFTSTA = { mapping: 'edifact-iftsta', kind: 'CONTRL' } as const;
const IFTMIN = { mapping: 'edifact-iftmin', kind: 'CONTRL' } as const;

const EVENT = ["STS+1+13'", "DTM+334:202603020815-0600:205'"];
const BAD_CODE = ["STS+1+99'", "DTM+334:202603020815-0600:205'"];

/** One consignment, numbered like its message; the segments from STS on begin at 4. @param count UNT-01 where it is not what was counted. */
function message(reference: string, events: readonly string[], count?: number, type = 'IFTSTA:D:96A:UN'): string {
  const inner = [`UNH+${reference}+${type}'`, "BGM+23+S+9'", `CNI+1+LC${reference}'`, ...events];
  return [...inner, `UNT+${count ?? inner.length + 1}+${reference}'`].join('\n');
}

function interchange(
  messages: readonly string[],
  { reference = '17', closes = '17', count = messages.length, test = '' } = {},
) {
  const header = `UNB+UNOC:3+DEMO:14:X?+Y+TRANSLOAD:ZZ+260302:1500+${reference}${test}'`;
  return [header, ...messages, `UNZ+${count}+${closes}'`].join('\n');
}

function group(reference: string, inner: string, { count = 1, sender = 'A' } = {}): string {
  const opening = `UNG+IFTSTA+${sender}:14+B:ZZ+260302:1500+${reference}+UN+D:96A'`;
  return [opening, inner, `UNE+${count}+${reference}'`].join('\n');
}

const bodyOf = (text: string): string[] => segmentsOf(text, "'").slice(3, -2);

describe('a CONTRL', () => {
  it('goes back to the sender, names what it answers, and counts itself rightly', async () => {
    const text = await acknowledged(interchange([message('1', EVENT)], { test: '++++++1' }), IFTSTA);
    expect(text.startsWith("UNA:+.? '\nUNB+")).toBe(true);
    expect(segmentsOf(text, "'").slice(1)).toEqual([
      'UNB+UNOC:3+TRANSLOAD:ZZ+DEMO:14:X?+Y+260302:1504+41++++++1',
      'UNH+1+CONTRL:D:3:UN',
      'UCI+17+DEMO:14:X?+Y+TRANSLOAD:ZZ+7',
      'UCM+1+IFTSTA:D:96A:UN+7',
      'UNT+4+1',
      'UNZ+1+41',
    ]);
  });

  it('rejects the message of which nothing can be used and says where: the segment tag is position 1, so that C555 is 3', async () => {
    const text = await acknowledged(interchange([message('1', EVENT), message('2', BAD_CODE)]), IFTSTA);
    expect(bodyOf(text)).toEqual([
      'UCI+17+DEMO:14:X?+Y+TRANSLOAD:ZZ+7',
      'UCM+1+IFTSTA:D:96A:UN+7',
      'UCM+2+IFTSTA:D:96A:UN+4',
      'UCS+4',
      'UCD+12+3:1',
    ]);
  });

  it.each([
    ['the value whose form disagrees with its format code', "DTM+334:20260302:203'", 'UCD+12+2:2'],
    ['the format code that is in no list', "DTM+334:2603020815:201'", 'UCD+12+2:3'],
    ['the format code that is missing', "DTM+334:202603020815-0600'", 'UCD+13+2:3'],
  ])('names %s', async (_, dtm, wanted) => {
    const text = await acknowledged(interchange([message('1', ["STS+1+13'", dtm])]), IFTSTA);
    expect(bodyOf(text).slice(1)).toEqual(['UCM+1+IFTSTA:D:96A:UN+4', 'UCS+5', wanted]);
  });

  it('names the function of a message that cancels another', async () => {
    const text = await acknowledged(interchange([message('1', EVENT).replace('S+9', 'S+1')]), IFTSTA);
    expect(bodyOf(text).slice(1)).toEqual(['UCM+1+IFTSTA:D:96A:UN+4', 'UCS+2', 'UCD+12+4']);
  });

  it('acknowledges a message of which a part can be used, with what is wrong in it', async () => {
    const text = await acknowledged(interchange([message('1', [...EVENT, ...BAD_CODE])]), IFTSTA);
    expect(bodyOf(text).slice(1)).toEqual(['UCM+1+IFTSTA:D:96A:UN+7', 'UCS+6', 'UCD+12+3:1']);
  });

  it.each([
    ['MÜLLER', 'latin1', 'UNOC', 'latin1'],
    ['MÜLLER', 'utf8', 'UNOC', 'latin1'],
    ['MÜLLER Ł', 'utf8', 'UNOY', 'utf8'],
    ['Ã¼', 'utf8', 'UNOY', 'utf8'], // as Latin-1 its bytes would be another letter in UTF-8
  ] as const)('to %s, who writes in %s, declares %s and is written so', async (name, received, syntax, written) => {
    const text = interchange([message('1', EVENT)]).replace('DEMO:14', `${name}:14`);
    const bytes = await acknowledgedBytes(Buffer.from(text, received), IFTSTA);
    expect(Buffer.from(bytes).toString(written)).toContain(`\nUNB+${syntax}:3+TRANSLOAD:ZZ+${name}:14:X?+Y+`);
    const [set] = readWhole(bytes).sets;
    expect(set?.header[0]?.elements.slice(0, 3)).toEqual([
      [syntax, '3'],
      ['TRANSLOAD', 'ZZ'],
      [name, '14', 'X+Y'],
    ]);
  });

  it('rejects an interchange in which nothing stands but segments that no UNH opens', async () => {
    const headless = message('1', EVENT).replace(/^UNH.*\n/, '');
    const text = await acknowledged(interchange([headless], { count: 1 }), IFTSTA);
    expect(bodyOf(text)).toEqual(['UCI+17+DEMO:14:X?+Y+TRANSLOAD:ZZ+4+13']);
  });

  it('says of a missing segment behind which one it was wanted', async () => {
    const text = await acknowledged(interchange([message('1', ["STS+1+13'"])]), IFTSTA);
    expect(bodyOf(text).slice(1)).toEqual(['UCM+1+IFTSTA:D:96A:UN+4', 'UCS+4+13']);
  });

  it('says of a value that is missing in a segment which element it is', async () => {
    const text = await acknowledged(interchange([message('1', ["STS+1'", "DTM+334:202603020815-0600:205'"])]), IFTSTA);
    expect(bodyOf(text).slice(1)).toEqual(['UCM+1+IFTSTA:D:96A:UN+4', 'UCS+4', 'UCD+13+3:1']);
  });

  it('tells a time by the qualifier that was there, of all that were looked for', async () => {
    const text = await acknowledged(interchange([message('1', ["STS+1+13'", "DTM+178:yesterday:203'"])]), IFTSTA);
    expect(bodyOf(text).slice(2)).toEqual(['UCS+5', 'UCD+12+2:2']);
  });

  it('tells wrong counts and references of UNT in the UCM, with the list 0085 and the element', async () => {
    const text = await acknowledged(interchange([message('1', EVENT, 9), message('2', EVENT)]), IFTSTA);
    expect(bodyOf(text)).toEqual([
      'UCI+17+DEMO:14:X?+Y+TRANSLOAD:ZZ+7',
      'UCM+1+IFTSTA:D:96A:UN+4+29+UNT+2',
      'UCM+2+IFTSTA:D:96A:UN+7',
    ]);
  });

  it('rejects a message without a trailer', async () => {
    const cut = message('1', EVENT).replace(/\nUNT.*$/, '');
    const text = await acknowledged(interchange([cut, message('2', EVENT)]), IFTSTA);
    expect(bodyOf(text).slice(1)).toEqual(['UCM+1+IFTSTA:D:96A:UN+4+13+UNT', 'UCM+2+IFTSTA:D:96A:UN+7']);
  });

  it('rejects the second message under a number, and one of a kind that is not taken', async () => {
    const twice = [message('1', EVENT), message('1', EVENT), message('2', EVENT, undefined, 'COPRAR:D:95B:UN')];
    const text = await acknowledged(interchange(twice), IFTSTA);
    expect(bodyOf(text).slice(1)).toEqual([
      'UCM+1+IFTSTA:D:96A:UN+7',
      'UCM+1+IFTSTA:D:96A:UN+4+26+UNH',
      'UCM+2+COPRAR:D:95B:UN+4+14+UNH',
    ]);
  });

  it('says of a message without any event what was wanted behind its UNH', async () => {
    const text = await acknowledged(interchange([message('1', [])]), IFTSTA);
    expect(bodyOf(text).slice(1)).toEqual(['UCM+1+IFTSTA:D:96A:UN+4', 'UCS+1+13']);
  });

  it('notes a wrong UNZ and acknowledges what was sound, because it was sent', async () => {
    const text = await acknowledged(interchange([message('1', EVENT)], { count: 3, closes: '18' }), IFTSTA);
    expect(bodyOf(text)).toEqual(['UCI+17+DEMO:14:X?+Y+TRANSLOAD:ZZ+7+29+UNZ+2', 'UCM+1+IFTSTA:D:96A:UN+7']);
  });

  it('rejects the interchange with all that is in it, where the partner wants it so and one message is broken', async () => {
    const text = interchange([message('1', EVENT), message('2', EVENT, 9)]);
    const answer = await acknowledged(text, { ...IFTSTA, policy: { broken: 'interchange' }, rows: allInvalid(text) });
    expect(bodyOf(answer)).toEqual([
      'UCI+17+DEMO:14:X?+Y+TRANSLOAD:ZZ+4',
      'UCM+1+IFTSTA:D:96A:UN+4+18',
      'UCM+2+IFTSTA:D:96A:UN+4+29+UNT+2',
    ]);
  });

  it('rejects an interchange whose trailer is wrong and of which nothing was taken', async () => {
    const text = await acknowledged(interchange([message('1', EVENT, 9)], { closes: '18' }), IFTSTA);
    expect(bodyOf(text)).toEqual(['UCI+17+DEMO:14:X?+Y+TRANSLOAD:ZZ+4+28+UNZ+3', 'UCM+1+IFTSTA:D:96A:UN+4+29+UNT+2']);
  });

  it('answers an interchange without messages, with what is wrong with it', async () => {
    expect(bodyOf(await acknowledged(interchange([]), IFTSTA))).toEqual(['UCI+17+DEMO:14:X?+Y+TRANSLOAD:ZZ+7']);
    const text = await acknowledged(interchange([], { count: 2 }), IFTSTA);
    expect(bodyOf(text)).toEqual(['UCI+17+DEMO:14:X?+Y+TRANSLOAD:ZZ+4+29+UNZ+2']);
  });

  it('answers the interchanges around messages that no UNB opens though a UNZ ends them, as if these were not there', async () => {
    const sound = interchange([message('1', EVENT)]);
    const headless = interchange([message('2', EVENT)]).replace(/^UNB.*\n/, '');
    const alone = await acknowledged(`${sound}\n${sound}`, IFTSTA);
    expect(await acknowledged(`${sound}\n${headless}\n${sound}`, IFTSTA)).toBe(alone);
    expect(bodyOf(alone)[0]).toBe('UCI+17+DEMO:14:X?+Y+TRANSLOAD:ZZ+7');
  });

  it('answers a group without messages, in its interchange', async () => {
    const empty = "UNG+IFTSTA+A:14+B:ZZ+260302:1500+G1+UN+D:96A'\nUNE+0+G1'";
    expect(bodyOf(await acknowledged(interchange([empty]), IFTSTA))).toEqual([
      'UCI+17+DEMO:14:X?+Y+TRANSLOAD:ZZ+7',
      'UCF+G1+A:14+B:ZZ+7',
    ]);
  });

  it('is not acknowledged itself, not even under a wrong count', async () => {
    const own = "UNH+1+CONTRL:D:3:UN'\nUCI+5+TRANSLOAD:ZZ+DEMO:14+7'\nUNT+3+1'";
    expect(await acknowledged(interchange([own], { count: 2 }), IFTSTA)).toBe('');
  });

  it('tells groups: each by its own reference, over its messages', async () => {
    const text = await acknowledged(
      interchange([group('G1', message('1', EVENT)), group('G2', message('1', BAD_CODE), { count: 2 })]),
      IFTSTA,
    );
    expect(bodyOf(text)).toEqual([
      'UCI+17+DEMO:14:X?+Y+TRANSLOAD:ZZ+7',
      'UCF+G1+A:14+B:ZZ+7',
      'UCM+1+IFTSTA:D:96A:UN+7',
      'UCF+G2+A:14+B:ZZ+4+29+UNE+2',
      'UCM+1+IFTSTA:D:96A:UN+4',
      'UCS+4',
      'UCD+12+3:1',
    ]);
  });

  it('tells of a group that has no end, and of the next one', async () => {
    const open = group('G1', message('1', EVENT)).replace(/\nUNE.*$/, '');
    const text = await acknowledged(interchange([open, group('G2', message('2', BAD_CODE))]), IFTSTA);
    expect(bodyOf(text)).toEqual([
      'UCI+17+DEMO:14:X?+Y+TRANSLOAD:ZZ+7',
      'UCF+G1+A:14+B:ZZ+7+13+UNE',
      'UCM+1+IFTSTA:D:96A:UN+7',
      'UCF+G2+A:14+B:ZZ+7',
      'UCM+2+IFTSTA:D:96A:UN+4',
      'UCS+4',
      'UCD+12+3:1',
    ]);
  });

  it.each([
    ['A', 'UNOC', 'latin1'],
    ['Ł', 'UNOY', 'utf8'],
  ] as const)('to the group of %s declares %s, in which all of it can be written', async (sender, syntax, written) => {
    const text = interchange([group('G1', message('1', EVENT), { sender })]);
    const bytes = Buffer.from(await acknowledgedBytes(Buffer.from(text, 'utf8'), IFTSTA)).toString(written);
    expect(bytes).toContain(`\nUNB+${syntax}:3+`);
    expect(bytes).toContain(`\nUCF+G1+${sender}:14+B:ZZ+7'`);
  });

  it('comes for each interchange of a file, under numbers of our own', async () => {
    const two = [
      interchange([message('1', EVENT)]),
      interchange([message('1', EVENT)], { reference: '18', closes: '18' }),
    ];
    const text = await acknowledged(two.join('\n'), IFTSTA);
    const lines = segmentsOf(text, "'");
    expect(lines.filter((line) => line.startsWith('UNZ'))).toEqual(['UNZ+1+41', 'UNZ+1+42']);
    expect(lines.filter((line) => line.startsWith('UCI')).map((line) => line.slice(0, 6))).toEqual([
      'UCI+17',
      'UCI+18',
    ]);
  });

  it('finds the fault in the line of an order', async () => {
    const order = [
      ["UNH+1+IFTMIN:D:96A:UN'", "BGM+610+SO-1+9'", "NAD+CN+++Consignee 1++Joliet'", "GID+1+1'", "PCI+18+A'"],
      ["GID+2+two'", "PCI+18+B'", "GID+3+1'", "UNT+9+1'"],
    ].flat();
    const text = await acknowledged(interchange([order.join('\n')]), IFTMIN);
    expect(bodyOf(text).slice(1)).toEqual(['UCM+1+IFTMIN:D:96A:UN+4', 'UCS+6', 'UCD+12+3:1', 'UCS+8+13']);
  });
});

/** Rows of a file of which nothing was taken: one for each message, and some for the envelope. */
const allInvalid = (text: string): NonNullable<Wanted['rows']> =>
  [...text].slice(0, 10).map((_, index) => ({ record: index + 1, state: 'invalid', errors: [] }));

const FILES: readonly [about: string, text: string][] = [
  ['accepted', interchange([message('1', EVENT), message('2', EVENT)])],
  ['accepted in part', interchange([message('1', EVENT), message('2', BAD_CODE), message('3', EVENT, 99)])],
  ['rejected', interchange([message('1', BAD_CODE)], { closes: '18' })],
  ['released', interchange([message("A?'1", EVENT)], { reference: '1??7', closes: '1??7' })],
  ['of two', `${interchange([message('1', EVENT)])}\n${interchange([message('1', BAD_CODE)])}`],
];

describe('a CONTRL read back', () => {
  it.each(FILES)('by our own reader is without a fault: %s', async (_about, file) => {
    const text = await acknowledged(file, IFTSTA);
    const read = readWhole(text, { source: { messages: ['CONTRL'] } });
    expect([codesOf(read), read.notes]).toEqual([[], []]);
    expect(read.sets.map(({ id }) => id)).toEqual(Array(file.split('UNB+').length - 1).fill('CONTRL'));
  });

  it.each(FILES)('by a parser of other people has the same segments: %s', async (_about, file) => {
    const text = await acknowledged(file, IFTSTA);
    const own = readWhole(text, { source: { messages: ['CONTRL'] } });
    const wanted = own.sets.flatMap(({ segments }) =>
      segments.map(({ tag, elements }) => ({ tag, elements: elements.map((each) => [each].flat()) })),
    );
    const found = parsedByOthers(text).filter(({ tag }) => !['UNA', 'UNB', 'UNZ'].includes(tag));
    expect(found).toEqual(wanted);
  });
});

interface ParsedSegment {
  tag: string;
  elements: string[][];
}

/** The parser has no types: what is used of it. */
interface OtherParser {
  on(event: 'opensegment' | 'component', listener: (text: string) => void): void;
  on(event: 'element', listener: () => void): void;
  write(text: string): void;
  end(): void;
}

function parsedByOthers(text: string): ParsedSegment[] {
  const Parser: new () => OtherParser = createRequire(import.meta.url)('edifact/parser.js');
  const segments: ParsedSegment[] = [];
  // One interchange at a time: its UNA is wanted at the beginning of the text.
  for (const part of text.split(/(?=UNA:)/)) {
    const parser = new Parser();
    parser.on('opensegment', (tag) => segments.push({ tag, elements: [] }));
    parser.on('element', () => segments.at(-1)?.elements.push([]));
    parser.on('component', (component) => segments.at(-1)?.elements.at(-1)?.push(component));
    parser.write(part);
    parser.end();
  }
  return segments;
}
