/**
 * X12 and EDIFACT: the shipped mapping of the message, and what this partner does otherwise: zones that no element
 * names, codes that no list has, references that stand elsewhere.
 */

import { parse as parseYaml } from 'yaml';
import { declaredSet } from '../../formats/edifact/text.ts';
import { bytesInMemory, slicesOf } from '../../formats/slices.ts';
import { checkMapping } from '../check/check.ts';
import { type CompiledMapping, compileMapping, type LocatedRecord } from '../compile/compile.ts';
import { mapFile } from '../compile/map-file.ts';
import type { Json } from '../document/canonical.ts';
import { codesOf, STATUS_CODES } from './codes.ts';
import { writeDocument } from './document.ts';
import { type Drafting, decidedEntry, noteOf, openEntry, shapeNamed } from './draft.ts';
import { fact, type SampleOptions } from './formats/sample.ts';
import { interchangeOf, type LooseInterchange, readSegments } from './formats/segments.ts';
import type { EncodedText } from './formats/text-encoding.ts';
import { iftstaCode, iftstaTime, loadEntry, statusTexts } from './iftsta.ts';
import { cellText, type SampleColumn, type Shape, samplesOf, shapeOf } from './shape.ts';
import type { Confidence, FormatFact, Shipped, Suggestion } from './suggestion.ts';
import { ZONE_CHOICES } from './times.ts';
import { type Entry, entry } from './yaml.ts';

type JsonMap = { [key: string]: Json };

export async function suggestDialect(
  name: string,
  format: 'x12' | 'edifact',
  read: EncodedText & { bytes: Uint8Array },
  { answers }: SampleOptions,
  shipped: Shipped,
): Promise<Suggestion> {
  const found = readSegments(read.text, format);
  const types = [...new Set(found?.messages.map(({ type }) => type) ?? [])];
  const base = types.map((type) => baseOf(format, type)).find((each) => shipped.documents.has(each));
  const facts = formatFacts(format, found, declaredEncoding(found) ?? read.fact);
  if (found === null || base === undefined) return withoutBase(name, facts, found, types);
  const type = types.find((each) => baseOf(format, each) === base) ?? '';
  const compiled = compiledBase(base, shipped, found.isBare);
  const columns = await columnsRead(compiled, read.bytes);
  const shapes = [...columns, ...statusTexts(found, type)].map(shapeOf);
  const drafting: Drafting = {
    shapes,
    matches: new Map(),
    answers,
    lists: shipped.lists,
    name,
    fields: [],
    questions: [],
    codeLists: [],
  };
  const mapped = await mappedRecords(compiled, read.bytes);
  const written = parseYaml(shipped.documents.get(base) ?? '') as JsonMap;
  const entries = dialectEntries(drafting, { base, type, written, mapped, found });
  const isWhole = drafting.questions.every(({ answer }) => answer !== null);
  const exampleOf = (count: number): string | null => interchangeOf(found, type, count);
  const document = await writeDocument({ entries, exampleOf, codeLists: drafting.codeLists, isWhole }, shipped);
  const kinds = new Set(mapped.flatMap(({ mapped: { requests } }) => requests.map((request) => request.kind)));
  // Of a switch only what the file becomes shows which kind it is.
  const kind = [...kinds][0] ?? (compiled.targets.length === 1 ? compiled.targets[0] : undefined) ?? null;
  const known = new Set(drafting.questions.map(({ id }) => id));
  const codes = new Set(drafting.codeLists.flatMap(({ words }) => words.map(({ answerId }) => answerId)));
  return {
    name,
    source: sourceOf(written, found),
    format: facts,
    records: mapped.length,
    columns: [...shapes, ...unread(found, type, columns).map(shapeOf)].map((shape) => columnOf(shape, drafting)),
    target: { kind, confidence: kind === null ? 'unsure' : 'sure', reason: targetReason(base, type, [...kinds]) },
    extends: base,
    fields: drafting.fields,
    questions: drafting.questions,
    codeLists: drafting.codeLists,
    yaml: document.yaml,
    isValid: document.isValid,
    problems: document.problems,
    unusedAnswers: [...answers].flatMap(([id, choice]) => (known.has(id) || codes.has(id) ? [] : [`${id}:${choice}`])),
  };
}

function targetReason(base: string, type: string, kinds: readonly string[]): string {
  const read = `The shipped mapping ${base} reads ${type}.`;
  if (kinds.length === 0) return `${read} Nothing of this file becomes a request yet.`;
  return kinds.length === 1 ? read : `${read} This file becomes ${kinds.join(', ')}.`;
}

const baseOf = (format: string, type: string): string => `${format}-${type.toLowerCase()}`;

const sourceOf = (written: JsonMap, { isBare }: LooseInterchange): Json =>
  isBare ? { ...(written.source as JsonMap), bare: 'accept' } : (written.source ?? null);

/** An interchange names its character set itself, and is read so. */
function declaredEncoding(found: LooseInterchange | null): FormatFact | null {
  const syntax = found?.segments.find(({ tag }) => tag === 'UNB')?.elements[0]?.[0] ?? '';
  const declared = declaredSet(syntax);
  return declared === undefined ? null : fact('encoding', declared, 'sure', `UNB declares it: ${syntax}.`);
}

function formatFacts(format: string, found: LooseInterchange | null, encoding: FormatFact): FormatFact[] {
  if (found === null)
    return [fact('format', format, 'unsure', 'It begins like one, but its segments cannot be told apart.'), encoding];
  const { delimiters, messages, isBare } = found;
  const counts = Map.groupBy(messages, ({ type, version }) => `${type} ${version}`.trim());
  const shown = (text: string): string => (text === '\n' ? '\\n' : text);
  return [
    fact('format', format, 'sure', `${found.segments.length} segments, divided as its beginning says.`),
    encoding,
    fact(
      'separators',
      `${shown(delimiters.element)} ${shown(delimiters.component)} ${shown(delimiters.terminator)}`,
      'sure',
      'The file says them itself.',
    ),
    ...[...counts].map(([name, all]) => fact('message', name, 'sure', `There are ${all.length} of them.`)),
    ...(isBare ? [fact('envelope', 'none', 'sure', 'There are messages, and no UNB around them.')] : []),
  ];
}

function withoutBase(
  name: string,
  facts: FormatFact[],
  found: LooseInterchange | null,
  types: readonly string[],
): Suggestion {
  const reason =
    types.length === 0
      ? 'No message can be read.'
      : `No shipped mapping reads ${types.join(', ')}: its mapping has to be written by hand.`;
  const columns = types.flatMap((type) => (found === null ? [] : unread(found, type, []))).map(shapeOf);
  return {
    name,
    source: null,
    format: facts,
    records: 0,
    columns: columns.map((shape) => columnOf(shape, null)),
    target: { kind: null, confidence: 'unsure', reason },
    extends: null,
    fields: [],
    questions: [],
    codeLists: [],
    yaml: null,
    isValid: false,
    problems: [],
    unusedAnswers: [],
  };
}

function columnOf(shape: Shape, drafting: Drafting | null): Suggestion['columns'][number] {
  const { column, emptyShare, counts, distinctIsAll, pattern, kind } = shape;
  const usedFor =
    drafting?.fields.flatMap(({ field, columns }) => (columns.includes(column.name) ? [field] : [])) ?? [];
  return {
    name: column.name,
    samples: samplesOf(shape),
    rows: column.values.length,
    emptyShare: Math.round(emptyShare * 1_000) / 1_000,
    distinct: counts.size,
    distinctIsAll,
    pattern,
    kind,
    usedFor,
  };
}

/* What the shipped mapping reads of this file, and what it makes of it. */

function compiledBase(base: string, { documents, lists }: Shipped, isBare: boolean): CompiledMapping {
  const checked = checkMapping(documents.get(base) ?? '', lists, { bases: documents });
  if (!checked.ok) throw new Error(`the shipped mapping ${base} does not compile`);
  const { source } = checked.value;
  const own =
    isBare && source.format === 'edifact'
      ? { ...checked.value, source: { ...source, bare: 'accept' as const } }
      : checked.value;
  return compileMapping(own, lists);
}

async function columnsRead({ reader, shape }: CompiledMapping, bytes: Uint8Array): Promise<SampleColumn[]> {
  const values = shape.paths.map((): string[] => []);
  for await (const read of slicesOf(bytesInMemory(bytes), reader)) {
    if (read.outcome !== 'records') break;
    for (const { fields, problem } of read.records) {
      if (problem !== undefined) continue;
      for (const [index, field] of fields.entries()) values[index]?.push(cellText(field));
    }
  }
  return shape.paths.map((name, index) => ({ name, called: name, values: values[index] ?? [] }));
}

async function mappedRecords(mapping: CompiledMapping, bytes: Uint8Array): Promise<LocatedRecord[]> {
  const records: LocatedRecord[] = [];
  for await (const step of mapFile(mapping, bytesInMemory(bytes)))
    if (step.outcome === 'records') records.push(...step.records);
  return records;
}

/** Segments whose first or second element says what the others are. */
const QUALIFIED: Readonly<Record<string, string>> = {
  L11: '02',
  REF: '01',
  N9: '01',
  N1: '01',
  NM1: '01',
  DTM: '01',
  G62: '01',
  RFF: '01.1',
  LOC: '01',
  NAD: '01',
  MEA: '01',
  N7: '',
  MAN: '01',
};

/** Elements that the mapping does not read, by the paths that would. */
function unread({ messages, format }: LooseInterchange, type: string, read: readonly SampleColumn[]): SampleColumn[] {
  const known = new Set(read.map(({ name }) => name.replace(/^.*\//, '')));
  const columns = new Map<string, string[]>();
  for (const { segments } of messages.filter((message) => message.type === type)) {
    for (const { tag, elements } of segments) {
      const place = QUALIFIED[tag];
      const [element = '01', component] = (format === 'edifact' && tag === 'DTM' ? '01.1' : (place ?? '')).split('.');
      const value =
        place === undefined || place === ''
          ? ''
          : (elements[Number(element) - 1]?.[component === undefined ? 0 : Number(component) - 1] ?? '');
      const named =
        value === '' ? tag : `${tag}[${component === undefined ? element : `${element}.${component}`}=${value}]`;
      elements.forEach((parts, at) => {
        parts.forEach((part, index) => {
          const path = `${named}-${String(at + 1).padStart(2, '0')}${parts.length > 1 ? `.${index + 1}` : ''}`;
          if (part.trim() === '' || known.has(path) || part === value) return;
          columns.set(path, [...(columns.get(path) ?? []), part.trim()].slice(0, ELEMENTS_MAX));
        });
      });
    }
  }
  return [...columns].slice(0, UNREAD_MAX).map(([name, values]) => ({ name, called: name, values }));
}

/** Values kept of one element, and elements listed. */
const ELEMENTS_MAX = 200;
const UNREAD_MAX = 200;

/* The dialect. */

interface Dialect {
  base: string;
  type: string;
  written: JsonMap;
  mapped: readonly LocatedRecord[];
  found: LooseInterchange;
}

function dialectEntries(drafting: Drafting, dialect: Dialect): Entry[] {
  const { base, type, written, mapped, found } = dialect;
  const errors = mapped.flatMap(({ mapped: { errors: all } }) => all);
  noteFields(drafting, dialect);
  const zone = errors.some(({ code }) => code === 'time_zone_missing') ? [zoneEntry(drafting, written)] : [];
  const eventCode = type === 'IFTSTA' ? [iftstaCode(drafting)] : [];
  const load = errors.some(({ code, path }) => code === 'value_missing' && path.includes('RFF'))
    ? [loadEntry(drafting, found)]
    : [];
  const time = type === 'IFTSTA' ? iftstaTime(drafting) : [];
  const requests = type === '214' ? statusRequests(drafting, written) : [];
  const fields = [...load, ...eventCode, ...time];
  return [
    entry('mapping', drafting.name),
    entry('extends', base, 'all that is not said here is as the shipped mapping has it'),
    entry('description', `Suggested from a sample: ${type} as this partner writes it.`),
    ...(found.isBare ? [entry('source', { bare: 'accept' }, 'there is no UNB around the messages')] : []),
    ...zone,
    ...(fields.length === 0 ? [] : [entry('fields', fields)]),
    ...requests,
  ];
}

/** What the shipped mapping reads, with how much of it is filled here. */
function noteFields(drafting: Drafting, { written, base, type, mapped }: Dialect): void {
  const failed = new Set(mapped.flatMap(({ mapped: { errors } }) => errors.flatMap(({ path }) => path.split(', '))));
  const own = new Set(type === 'IFTSTA' ? ['fields.eventCode'] : []);
  const parts: [string, Json][] = [
    ...members('fields', written.fields),
    ...(Array.isArray(written.requests)
      ? written.requests.flatMap((request) => members('fields', (request as JsonMap).fields))
      : []),
    ...members('order', written.order),
  ];
  const byName = new Map(drafting.shapes.map((shape) => [shape.column.name, shape]));
  for (const [field, spec] of parts) {
    if (own.has(field) || drafting.fields.some((known) => known.field === field)) continue;
    const columns = [...new Set(textsIn(spec).filter((text) => byName.has(text)))];
    const filled = columns.filter((column) => (byName.get(column)?.filled ?? 0) > 0);
    if (filled.length === 0) continue;
    const isFailed = columns.some((column) => failed.has(column));
    const isIdentifier = IDENTIFIERS.has(field);
    const confidence: Confidence =
      isFailed || (isIdentifier && type === 'IFTSTA') ? 'unsure' : isIdentifier ? 'likely' : 'sure';
    const reason = `The shipped mapping ${base} reads it from ${filled.join(', ')}, which this file fills.${isFailed ? ' Some of its values cannot be read so.' : ''}${isIdentifier ? ' Check that it is the number that the receiving system knows.' : ''}`;
    drafting.fields.push({ field, columns: filled, spec, confidence, reason, evidence: null });
  }
}

/** Which number is meant is an agreement of two partners. */
const IDENTIFIERS: ReadonlySet<string> = new Set(['fields.loadNumber', 'order.orderRef']);

const members = (within: string, node: Json | undefined): [string, Json][] =>
  typeof node === 'object' && node !== null && !Array.isArray(node)
    ? Object.entries(node).map(([key, value]): [string, Json] => [`${within}.${key}`, value as Json])
    : [];

/** Columns whose values are sent: a condition only asks. */
function textsIn(node: Json): string[] {
  if (typeof node === 'string') return [node];
  if (typeof node !== 'object' || node === null) return [];
  return Object.entries(node).flatMap(([key, each]) => (key === 'when' ? [] : textsIn(each as Json)));
}

function zoneEntry(drafting: Drafting, { zone }: JsonMap): Entry {
  const answer = drafting.answers.get('zone') ?? null;
  const question = {
    id: 'zone',
    asks: 'In which time zone are the times without one?',
    why: 'Some times have neither an offset nor a code of a zone that says one.',
    columns: [],
    evidence: [],
    choices: ZONE_CHOICES.map((choice) => ({ choice, says: choice, isLikely: false })),
    free: 'zone',
    answer,
  } as const;
  const spec = (name: string): Json =>
    typeof zone === 'object' && zone !== null ? { ...(zone as JsonMap), default: name } : { const: name };
  if (answer === null) return openEntry(drafting, 'zone', question, [spec('America/Chicago')]);
  drafting.questions.push(question);
  return decidedEntry(drafting, 'zone', {
    columns: [],
    spec: spec(answer),
    confidence: 'sure',
    reason: 'As you answered.',
  });
}

/* Codes of 214: those that the shipped list lacks get one of the partner's own, in front of it. */

function statusRequests(drafting: Drafting, written: JsonMap): Entry[] {
  const shape = shapeNamed(drafting, 'AT7-01');
  const standard = drafting.lists.get('x12-status-codes');
  if (shape === undefined || [...shape.counts.keys()].every((code) => standard?.find(code) !== undefined)) return [];
  const lost = { ...shape, counts: new Map([...shape.counts].filter(([code]) => standard?.find(code) === undefined)) };
  const codes = codesOf(drafting, lost, STATUS_CODES);
  if (codes.list !== null) drafting.codeLists.push(codes.list);
  if (codes.lookup === null) {
    const question = {
      id: 'eventCode.codes',
      asks: `What do the status codes ${[...lost.counts.keys()].join(', ')} stand for?`,
      why: 'No list has them.',
      columns: ['AT7-01'],
      evidence: [],
      choices: [{ choice: 'reject', says: 'Nothing that is wanted: their rows are errors.', isLikely: false }],
      free: null,
      answer: drafting.answers.get('eventCode.codes') ?? null,
    } as const;
    drafting.questions.push(question);
    return [];
  }
  const note = noteOf('unsure', codes.reason);
  return [
    entry('requests', {
      lines: (written.requests as Json[]).map((request) => ({
        value: withList(request, 'x12-status-codes', String(codes.lookup)),
        note,
      })),
    }),
  ];
}

/** The same, with the partner's own list in front of a shipped one. */
function withList(node: Json, list: string, own: string): Json {
  if (Array.isArray(node)) return node.map((each) => withList(each, list, own));
  if (typeof node !== 'object' || node === null) return node;
  return Object.fromEntries(
    Object.entries(node).map(([key, value]) => [
      key,
      key === 'lookup' && value === list ? [own, list] : withList(value as Json, list, own),
    ]),
  );
}
