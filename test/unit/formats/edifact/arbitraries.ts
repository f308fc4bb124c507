/** Random interchanges, written well, with the places of their terminators and segments, so that a test can break them. */
import { Buffer } from 'node:buffer';
import fc from 'fast-check';
import { type Delimiters, LEVEL_A } from '../../../../src/formats/edifact/delimiters.ts';

export type Element = string[];
export interface PlainSegment {
  tag: string;
  elements: Element[];
}
export interface Message {
  type: string;
  reference: string;
  segments: PlainSegment[];
}
export interface Interchange {
  delimiters: Delimiters;
  reference: string;
  /** One list: messages without groups. */
  groups: Message[][];
  isGrouped: boolean;
}
export interface Transmission {
  interchanges: Interchange[];
  lineEnd: string;
}

/** Where a segment stands in the text: from its tag to behind its terminator. */
export interface Written {
  tag: string;
  from: number;
  terminatorAt: number;
}

const CUSTOM: Delimiters = {
  component: '^',
  element: '|',
  decimal: ',',
  release: '\\',
  reserved: '~',
  terminator: '$',
};
const LINES: Delimiters = { component: ':', element: '+', decimal: '.', release: '', reserved: '', terminator: '\n' };

const letter = fc.constantFrom(..."AB7 .,-+:?'|^\\$~*éЖ".split(/(?:)/u));
const text = fc.string({ unit: letter, maxLength: 6 }).map((written) => written.trim());
const element = fc.array(text, { minLength: 1, maxLength: 3 });
const segment: fc.Arbitrary<PlainSegment> = fc.record({
  tag: fc.constantFrom('BGM', 'DTM', 'NAD', 'RFF', 'STS', 'UNS', 'CN1'),
  elements: fc.array(element, { minLength: 1, maxLength: 4 }),
});
const message = fc.record({
  type: fc.constantFrom('IFTSTA', 'ORDERS', 'CONTRL'),
  segments: fc.array(segment, { minLength: 1, maxLength: 5 }),
});

const interchange = fc
  .record({
    delimiters: fc.constantFrom(LEVEL_A, LEVEL_A, CUSTOM, LINES),
    groups: fc.array(fc.array(message, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 2 }),
    isGrouped: fc.boolean(),
  })
  .map(({ delimiters, groups, isGrouped }, number = 0): Interchange => {
    let count = number;
    const numbered = groups.map((messages) =>
      messages.map((one): Message => {
        count++;
        // No two references of a file are alike, and none is another one with a letter more.
        return { ...one, reference: `M${count}X` };
      }),
    );
    return { delimiters, reference: 'I', groups: isGrouped ? numbered : [numbered.flat()], isGrouped };
  });

export const transmission: fc.Arbitrary<Transmission> = fc
  .record({
    interchanges: fc.array(interchange, { minLength: 1, maxLength: 3 }),
    lineEnd: fc.constantFrom('', '\n', '\r\n', '  \n'),
  })
  .map(({ interchanges, lineEnd }) => ({
    lineEnd,
    interchanges: interchanges.map((one, at) => ({ ...one, reference: `REF${at + 1}Y` })),
  }));

/** What the reader should find, message by message. */
export const saidIn = ({ interchanges }: Transmission): string[] =>
  interchanges.flatMap((one) => one.groups.flat().map((message) => JSON.stringify(linesOf(message, one.delimiters))));

/** A text that cannot be released has none of the delimiters. */
function textIn(written: string, { release, component, element, terminator }: Delimiters): string {
  return release === ''
    ? [component, element, terminator].reduce((kept, mark) => kept.replaceAll(mark, ''), written).trim()
    : written;
}

function linesOf({ type, reference, segments }: Message, delimiters: Delimiters): [string, string[][]][] {
  const body = segments.map(({ tag, elements }): [string, string[][]] => [
    tag,
    elements.map((one) => one.map((part) => textIn(part, delimiters))),
  ]);
  return [
    ['UNH', [[reference], [type, 'D', '96A', 'UN']]],
    ...body,
    ['UNT', [[String(segments.length + 2)], [reference]]],
  ];
}

/** @returns the file as text, and its segments in order. UNA is none. */
export function write({ interchanges, lineEnd }: Transmission): { text: string; segments: Written[] } {
  let written = '';
  const segments: Written[] = [];
  for (const { delimiters, reference, groups, isGrouped } of interchanges) {
    const { component, element: separator, decimal, release, reserved, terminator } = delimiters;
    const released = (part: string): string =>
      [...textIn(part, delimiters)]
        .map((one) => ([component, separator, release, terminator].includes(one) ? release + one : one))
        .join('');
    const add = (tag: string, elements: string[][]): void => {
      const units = [tag, ...elements.map((one) => one.map(released).join(component))].join(separator);
      segments.push({ tag, from: written.length, terminatorAt: written.length + units.length });
      written += units + terminator + lineEnd;
    };
    if (delimiters !== LEVEL_A) {
      written += `UNA${component}${separator}${decimal}${release || ' '}${reserved || ' '}${terminator}${lineEnd}`;
    }
    add('UNB', [['UNOC', '3'], ['SENDER'], ['RECEIVER'], ['260101', '1200'], [reference]]);
    for (const [at, messages] of groups.entries()) {
      if (isGrouped) add('UNG', [['IFTSTA'], ['S'], ['R'], ['260101', '1200'], [`G${at + 1}Z`], ['UN'], ['D', '96A']]);
      for (const message of messages) for (const [tag, elements] of linesOf(message, delimiters)) add(tag, elements);
      if (isGrouped) add('UNE', [[String(messages.length)], [`G${at + 1}Z`]]);
    }
    add('UNZ', [[String(isGrouped ? groups.length : groups.flat().length)], [reference]]);
  }
  return { text: written, segments };
}

export const bytesOf = (file: string): Uint8Array => Buffer.from(file, 'utf8');

/** A file with a few bytes deleted, doubled or put in: anything can stand anywhere. */
export const damaged: fc.Arbitrary<Uint8Array> = fc
  .record({
    file: transmission.map((one) => bytesOf(write(one).text)),
    start: fc.constantFrom('', '', '', '\ufeff', ' \r\n', 'junk ', "UNA:+.? '"),
    cuts: fc.array(
      fc.record({
        at: fc.nat(),
        length: fc.integer({ min: 0, max: 12 }),
        put: fc.constantFrom(
          '',
          '',
          "'",
          '+',
          ':',
          '?',
          '\n',
          '\0',
          'é',
          '\xff',
          'UNH+',
          "UNZ+1+1'",
          "UNB+UNOA:2+A+B+1:1+9'",
          'UNA',
          ' '.repeat(90),
          "''",
        ),
      }),
      { maxLength: 4 },
    ),
  })
  .map(({ file, start, cuts }) => {
    let bytes = Buffer.concat([Buffer.from(start), file]);
    for (const { at, length, put } of cuts) {
      const from = at % (bytes.length + 1);
      bytes = Buffer.concat([bytes.subarray(0, from), Buffer.from(put, 'latin1'), bytes.subarray(from + length)]);
    }
    return bytes;
  });
