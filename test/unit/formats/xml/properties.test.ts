import { Buffer } from 'node:buffer';
import fc from 'fast-check';
import { SaxesParser } from 'saxes';
import { describe, expect, it } from 'vitest';
import { XML_LIMITS } from '../../../../src/formats/xml/limits.ts';
import { describeXmlProblem } from '../../../../src/formats/xml/problems.ts';
import { draws } from '../../../draws.ts';
import { bytesOf, declare, plainRead, readWhole } from './reading.ts';

/** Small enough that random documents of a few hundred bytes pass every limit. */
const SMALL = {
  ...XML_LIMITS,
  sniffBytes: 8,
  recordBytesMax: 120,
  depthMax: 6,
  nodesMax: 8,
  attributesMax: 3,
  attributeCharactersMax: 20,
  nameCharactersMax: 12,
  capturedCharactersMax: 12,
};
const CAPTURES = [
  { base: 1, steps: [], attribute: { local: 'id', uri: undefined } },
  {
    base: 0,
    steps: ['list', 'head'].map((local) => ({ local, uri: undefined, attributes: [], position: null })),
    attribute: null,
  },
];

const name = fc.constantFrom('item', 'list', 'a', 'p:b', 'head', 'verylongname');
const text = fc.oneof(
  fc.constantFrom(
    '',
    '\n',
    '\r\n',
    'x',
    'Äé中𝄞',
    '&amp;',
    '&#10;',
    '<![CDATA[<&]]>',
    '<!-- & -->',
    '<?pi & ?>',
    'a & b',
    '&nbsp;',
    ']]>',
  ),
  fc.string({ maxLength: 12, unit: fc.constantFrom(...'ab <>&;"\'/é\n\u0001') }),
);
const attributes = fc
  .array(fc.tuple(fc.constantFrom('id', 'b', 'xmlns:p', 'xmlns'), fc.constantFrom('1', 'urn:x', '&lt;', 'a>b', 'é')), {
    maxLength: 3,
  })
  .map((all) => all.map(([key, value]) => ` ${key}="${value}"`).join(''));
const { element } = fc.letrec<{ element: string; inner: string }>((tie) => ({
  element: fc
    .tuple(name, attributes, tie('inner'))
    .map(([tag, own, inner]) => (inner === '' ? `<${tag}${own}/>` : `<${tag}${own}>${inner}</${tag}>`)),
  inner: fc.array(fc.oneof({ maxDepth: 3 }, text, tie('element')), { maxLength: 4 }).map((parts) => parts.join('')),
}));
const document = fc
  .tuple(
    fc.constantFrom('', '<?xml version="1.0"?>\n', '\ufeff', '<!-- x --><!DOCTYPE a>'),
    fc.array(fc.oneof(element, text), { maxLength: 5 }),
  )
  .map(([start, parts]) => `${start}<list id="L">${parts.join('')}</list>`);
/** Now and then a document is cut, or some of its bytes are others. */
const file = fc
  .tuple(
    fc.oneof(document, fc.string({ maxLength: 40 })),
    fc.boolean(),
    fc.array(fc.tuple(fc.nat(400), fc.nat(255)), { maxLength: 2 }),
    fc.nat(500),
  )
  .map(([written, isWide, changes, cutAt]) => {
    const bytes = new Uint8Array(isWide ? Buffer.from(`\ufeff${written}`, 'utf16le') : bytesOf(written));
    for (const [at, value] of changes) if (at < bytes.length) bytes[at] = value;
    return bytes.subarray(0, cutAt < 100 ? cutAt : bytes.length);
  });
const source = fc.constantFrom(
  declare(),
  declare('list'),
  declare('list/a/item'),
  declare('list/q:item', { namespaces: { q: 'urn:x' } }),
);

describe('any document', () => {
  it('reads the same in slices of any size', () => {
    fc.assert(
      fc.property(file, source, fc.integer({ min: 1, max: 60 }), (bytes, declared, sliceBytes) => {
        const options = { limits: SMALL, captures: CAPTURES };
        const whole = readWhole(bytes, declared, options);
        expect(plainRead(readWhole(bytes, declared, { ...options, sliceBytes }))).toEqual(plainRead(whole));
      }),
      { numRuns: draws(4_000) },
    );
  });

  it('ends in records or in problems with words, whatever the bytes', () => {
    fc.assert(
      fc.property(file, source, (bytes, declared) => {
        const read = readWhole(bytes, declared, { limits: SMALL, captures: CAPTURES });
        const end = read.endProblem === null ? [] : [read.endProblem];
        const problems = [...read.problems, ...read.records.flatMap(({ problem }) => problem ?? []), ...end];
        for (const { message, fix } of problems.map(describeXmlProblem)) {
          expect(message).toMatch(/^\S.*\.$/s);
          expect(fix).toMatch(/^\S.*\.$/s);
          expect(`${message}${fix}`).not.toMatch(/undefined[^ ]|NaN|\[object/);
        }
      }),
      { numRuns: draws(2_000) },
    );
  });

  it('gives records whose own bytes are well-formed XML of the right name, in order, numbered without gaps', () => {
    fc.assert(
      fc.property(
        document,
        fc.array(fc.tuple(fc.nat(300), fc.constantFrom(...'<>/&"= a')), { maxLength: 2 }),
        (written, changes) => {
          const characters = [...written];
          for (const [at, character] of changes) if (at < characters.length) characters[at] = character;
          const bytes = bytesOf(characters.join(''));
          let reached = 0;
          for (const [index, { position }] of readWhole(bytes).records.entries()) {
            expect(position.record).toBe(index + 1);
            expect(position.byteFrom).toBeGreaterThanOrEqual(reached);
            reached = position.byteTo;
            const own = Buffer.from(bytes.subarray(position.byteFrom, position.byteTo)).toString();
            expect(own).toMatch(/^<(?:\w+:)?item[\s/>]/);
            expect(() => new SaxesParser().write(own).close()).not.toThrow();
          }
        },
      ),
      { numRuns: draws(3_000) },
    );
  });
});

describe('a document written by the rules', () => {
  const content = fc
    .string({ unit: 'grapheme', maxLength: 20 })
    .map((all) => all.replace(/[^\t\n\x20-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, ''));
  const escaped = (plain: string) =>
    plain
      .replaceAll('&', '&amp;')
      .replaceAll('<', '&lt;')
      .replaceAll('>', '&gt;')
      .replaceAll('"', '&quot;')
      .replace(/[\t\n]/g, (space) => `&#${space.charCodeAt(0)};`);
  it('reads back what was written', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(content, content), { maxLength: 6 }),
        fc.constantFrom('utf8', 'utf16le'),
        (rows, encoding) => {
          const items = rows.map(([one, other]) => `<item a="${escaped(one)}">${escaped(other)}</item>`);
          const bytes = Buffer.from(`\ufeff<list>\n${items.join('\n')}\n</list>`, encoding as 'utf8');
          const { records, endProblem, problems } = readWhole(new Uint8Array(bytes));
          expect([endProblem, problems]).toEqual([null, []]);
          expect(records.map(({ element: read }) => [read?.attributes[0]?.value, read?.text])).toEqual(rows);
        },
      ),
      { numRuns: draws(1_000) },
    );
  });
});
