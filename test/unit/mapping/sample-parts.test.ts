/** The parts of the sample maker that turn something around: patterns, times, conditions, functions. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileCapture } from '../../../src/mapping/capture.ts';
import { type Condition, compileCondition } from '../../../src/mapping/condition.ts';
import { compileDateTimePattern } from '../../../src/mapping/date-time-pattern.ts';
import { textFunctions } from '../../../src/mapping/functions.ts';
import { fitsDomain, narrowed } from '../../../src/mapping/sample-domains.ts';
import { matchingText } from '../../../src/mapping/sample-pattern.ts';
import { columnTexts } from '../../../src/mapping/sample-source.ts';
import { dayOf, timeTexts } from '../../../src/mapping/sample-time.ts';
import { EVIL } from './evil-patterns.ts';

describe('a text that a pattern finds', () => {
  it.each([
    ['PRO[ :#]*([0-9]+)', 1, 'PRO 7777'],
    ['^EV-(?:old|new)-([A-Z][0-9])$', 1, 'EV-old-A7'],
    ['(?P<ref>\\w{3,}) of (\\d\\d?)', 2, '777 of 77'],
    ['(?i)load\\s+(\\S+)', 1, 'load 7777'],
    ['a(b|c(d))e', 2, 'acde'],
    ['[]x-]+\\.(.)', 1, 'xxxx.x'],
    ['\\bNo\\. ([^;,]{4})', 1, 'No. 7777'],
  ])('is written for %s', (pattern, group, text) => {
    expect(matchingText(pattern, group, undefined)).toBe(text);
    const find = compileCapture(pattern, group);
    expect(find.ok && find.value(text)).toBeTruthy();
  });

  it.each([
    ['PRO[ :#]*([0-9]+)', 1, '774411', 'PRO 774411'],
    ['status=([^;]+)+;', 1, 'En route', 'status=En route;'],
    ['[0-9]+', 0, '12', '12'],
  ])('holds what is to be found: %s', (pattern, group, kept, text) => {
    expect(matchingText(pattern, group, kept)).toBe(text);
    const find = compileCapture(pattern, group);
    expect(find.ok && find.value(text)).toBe(kept);
  });

  it.each(['\\p{Lu}', '[[:alpha:]]', '\\x41', '\\Qa.b\\E', '(?i:a)'])('is not guessed for %s', (pattern) =>
    expect(matchingText(pattern, 1, undefined)).toBeUndefined(),
  );

  it('never fails, and is found wherever it is written for a class, a group or a repetition', () => {
    const part = fc.constantFrom('a', '7', '[a-c]', '\\d', '\\w', '.', '(x|y)', '(?:z[0-9])', '\\.', '[^,;]', ' ');
    const repeated = fc
      .tuple(part, fc.constantFrom('', '?', '*', '+', '{2}', '{1,3}', '+?'))
      .map((both) => both.join(''));
    fc.assert(
      fc.property(fc.array(repeated, { minLength: 1, maxLength: 6 }), (parts) => {
        const pattern = `^${parts.join('')}$`;
        const text = matchingText(pattern, 0, undefined);
        const find = compileCapture(pattern, 0);
        expect(find.ok && text !== undefined && find.value(text)).toBe(text);
      }),
    );
    for (const [pattern] of EVIL) expect(() => matchingText(pattern, 1, 'x')).not.toThrow();
  });
});

const PATTERNS = [
  ['iso', 'epochSeconds', 'epochMillis'],
  ['yyyy-MM-dd', 'dd.MM.yyyy HH:mm[:ss]', 'M/d/yy h:mm a', 'yyyyMMddHHmmss', 'd MMM yyyy HH:mm', 'MMMM d, yyyy'],
  ["yyyy-MM-dd'T'HH:mm:ss.SSSXXX", 'yyyy-MM-dd HH:mm:ssZ', 'yyyyMMdd HHmmX', 'yyyy-MM-dd HH:mm XX', 'HH:mm dd/MM/yyyy'],
  ["dd' o''clock 'MM yyyy", 'yyyy-MM-dd HHH:mm', 'yyyy-MM-dd[ HH[:mm[:ss[.SSSSSSS]]]]', 'hh a dd MM yyyy'],
].flat();

describe.each(PATTERNS)('a time written as %s', (source) => {
  it('reads back as the moment it was written for', () => {
    const compiled = compileDateTimePattern(source);
    if (!compiled.ok) throw new Error(source);
    const minute = fc.integer({ min: Date.UTC(2000, 0, 1) / 60_000, max: Date.UTC(2060, 0, 1) / 60_000 });
    fc.assert(
      fc.property(minute, fc.nat({ max: 5 }), (minutes, turn) => {
        const localMs = minutes * 60_000;
        for (const { text, seam, cuts = [] } of timeTexts(source, { localMs, turn })) {
          const read = compiled.value.parse(text);
          if (!read.ok) throw new Error(`${text}: ${read.error.wanted}`);
          const isInstant = read.value.kind === 'instant' || (source === 'iso' && text.endsWith('Z'));
          const offsetMs = isInstant ? 5 * 3_600_000 : 0; // Chicago in summer, as every offset that is written
          expect(Math.abs(dayOf(read.value) - (localMs + offsetMs))).toBeLessThan(86_400_000);
          if (source.split('[')[0]?.includes('mm') && read.value.kind === 'local') {
            expect(read.value.localMs - (read.value.localMs % 60_000)).toBe(localMs);
          }
          for (const at of [seam ?? 0, ...cuts]) expect(at >= 0 && at <= text.length).toBe(true);
        }
      }),
    );
  });
});

describe('what conditions leave to a column', () => {
  const COLUMNS = ['A', 'B'];
  const VALUES = ['', 'x', 'y', 'z'];
  const values = fc.uniqueArray(fc.constantFrom(...VALUES), { minLength: 1, maxLength: 3 });
  const { condition } = fc.letrec<{ condition: Condition }>((tie) => ({
    condition: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      fc.oneof(
        fc.record({ field: fc.constantFrom(...COLUMNS), in: values }),
        fc.record({ field: fc.constantFrom(...COLUMNS), notIn: values }),
        fc.record({ field: fc.constantFrom(...COLUMNS), equals: fc.constantFrom(...VALUES) }),
        fc.record({ field: fc.constantFrom(...COLUMNS), empty: fc.boolean() }),
      ),
      fc.record({ all: fc.array(tie('condition'), { minLength: 1, maxLength: 3 }) }),
      fc.record({ any: fc.array(tie('condition'), { minLength: 1, maxLength: 3 }) }),
      fc.record({ not: tie('condition') }),
    ),
  }));
  const all = VALUES.flatMap((a) => VALUES.map((b) => [a, b] as const));

  it('is exactly what they are true for, and none is left only where they contradict themselves', () => {
    fc.assert(
      fc.property(condition, fc.boolean(), fc.nat({ max: 3 }), (of, holds, turn) => {
        const test = compileCondition(of, (column) => COLUMNS.indexOf(column));
        const ways = [...narrowed(new Map(), of, holds, { turn, effort: { left: 10_000 } })];
        const met = all.filter(([a, b]) => ways.some((way) => fitsDomain(way, 'A', a) && fitsDomain(way, 'B', b)));
        expect(met).toEqual(all.filter((cells) => test(cells) === holds));
      }),
    );
  });

  it('takes no longer than it may', () => {
    const any: Condition = { any: Array.from({ length: 50 }, (_, index) => ({ field: `C${index}`, equals: 'x' })) };
    const of: Condition = { all: [...Array.from({ length: 8 }, () => any), { field: 'A', in: [' '] }] };
    const effort = { left: 1_000 };
    expect([...narrowed(new Map(), of, true, { turn: 0, effort })]).toEqual([]);
    expect(effort.left).toBe(0);
  });
});

describe('functions turned around', () => {
  it('give up on a text that cannot be cut over its columns', () => {
    const columns = Array.from({ length: 19 }, (_, index) => `C${index}`);
    const ideas = columnTexts({ from: [...columns, { const: '!' }], join: '' }, { text: 'x'.repeat(60) }, 0);
    expect([...ideas].every((texts) => [...texts.values()].filter((text) => text !== '').length === 1)).toBe(true);
  });

  const options = fc.record(
    {
      pad: fc.record({
        to: fc.constantFrom(4, 8),
        with: fc.constantFrom('0', ' '),
        side: fc.constantFrom('left', 'right'),
      }),
      upper: fc.constant(true),
      replace: fc.constantFrom([{ find: ' ', with: '_' }], [{ find: '#', with: '' }], [{ find: 'a', with: 'bb' }]),
      substring: fc.constantFrom({ from: 3 }, { from: 1, length: 30 }, { from: 5, length: 8 }),
    },
    { requiredKeys: [] },
  );

  it('lead back to the wanted text, where the functions can come to it', () => {
    fc.assert(
      fc.property(options, fc.constantFrom('LD100001', 'X3', 'EN_ROUTE', '7'), (field, source) => {
        const run = (text: string) => textFunctions(field as never).reduce((so, step) => step(so), text);
        // What the functions make of some text is a text they can come to.
        const wanted = run(`XXXXXX${source}`.slice(field.substring === undefined ? 6 : 7 - field.substring.from));
        if (wanted === '') return;
        const ideas = [...columnTexts({ from: 'C', ...(field as object) }, { text: wanted }, 0)];
        expect(ideas.map((texts) => run(texts.get('C') ?? ''))).toContain(wanted);
      }),
    );
  });
});
