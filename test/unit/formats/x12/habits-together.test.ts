/** Habits of senders that come together in one file: each of them alone is a trap of its own. */
import { expect, it } from 'vitest';
import { codesOf, readX12, wellFormedSets, written } from './reading.ts';
import { interchange, TWO_SETS } from './samples.ts';

const PLAIN = readX12(TWO_SETS).sets.map(written);
const TERMINATORS = ['~', '$', '-', '!', '\n', '\r\n', '\r', '¶', "'"];
const REPETITIONS = [
  ['U', '00401'],
  ['^', '00501'],
  ['~', '00501'],
  ['U', '00403'],
] as const;

interface Habits {
  terminator: string;
  element: string;
  component: string;
  eleven: string;
  version: string;
  /** Behind each terminator. */
  behind: string;
  /** Characters that ISA08 has too much. */
  surplus: number;
  before: string;
  /** Columns at which the file is wrapped; 0: it is not. */
  wrap: number;
}

function* together(): Generator<Habits> {
  for (const terminator of TERMINATORS)
    for (const element of ['*', '|', '^', '~'])
      for (const component of ['>', '^', '{', '', '::'])
        for (const [eleven, version] of REPETITIONS)
          for (const surplus of [-1, 0, 1])
            for (const before of ['', '\ufeff \r\n'])
              for (const [behind, wrap] of [
                ['', 0],
                ['', 80],
                ['\n', 0],
                ['\r\n', 0],
              ] as const) {
                const isLineBreak = /[\r\n]/.test(terminator);
                const isDouble = new Set([terminator, element, component.slice(0, 1)]).size < 3;
                if (isDouble || (isLineBreak && (behind !== '' || wrap > 0))) continue;
                yield { terminator, element, component, eleven, version, behind, surplus, before, wrap };
              }
}

function fileOf({ before, surplus, wrap, ...choice }: Habits): string {
  const { element } = choice;
  const file = interchange(choice).replace(`SHIPPER        ${element}`, `${'SHIPPER'.padEnd(15 + surplus)}${element}`);
  return before + (wrap === 0 ? file : file.replaceAll(new RegExp(`.{${wrap}}`, 'g'), '$&\r\n'));
}

/** ISA11 is a delimiter too, where the version says so; and whatever the version, one that separates elements adds one. */
const isOneTwice = ({ terminator, element, component, eleven, version }: Habits): boolean =>
  eleven === element || eleven === terminator || (version > '00401' && eleven === component.slice(0, 1));

it('give the plain sets, or are refused where one character is two delimiters', () => {
  let read = 0;
  let refused = 0;
  for (const habits of together()) {
    const found = readX12(fileOf(habits));
    if (isOneTwice(habits)) {
      expect([wellFormedSets(found), ...codesOf(found)], JSON.stringify(habits)).toEqual([
        [],
        expect.stringMatching(/^(?:delimiters_equal|isa_end_unclear)$/),
      ]);
      refused++;
    } else {
      expect([codesOf(found), found.sets.map(written)], JSON.stringify(habits)).toEqual([[], PLAIN]);
      read++;
    }
  }
  expect(Math.min(read, refused)).toBeGreaterThan(500);
});
