/** The time of an event: its columns, its patterns, its zone. What the file does not say is asked. Pure. */

import type { Json } from '../document/canonical.ts';
import { calledColumn } from '../values/element-names.ts';
import { type DateDecision, type DecidedDates, decideDates } from './dates.ts';
import { columnQuestion, type Drafting, decidedEntry, lesser, openEntry } from './draft.ts';
import { isKnownZone, type Match } from './match.ts';
import { nameTerms } from './names.ts';
import type { Shape } from './shape.ts';
import type { Confidence, Question } from './suggestion.ts';
import { ZONE_TERMS } from './terms.ts';
import { type Entry, entry } from './yaml.ts';

interface TimeFound {
  time: Entry;
  /** Of the whole document; null: no zone is needed. */
  zone: Entry | null;
}

interface TimeColumns {
  columns: readonly Shape[];
  confidence: Confidence;
  reason: string;
}

export function timeOf(drafting: Drafting, field: string): TimeFound {
  const chosen = columnsOf(drafting);
  if (chosen === null) return { time: timeColumnEntry(drafting, field), zone: null };
  const { columns } = chosen;
  const names = columns.map(({ column }) => column.name);
  const answer = drafting.answers.get(`${lastOf(field)}.form`);
  const decision = decideDates(joined(columns), answer, columns[0]?.column.dateOrder);
  if (decision.kind === 'none') {
    const reason = `No form of dates that can be read is in ${names.join(' and ')}.`;
    const time = decidedEntry(drafting, field, {
      columns: names,
      spec: { from: from(names), parse: 'iso' },
      confidence: 'unsure',
      reason,
    });
    return { time, zone: zoneOf(drafting, columns, 'none', false) };
  }
  const decided = decision.kind === 'decided' ? decision : decision.choices[0]?.decided;
  const time =
    decision.kind === 'decided'
      ? decidedTime(drafting, field, chosen, decision)
      : dateOrderEntry(drafting, field, names, decision);
  return { time, zone: zoneOf(drafting, columns, decided?.offsets ?? 'none', decided?.isEpoch ?? false) };
}

const lastOf = (field: string): string => field.split('.').at(-1) ?? field;
const from = (names: readonly string[]): Json => (names.length === 1 ? (names[0] ?? '') : [...names]);

/** One column with both, or a date with its time of day beside it. */
function columnsOf({ matches }: Drafting): TimeColumns | null {
  const [both, date, time] = [matches.get('dateTime'), matches.get('date'), matches.get('time')];
  if (both !== undefined && (date === undefined || both.score >= date.score)) return single(both);
  if (date === undefined) return both === undefined ? null : single(both);
  if (date.shape.kind === 'date and time' || time === undefined) return single(date);
  return {
    columns: [date.shape, time.shape],
    confidence: lesser(date.confidence, time.confidence),
    reason: `${date.reason} ${time.reason}`,
  };
}

const single = ({ shape, confidence, reason }: Match): TimeColumns => ({ columns: [shape], confidence, reason });

/** The cells as a mapping joins them: empty ones are left out. */
const joined = (columns: readonly Shape[]): { name: string; values: string[] } => ({
  name: columns.map(({ column }) => column.name).join(', '),
  values: (columns[0]?.column.values ?? []).map((_, row) =>
    columns
      .map(({ column }) => column.values[row] ?? '')
      .filter((value) => value !== '')
      .join(' '),
  ),
});

export const parseOf = ({ patterns }: DecidedDates): Json =>
  patterns.length === 1 ? (patterns[0] ?? 'iso') : patterns;

function decidedTime(
  drafting: Drafting,
  field: string,
  { columns, confidence, reason }: TimeColumns,
  decided: DecidedDates,
): Entry {
  const names = columns.map(({ column }) => column.name);
  const isDay = decided.times === 'none';
  const day = isDay
    ? ' There is no time of day: midnight would be sent.'
    : decided.times === 'some'
      ? ' Some rows have no time of day.'
      : '';
  const certain = lesser(lesser(confidence, decided.confidence), decided.times === 'all' ? 'sure' : 'unsure');
  return decidedEntry(drafting, field, {
    columns: names,
    spec: { from: from(names), parse: parseOf(decided) },
    confidence: certain,
    reason: `${reason} ${decided.reason}${day}`,
    evidence: decided.evidence ?? decided.firstMiss,
  });
}

function timeColumnEntry(drafting: Drafting, field: string): Entry {
  const isTimed = ({ kind }: Shape): boolean => kind === 'date' || kind === 'date and time';
  const why = 'No column is named like the time of an event.';
  const asked = { id: lastOf(field), asks: 'Which column says when it happened?', why };
  return openEntry(drafting, lastOf(field), columnQuestion(drafting, asked, drafting.shapes.filter(isTimed)));
}

type Undecided = Exclude<DateDecision, { kind: 'decided' | 'none' }>;

/** As a question; the lines that answer it stand in the document as comments. */
export function orderQuestion(id: string, names: readonly string[], { why, evidence, choices }: Undecided): Question {
  return {
    id,
    asks: `How are the dates in ${names.map(calledColumn).join(' and ')} meant?`,
    why,
    columns: [...names],
    evidence: [evidence],
    choices: choices.map(({ order, says }) => ({ choice: order, says, isLikely: false })),
    free: null,
    answer: null,
  };
}

function dateOrderEntry(drafting: Drafting, field: string, names: readonly string[], undecided: Undecided): Entry {
  const lines = undecided.choices.map(({ decided }): Json => ({ from: from(names), parse: parseOf(decided) }));
  return openEntry(drafting, lastOf(field), orderQuestion(`${lastOf(field)}.form`, names, undecided), lines);
}

/* The zone of local times. */

/** Zones that are proposed: the four of the United States, and the usual ones of the languages we know. */
export const ZONE_CHOICES: readonly string[] = [
  'America/New_York',
  'America/Chicago',
  'America/Denver',
  'America/Los_Angeles',
  'Europe/London',
  'Europe/Berlin',
  'Europe/Paris',
  'Europe/Madrid',
  'UTC',
];

function zoneOf(
  drafting: Drafting,
  columns: readonly Shape[],
  offsets: DecidedDates['offsets'],
  isEpoch: boolean,
): Entry | null {
  const answer = drafting.answers.get('zone');
  if (isEpoch) return entry('zone', { const: 'UTC' });
  if (offsets === 'all') return null;
  const zone = drafting.matches.get('zone');
  if (answer === undefined && zone !== undefined) return zoneColumn(drafting, zone);
  const inName = columns.find(({ column }) =>
    nameTerms(column.called).some((word) => word === 'utc' || word === 'gmt'),
  );
  if (answer === undefined && inName !== undefined) {
    const reason = `The name "${inName.column.called}" says UTC.`;
    return decidedEntry(drafting, 'zone', { columns: [], spec: { const: 'UTC' }, confidence: 'likely', reason });
  }
  const question = zoneQuestion(columns, offsets, answer ?? null);
  if (answer === undefined) return openEntry(drafting, 'zone', question, [{ const: 'America/Chicago' }]);
  drafting.questions.push(question);
  const column = drafting.shapes.find((shape) => shape.column.name === answer);
  const spec: Json = column === undefined ? { const: answer } : { from: answer };
  const columnNames = column === undefined ? [] : [answer];
  return decidedEntry(drafting, 'zone', { columns: columnNames, spec, confidence: 'sure', reason: 'As you answered.' });
}

function zoneQuestion(columns: readonly Shape[], offsets: DecidedDates['offsets'], answer: string | null): Question {
  const names = columns.map(({ column }) => column.name);
  return {
    id: 'zone',
    asks: `In which time zone are the times in ${names.map(calledColumn).join(' and ')}?`,
    why:
      offsets === 'some'
        ? 'Some times have no offset, and no column names a zone.'
        : 'The times have no offset, and no column names a zone.',
    columns: names,
    evidence: [],
    choices: ZONE_CHOICES.map((choice) => ({ choice, says: choice, isLikely: false })),
    free: 'zone',
    answer,
  };
}

/** Names and offsets pass as they are; abbreviations need a list. */
function zoneColumn(drafting: Drafting, { shape, confidence, reason }: Match): Entry {
  const words = [...shape.counts.keys()];
  const list = drafting.lists.get('us-time-zones');
  const listed = words.filter((word) => list?.find(word) !== undefined);
  const others = words.filter((word) => list?.find(word) === undefined && ZONE_TERMS.has(word.toUpperCase()));
  const lost = words.filter((word) => !isKnownZone(word, drafting.lists));
  const name = shape.column.name;
  const note = lost.length === 0 ? reason : `${reason} "${lost[0]}" is no zone that is known.`;
  const certain = lost.length === 0 ? confidence : 'unsure';
  const decided = (spec: Json): Entry =>
    decidedEntry(drafting, 'zone', { columns: [name], spec, confidence: certain, reason: note });
  const lookup = listed.length === 0 ? {} : { lookup: 'us-time-zones', onMiss: 'keep' };
  const replace = others
    .map((word) => ({ find: word, with: ZONE_TERMS.get(word.toUpperCase()) ?? word }))
    // Each works on what the one before it made: CET must not be found again in what stands for MEZ.
    .toSorted((one, other) => Number(other.with.startsWith(other.find)) - Number(one.with.startsWith(one.find)));
  if (others.length > 0) return decided({ from: name, replace, ...lookup });
  return decided(listed.length === 0 ? name : { from: name, ...lookup });
}
