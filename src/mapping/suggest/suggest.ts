/**
 * A sample file → a mapping for it: what is found out, what is decided and why, what has to be asked, and the YAML.
 *
 * Nothing is guessed in silence: what the file does not decide is a question, and what is only likely says so. Pure, but
 * for unpacking a workbook.
 */
import { type FileLook, looksLike, MAGIC_MESSAGES } from '../../formats/magic.ts';
import { isOrderKind } from '../document/targets.ts';
import { NAME_CHARACTERS_MAX } from '../limits.ts';
import { suggestDialect } from './dialect.ts';
import { writeDocument } from './document.ts';
import { type Drafting, noteOf } from './draft.ts';
import { type EventParts, milestoneParts, traceParts } from './events.ts';
import { csvSample, isDivided } from './formats/csv.ts';
import { fixedSample, isFixedWidth } from './formats/fixed.ts';
import { jsonSample } from './formats/json.ts';
import { fact, isUnread, type Sample, type SampleOptions, type Unread } from './formats/sample.ts';
import { readText } from './formats/text-encoding.ts';
import { workbookSample } from './formats/xlsx.ts';
import { readXml, xmlSample } from './formats/xml.ts';
import { SAMPLE_BYTES_MAX } from './limits.ts';
import { actionEntry, actionOf, orderEntries } from './orders.ts';
import { withOther } from './others.ts';
import { isTotal, type Shape, samplesOf, shapeOf } from './shape.ts';
import type { ColumnSuggestion, SampleGiven, Shipped, Suggestion } from './suggestion.ts';
import { decideTarget, orderShapes, type TargetFound } from './target.ts';
import { ROLES, type RoleName } from './terms.ts';
import { type Entry, entry } from './yaml.ts';

export async function suggestMapping(bytes: Uint8Array, given: SampleGiven, shipped: Shipped): Promise<Suggestion> {
  const answers = given.answers ?? new Map<string, string>();
  const part = bytes.subarray(0, SAMPLE_BYTES_MAX);
  const asked = { answers, isPart: given.isPart === true || part.byteLength < bytes.byteLength };
  const name = mappingName(given.fileName);
  const look = looksLike(part);
  if (look === 'x12' || look === 'edifact' || isBareEdifact(part)) {
    const format = look === 'x12' ? 'x12' : 'edifact';
    return await suggestDialect(name, format, { ...readText(part, asked), bytes: part }, asked, shipped);
  }
  const sample = look === 'zip' ? await workbookSample(bytes, asked) : readSample(part, asked);
  if (isUnread(sample)) return nothingRead(name, sample);
  return await suggested(name, sample, asked, shipped);
}

/** Messages without an interchange around them. */
const isBareEdifact = (bytes: Uint8Array): boolean =>
  /^\s*(?:UNA.{6}\s*)?UNH\+/.test(new TextDecoder('latin1').decode(bytes.subarray(0, 40)));

/** In UTF-16 only the text shows what it is. */
function lookOf(bytes: Uint8Array, asked: SampleOptions): FileLook | null {
  const look = looksLike(bytes);
  if (look !== null || bytes.byteLength === 0) return look;
  const { encoding, text } = readText(bytes, asked);
  return encoding.startsWith('utf-16') && looksLike(new TextEncoder().encode(text.slice(0, 200))) === 'xml'
    ? 'xml'
    : null;
}

function readSample(bytes: Uint8Array, asked: SampleOptions): Sample | Unread {
  const look = lookOf(bytes, asked);
  if (bytes.byteLength === 0) {
    return { format: [fact('format', 'unknown', 'unsure', 'The file is empty.')], questions: [] };
  }
  if (look === 'xml') return xmlSample(readXml(bytes, asked), asked);
  if (look !== null && look !== 'json') {
    return { format: [fact('format', look, 'sure', `It is ${MAGIC_MESSAGES[look]}.`)], questions: [] };
  }
  const read = readText(bytes, asked);
  const { text, encoding, fact: encodingFact, questions } = read;
  if (look === 'json') return jsonSample(read, asked);
  if (isFixedWidth(text) && !isDivided(text)) return fixedSample(read);
  return csvSample({ text, encoding, facts: [encodingFact], questions }, asked);
}

const nothingRead = (name: string, { format, questions }: Unread): Suggestion => ({
  name,
  source: null,
  format,
  records: 0,
  columns: [],
  target: { kind: null, confidence: 'unsure', reason: 'Nothing can be read of the file.' },
  extends: null,
  fields: [],
  questions: [...questions],
  codeLists: [],
  yaml: null,
  isValid: false,
  problems: [],
  unusedAnswers: [],
});

async function suggested(
  name: string,
  sample: Sample,
  { answers }: SampleOptions,
  shipped: Shipped,
): Promise<Suggestion> {
  const events = sample.columns.map(shapeOf);
  const { lists } = shipped;
  const orders = sample.orders === undefined ? null : orderShapes(sample.orders, lists);
  const fixed = fixedColumns(answers, [...events, ...(orders?.shapes ?? [])]);
  const target = decideTarget({ shapes: events, orders, lists, answers, fixed });
  const shapes = orders !== null && target.kind !== null && isOrderKind(target.kind) ? orders.shapes : events;
  const drafting: Drafting = {
    shapes,
    lines: orders?.lines ?? null,
    matches: target.matches,
    answers,
    lists,
    name,
    fields: [],
    questions: [...sample.questions],
    codeLists: [],
  };
  if (target.question !== null) drafting.questions.push(target.question);
  const entries = documentEntries(drafting, sample, target);
  const isWhole = drafting.questions.every(({ answer }) => answer !== null);
  const written = await writeDocument(
    { entries, exampleOf: sample.exampleOf, codeLists: drafting.codeLists, isWhole },
    shipped,
  );
  const { kind, confidence, reason } = target;
  return {
    name,
    source: { ...sample.source },
    format: sample.format,
    records: sample.records,
    columns: shapes.map((shape) => columnSuggestion(shape, drafting)),
    target: { kind, confidence, reason },
    extends: null,
    fields: drafting.fields.map((field) => withOther(field, drafting)),
    questions: drafting.questions,
    codeLists: drafting.codeLists,
    yaml: written.yaml,
    isValid: written.isValid,
    problems: written.problems,
    unusedAnswers: unusedAnswers(answers, drafting),
  };
}

/* The document. */

function documentEntries(
  drafting: Drafting,
  sample: Sample,
  { kind, confidence, reason, question }: TargetFound,
): Entry[] {
  const head = [
    entry('mapping', drafting.name),
    entry(
      'description',
      `Suggested from a sample: ${String(sample.source.format)} with ${sample.columns.length} columns.`,
    ),
    { ...entry('source', { ...sample.source }), comments: formatComments(sample) },
  ];
  if (kind === null) {
    const comments = [
      `open: ${question?.asks ?? ''}`,
      ...(question?.choices ?? []).map(({ choice, says }) => `  target: ${choice} # ${says}`),
    ];
    return [...head, { key: 'target', value: undefined, comments, note: null }];
  }
  const action = kind === 'order.create' ? actionOf(drafting) : null;
  const become = action === null ? entry('target', kind, noteOf(confidence, reason)) : actionEntry(drafting, action);
  const made = [...head, become, ...skipOf(drafting)];
  if (isOrderKind(kind)) {
    const order = orderEntries(drafting, kind, action);
    return [
      ...made,
      ...order.slice(0, -1),
      ...order.slice(-1).map((last) => ({ ...last, comments: unreadComments(drafting) })),
    ];
  }
  const parts = kind === 'trace' ? traceParts(drafting) : milestoneParts(drafting);
  if (sample.each !== null) return [...made, ...eachEntries(drafting, sample.each, parts)];
  return [
    ...made,
    ...(parts.scac === null ? [] : [parts.scac]),
    ...(parts.zone === null ? [] : [parts.zone]),
    { ...entry('fields', parts.fields), comments: unreadComments(drafting) },
  ];
}

/** Fields of elements are paths inside them, and so is their zone; that of the document is read in the record. */
function eachEntries(drafting: Drafting, each: string, { scac, zone, fields }: EventParts): Entry[] {
  const isFixed = zone !== null && typeof zone.value === 'object' && zone.value !== null && 'const' in zone.value;
  const timed = fields.map((field) =>
    field.key === 'time' && zone !== null && !isFixed ? withZone(field, zone) : field,
  );
  const isOwn = scac !== null && typeof scac.value === 'object' && JSON.stringify(scac.value).includes('../');
  return [
    ...(isOwn ? [{ ...scac, value: outside(scac.value) }] : []),
    ...(isFixed || zone?.value === undefined ? (zone === null ? [] : [zone]) : []),
    {
      ...entry('requests', { items: [[entry('each', each), entry('fields', timed)]] }),
      comments: unreadComments(drafting),
    },
  ];
}

const withZone = (time: Entry, zone: Entry): Entry =>
  typeof time.value === 'object' && time.value !== null && !Array.isArray(time.value)
    ? { ...time, value: { ...time.value, zone: zone.value } as Entry['value'], note: time.note ?? zone.note }
    : time;

/** As the record itself names it. */
const outside = (value: Entry['value']): Entry['value'] =>
  JSON.parse(JSON.stringify(value).replaceAll('../', '')) as Entry['value'];

const formatComments = ({ format }: Sample): string[] =>
  format.flatMap(({ what, value, confidence, reason }) =>
    confidence === 'sure' ? [] : [`${confidence}: ${what} ${value}. ${reason}`],
  );

/** Nothing is hidden: columns that nothing reads are named. */
function unreadComments(drafting: Drafting): string[] {
  const unread = drafting.shapes
    .map(({ column }) => column.name)
    .filter((name) => usedFor(name, drafting).length === 0);
  return unread.length === 0 ? [] : [`Columns that nothing reads: ${unread.join(', ')}`];
}

/** A row of totals under the table. */
function skipOf({ shapes }: Drafting): Entry[] {
  for (const { column } of shapes) {
    const totals = [...new Set(column.values.filter(isTotal))];
    if (totals.length === 0 || totals.length > 2) continue;
    const note = 'likely: a row of totals.';
    return [entry('skip', { when: { field: column.name, in: totals } }, note)];
  }
  return [];
}

/* Columns and answers. */

const usedFor = (name: string, { fields }: Drafting): string[] =>
  fields.flatMap(({ field, columns }) => (columns.includes(name) ? [field] : []));

function columnSuggestion(shape: Shape, drafting: Drafting): ColumnSuggestion {
  const { column, emptyShare, counts, distinctIsAll, pattern, kind } = shape;
  return {
    name: column.name,
    samples: samplesOf(shape),
    rows: column.values.length,
    emptyShare: Math.round(emptyShare * 1_000) / 1_000,
    distinct: counts.size,
    distinctIsAll,
    pattern,
    kind,
    usedFor: usedFor(column.name, drafting),
  };
}

const isRole = (id: string): id is RoleName => Object.hasOwn(ROLES, id);

/** An answer with the id of a role names its column; "-" says that there is none. */
function fixedColumns(answers: ReadonlyMap<string, string>, shapes: readonly Shape[]): ReadonlyMap<RoleName, string> {
  return new Map(
    [...answers].flatMap(([id, choice]): [RoleName, string][] => {
      if (!isRole(ROLE_OF_FIELD[id] ?? id)) return [];
      const role = (ROLE_OF_FIELD[id] ?? id) as RoleName;
      return choice === NO_COLUMN || shapes.some(({ column }) => column.name === choice) ? [[role, choice]] : [];
    }),
  );
}

const NO_COLUMN = '-';
/** Questions are called by the field, where its column has another role. */
const ROLE_OF_FIELD: Readonly<Record<string, RoleName>> = { time: 'dateTime', zone: 'zone' };

function unusedAnswers(answers: ReadonlyMap<string, string>, { questions, codeLists }: Drafting): string[] {
  const known = new Set([
    ...questions.map(({ id }) => id),
    ...codeLists.flatMap(({ words }) => words.map(({ answerId }) => answerId)),
  ]);
  const settings = ['header', 'delimiter', 'encoding', 'target', 'sheet', 'records'];
  return [...answers].flatMap(([id, choice]) =>
    known.has(id) ||
    settings.includes(id) ||
    isRole(ROLE_OF_FIELD[id] ?? id) ||
    id.endsWith('.form') ||
    id.endsWith('.decimal') ||
    id === 'temperature.unit'
      ? []
      : [`${id}:${choice}`],
  );
}

/** A name of lower case letters, digits and single hyphens, from the name of the file. */
function mappingName(fileName: string | undefined): string {
  const stem = (fileName ?? '').replace(/^.*[\\/]/, '').replace(/\.[^.]*$/, '');
  const name = stem
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, NAME_CHARACTERS_MAX - SUFFIX_CHARACTERS)
    .replace(/^-+|-+$/g, '');
  return name === '' ? 'new-mapping' : name;
}

/** Room for the endings of proposed lists. */
const SUFFIX_CHARACTERS = 10;
