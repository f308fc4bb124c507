/** Habits of senders that come together in one file: each of them alone is a trap of its own. */
import { Buffer } from 'node:buffer';
import { expect, it } from 'vitest';
import { codesOf, readWhole, saidBy } from './reading.ts';

/** Component, element, decimal, release, repetition and terminator of a UNA; null: none stands there. */
const UNAS: readonly (string | null)[] = [null, ":+.? '", ":+,?*'", '^|,\\*$', ':+.? \n', ':+.?*~'];
const USUAL = ":+.? '";

/** Segments by what they say; the free text has every delimiter in it, and a letter beyond ASCII. */
const SAYS = (reference: string, syntax: string): readonly (readonly (readonly string[])[])[] => [
  [['UNB'], [syntax, '3'], ['SENDER'], ['RECEIVER'], ['260101', '1200'], ['77']],
  [['UNH'], [reference], ['IFTSTA', 'D', '96A', 'UN']],
  [['FTX'], ['AAI'], [''], ["it's + 1:2? ^|\\$~ Ü", 'b']],
  [['DTM'], ['334', '202603020930+0100', '203']],
  [['UNT'], ['4'], [reference]],
  [['UNZ'], ['1'], ['77']],
];

function fileOf(
  una: string | null,
  { syntax, behind, before, wrap }: Record<'syntax' | 'behind' | 'before', string> & { wrap: number },
): Buffer {
  const [component = '', element = '', , release = '', , terminator = ''] = una ?? USUAL;
  const released = (text: string): string =>
    [...text].map((one) => ([component, element, release, terminator].includes(one) ? release + one : one)).join('');
  const segments = SAYS('1', syntax).map(
    (parts) => parts.map((part) => part.map(released).join(component)).join(element) + terminator + behind,
  );
  const file = Buffer.from((una === null ? '' : `UNA${una}${behind}`) + segments.join(''));
  const lines: Buffer[] = [];
  for (let at = 0; at < file.length; at += wrap || file.length) {
    lines.push(file.subarray(at, at + (wrap || file.length)));
    if (at + wrap < file.length && wrap > 0) lines.push(Buffer.from('\r\n'));
  }
  return Buffer.concat([Buffer.from(before), ...lines]);
}

it('give the same message', () => {
  const [plain] = readWhole(fileOf(null, { syntax: 'UNOC', behind: '', before: '', wrap: 0 })).sets.map(saidBy);
  expect(plain).toContain("it's + 1:2? ^|\\$~ Ü");
  let read = 0;
  for (const una of UNAS)
    for (const syntax of ['UNOC', 'unoc', 'UnoY', 'IATB'])
      for (const behind of ['', '\n', '\r\n', ' \n'])
        for (const before of ['', '\ufeff', '\r\n ', '\ufeff \n'])
          for (const wrap of [0, 80, 35, 13]) {
            if (wrap > 0 && (behind !== '' || una?.endsWith('\n') === true)) continue;
            const found = readWhole(fileOf(una, { syntax, behind, before, wrap }));
            const about = JSON.stringify({ una, syntax, behind, before, wrap });
            expect([codesOf(found), found.sets.map(saidBy)], about).toEqual([[], [plain]]);
            read++;
          }
  expect(read).toBeGreaterThan(500);
});
