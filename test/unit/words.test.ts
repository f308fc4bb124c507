/** The house speaks the field's language: words of its own were replaced, and no name brings one back. See docs/glossary.md. */
import { globSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { expect, it } from 'vitest';
import { childOf, type Node, treeOf } from '../../scripts/mutate/tree.ts';

/** What the house once said, and what the field says. A word in a name is a part of it: `tellOrders` has `tell`. */
const REPLACED: Readonly<Record<string, string>> = {
  'tell telling told announce announced announcing news': 'notify, publish, notification',
  'ask asked asking asker': 'request, call, query; resolver',
  'judge judged verdict standing ruling': 'validate, classify, plan; current; decision',
  'sound unclear unfit': 'well-formed, ambiguous, skipped',
  'letter letters': 'dead letter',
  'surprise surprises odd': 'anomaly',
  handed: 'dispatch, enqueue',
  'fold folded': 'archive',
  'lives life age': 'retention, lifecycle',
  'gather gathered staged': 'group, pending group',
  'kept born built': 'stored, created, cached',
  words: 'messages',
  'place placed places': 'location, path',
  'pair pairs': 'order-feed key',
  'poke poked park parked turn': 'ensureAlarm, defer, step',
  'opening edition': 'reopen count, revision',
  'roll rolls wallet mark marks': 'rolling batch, permit pool, checkpoint',
};
const FIELDS_WORD = new Map(
  Object.entries(REPLACED).flatMap(([words, instead]) => words.split(' ').map((word) => [word, instead] as const)),
);

/** Right where they are. */
const ALLOWED: Readonly<Record<string, RegExp>> = {
  'a letter of the alphabet':
    /^(?:letters?|LETTERS|LETTER_[A-Z]|NO_LETTER|PART_LETTERS|BY_THIRD_LETTER|SCALE_LETTER_FORM|isLetter|yearLetter|columnLetters)$/,
  'a dead letter': /dead_?letter|dead-letter/i,
  'a mark in a text: of byte order, of decimals, of an end, in a number format':
    /^(?:BYTE_ORDER_MARKS?|[bB]yteOrderMark|UTF_8_MARK|END_MARK|MARKS|marks?|markNotes|encodingByMark|DecimalMark|ThousandsMark|NumberMarks|DECIMAL_MARKS|THOUSANDS_MARKS)$/,
  'the verb: to mark a row as due or applied': /^mark(?:Applied|Due|Overflowed)$/,
  'a place that is a city, in what the upstream says':
    /^(?:place|Place|PLACES?|PLACE_PARTS|StatusPlace|placeIn|placeCells|places)$/,
  'how many locations of a city are tried': /^PLACES_TRIED_MAX$/,
  'a number with its unit, a longitude with its latitude, an element with its qualifier':
    /^(?:ReadUnitPair|CoordinatePair|coordinatePair|pairFault|ElementPair|PAIR)$/,
  'the beginning of a file or a message':
    /^(?:validate|read|after)?[oO]pening(?:Of|Text|Message|s|sOf)?$|^OPENINGS?(?:_BYTES)?$/,
  'the age of an answer, as in the header `Age`': /^(?:ageHeaders|EVENT_AGE_MAX_MS)$/,
  'the lifecycle of an order in the sandbox': /^LIFE$/,
  'to reduce the states of requests to that of their row': /^(?:foldRow|FOLD_ORDER)$/,
  'stored under this name': /^(?:edition|cancelAskedAtMs|takenUntilMs|placedAt)$/,
  "a contract of the upstream: the pair that names an order's owner": /^order-pair$/,
  'of the language: built in': /^builtInKind$/,
};

const isAllowed = (name: string): boolean => Object.values(ALLOWED).some((names) => names.test(name));

const wordsOf = (name: string): string[] =>
  name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replaceAll(/([A-Z]+)([A-Z][a-z])/g, '$1 $2')
    .toLowerCase()
    .split(/[ _-]/);

/** @returns one sentence for a name with a word that was replaced. */
const oldWords = (name: string, where: string): string[] =>
  isAllowed(name)
    ? []
    : wordsOf(name).flatMap((word) => {
        const instead = FIELDS_WORD.get(word);
        return instead === undefined ? [] : [`${where}: ${name}: for "${word}" the field says ${instead}`];
      });

const nameOf = (node: Node | null): string[] => (typeof node?.name === 'string' ? [node.name] : []);

/** Names that a module declares at its own level, and those of its classes' methods. */
function declared(path: string, text: string): string[] {
  return (treeOf(path, text).body as Node[]).flatMap((statement) => {
    const declaration = childOf(statement, 'declaration') ?? statement;
    const parts = (childOf(declaration, 'body')?.body ?? []) as Node[];
    const methods =
      declaration.type === 'ClassDeclaration' ? parts.filter(({ type }) => type === 'MethodDefinition') : [];
    const variables = declaration.type === 'VariableDeclaration' ? (declaration.declarations as Node[]) : [];
    return [
      ...nameOf(childOf(declaration, 'id')),
      ...variables.flatMap((variable) => nameOf(childOf(variable, 'id'))),
      ...methods.flatMap((method) => nameOf(childOf(method, 'key'))),
    ];
  });
}

it('no file, folder, type, function, constant or method bears a word that the field does not use', () => {
  const found = globSync('src/**/*.{ts,tsx}').flatMap((path) => {
    const parts = path.replaceAll('\\', '/').split('/').slice(1);
    const files = parts.flatMap((part) => oldWords(part.replace(/\.tsx?$/, ''), posix.join(...parts)));
    return [
      ...files,
      ...declared(path, readFileSync(path, 'utf8')).flatMap((name) => oldWords(name, posix.join(...parts))),
    ];
  });
  expect([...new Set(found)]).toEqual([]);
}, 60_000); // every source is parsed, which takes a busy machine twenty seconds

it.each([
  ['a function', 'export async function tellOrders() {}', 'tellOrders'],
  ['a constant', 'const ROW_WORDS = {};', 'ROW_WORDS'],
  ['a type', 'export interface HandedRequest { a: string }', 'HandedRequest'],
  ['a method', 'class A { #keep = 1; judgeBase() {} }', 'judgeBase'],
])('%s that brings one back is found', (_, text, name) => {
  expect(declared('src/a.ts', text).flatMap((each) => oldWords(each, 'a.ts'))).toEqual([
    expect.stringContaining(`a.ts: ${name}: for "`),
  ]);
});

it('each word of the field that replaces one is in the glossary, which has 60 lines at most', () => {
  const glossary = readFileSync('docs/glossary.md', 'utf8');
  expect(glossary.trimEnd().split('\n').length).toBeLessThanOrEqual(60);
  const words = Object.values(REPLACED).flatMap((instead) => instead.split(/[,;] /));
  expect(words.filter((word) => !glossary.toLowerCase().includes(word.toLowerCase()))).toEqual([]);
});
