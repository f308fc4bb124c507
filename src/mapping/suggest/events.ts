/** The fields of milestones and positions, from the columns that were matched. Pure. */

import type { Json } from '../document/canonical.ts';
import { calledColumn } from '../values/element-names.ts';
import { codesOf, REASON_CODES, STATUS_CODES } from './codes.ts';
import { columnQuestion, copied, type Drafting, decidedEntry, lesser, noteOf, openEntry } from './draft.ts';
import type { Match } from './match.ts';
import { nameTerms } from './names.ts';
import { decideNumbers } from './numbers.ts';
import { type Shape, shareOf } from './shape.ts';
import type { RoleName } from './terms.ts';
import { timeOf } from './times.ts';
import { type Entry, entry, type ListOfLines } from './yaml.ts';

export interface EventParts {
  scac: Entry | null;
  zone: Entry | null;
  fields: Entry[];
}

export function milestoneParts(drafting: Drafting): EventParts {
  const { time, zone } = timeOf(drafting, 'fields.time');
  const fields = [
    loadNumber(drafting),
    eventCode(drafting),
    ...reasonCode(drafting),
    ...cityAndStateEntries(drafting),
    time,
    ...stopOf(drafting),
    ...referencesOf(drafting),
  ];
  return { scac: scacOf(drafting), zone, fields };
}

export function traceParts(drafting: Drafting): EventParts {
  const { time, zone } = timeOf(drafting, 'fields.time');
  const fields = [
    loadNumber(drafting),
    ...cityAndStateEntries(drafting),
    time,
    coordinate(drafting),
    ...stopOf(drafting),
    ...resourceOf(drafting),
    ...odometerOf(drafting),
    ...temperatureOf(drafting),
    ...referencesOf(drafting),
  ];
  return { scac: scacOf(drafting), zone, fields };
}

function loadNumber(drafting: Drafting): Entry {
  const match = drafting.matches.get('loadNumber');
  if (match !== undefined) return copied(drafting, 'fields.loadNumber', match);
  const why = 'No column is named like a load.';
  const asked = { id: 'loadNumber', asks: 'Which column says which load it is?', why };
  return openEntry(drafting, 'loadNumber', columnQuestion(drafting, asked, identifiers(drafting.shapes)));
}

const isIdentifier = ({ kind, lengthMax }: Shape): boolean =>
  (kind === 'whole number' || kind === 'text' || kind === 'code') && lengthMax <= 40;
const identifiers = (shapes: readonly Shape[]): Shape[] => shapes.filter(isIdentifier);

function eventCode(drafting: Drafting): Entry {
  const match = drafting.matches.get('status');
  if (match === undefined) {
    const codes = drafting.shapes.filter(({ kind }) => kind === 'code' || kind === 'text');
    const asked = { id: 'status', asks: 'Which column says what happened?', why: 'No column is named like a status.' };
    return openEntry(drafting, 'eventCode', columnQuestion(drafting, asked, codes));
  }
  const { name } = match.shape.column;
  const codes = codesOf(drafting, match.shape, STATUS_CODES);
  if (codes.list !== null) drafting.codeLists.push(codes.list);
  if (codes.lookup !== null) {
    const confidence = lesser(match.confidence, codes.confidence);
    const spec = { from: name, lookup: codes.lookup };
    return decidedEntry(drafting, 'fields.eventCode', {
      columns: [name],
      spec,
      confidence,
      reason: `${match.reason} ${codes.reason}`,
    });
  }
  return codesEntry(drafting, name, codes.reason);
}

const CODES_QUESTION = 'eventCode.codes';

/** Nobody knows any of the words: a list cannot even begin. */
function codesEntry(drafting: Drafting, name: string, why: string): Entry {
  const answer = drafting.answers.get(CODES_QUESTION) ?? null;
  const question = {
    id: CODES_QUESTION,
    asks: `Which status codes do the values of ${calledColumn(name)} stand for?`,
    why,
    columns: [name],
    evidence: [],
    choices: [
      {
        choice: 'keep',
        says: 'They are the codes that the receiving system wants: send them as they are.',
        isLikely: false,
      },
    ],
    free: null,
    answer,
  } as const;
  if (answer !== 'keep')
    return openEntry(drafting, 'eventCode', { ...question, answer: null }, [
      { from: name, lookup: `${drafting.name}-status` },
    ]);
  drafting.questions.push(question);
  return decidedEntry(drafting, 'fields.eventCode', {
    columns: [name],
    spec: name,
    confidence: 'sure',
    reason: 'As you answered.',
  });
}

/** Optional: where nobody knows its words it is left out, and the column is listed as not read. */
function reasonCode(drafting: Drafting): Entry[] {
  const match = drafting.matches.get('reason');
  if (match === undefined) return [];
  const { name } = match.shape.column;
  const codes = codesOf(drafting, match.shape, REASON_CODES);
  if (codes.lookup === null) return [];
  if (codes.list !== null) drafting.codeLists.push(codes.list);
  const confidence = lesser(match.confidence, codes.confidence);
  const spec = { from: name, lookup: codes.lookup, default: 'NS' };
  return [
    decidedEntry(drafting, 'fields.reasonCode', {
      columns: [name],
      spec,
      confidence,
      reason: `${match.reason} ${codes.reason}`,
    }),
  ];
}

/* Where it was. */

const CITY_AND_STATE = /^.+, *[A-Za-z]{2}$/;

function cityAndStateEntries(drafting: Drafting): Entry[] {
  const [city, state] = [drafting.matches.get('city'), drafting.matches.get('state')];
  if (city !== undefined && state === undefined && shareOf(city.shape, (value) => CITY_AND_STATE.test(value)) >= 0.9) {
    return cityAndState(drafting, city);
  }
  return [
    ...(city === undefined ? [] : [copied(drafting, 'fields.eventCity', city)]),
    ...(state === undefined ? [] : [stateEntry(drafting, state)]),
  ];
}

function cityAndState(drafting: Drafting, { shape, confidence, reason }: Match): Entry[] {
  const { name } = shape.column;
  const says = `${reason} City and state stand in one column.`;
  const part = (field: string, pattern: string, more: { upper?: boolean } = {}): Entry => {
    const spec = { from: name, capture: { pattern, onMiss: 'empty' }, ...more };
    return decidedEntry(drafting, field, { columns: [name], spec, confidence, reason: says });
  };
  return [
    part('fields.eventCity', '^(.+), *[A-Za-z]{2}$'),
    part('fields.eventState', ', *([A-Za-z]{2})$', { upper: true }),
  ];
}

function stateEntry(drafting: Drafting, match: Match): Entry {
  const isCode = shareOf(match.shape, (value) => /^[A-Za-z]{2,3}$/.test(value)) >= 0.9;
  const isUpper = shareOf(match.shape, (value) => value === value.toUpperCase()) === 1;
  const unsure = {
    ...match,
    confidence: 'unsure',
    reason: `${match.reason} They are names, not codes of two or three letters.`,
  } as const;
  return copied(drafting, 'fields.eventState', isCode ? match : unsure, isUpper ? {} : { upper: true });
}

function stopOf(drafting: Drafting): Entry[] {
  const match = drafting.matches.get('stop');
  return match === undefined ? [] : [copied(drafting, 'fields.stopsequenceNumber', match, { as: 'integer' })];
}

const scacOf = (drafting: Drafting): Entry | null => {
  const match = drafting.matches.get('scac');
  return match === undefined ? null : copied(drafting, 'scac', match, { upper: true });
};

const REFERENCES: readonly [RoleName, string][] = [
  ['pro', 'PRO'],
  ['bol', 'BOL'],
  ['po', 'PO'],
  ['waybill', 'WAYBILL'],
  ['trailer', 'TRAILER'],
  ['equipment', 'EQUIPMENT'],
];

function referencesOf(drafting: Drafting): Entry[] {
  const lines = REFERENCES.flatMap(([role, name]): ListOfLines['lines'][number][] => {
    const match = drafting.matches.get(role);
    if (match === undefined) return [];
    const { confidence, reason, shape } = match;
    const value: Json = { name, value: shape.column.name, omitWhenEmpty: true };
    drafting.fields.push({
      field: `fields.references.${name}`,
      columns: [shape.column.name],
      spec: value,
      confidence,
      reason,
      evidence: null,
    });
    return [{ value, note: noteOf(confidence, reason) }];
  });
  return lines.length === 0 ? [] : [entry('references', { lines })];
}

/* Positions. */

function coordinate(drafting: Drafting): Entry {
  const [latitude, longitude] = [drafting.matches.get('latitude'), drafting.matches.get('longitude')];
  if (latitude === undefined || longitude === undefined) {
    const numbers = drafting.shapes.filter(({ kind }) => kind === 'number');
    const id = latitude === undefined ? 'latitude' : 'longitude';
    const asked = { id, asks: `Which column has the ${id}?`, why: 'No column is named like one.' };
    return openEntry(drafting, 'coordinate', columnQuestion(drafting, asked, numbers));
  }
  const spec = { latitude: axis(latitude.shape), longitude: axis(longitude.shape) };
  const columns = [latitude.shape.column.name, longitude.shape.column.name];
  const isSwapped = isBeyondLatitude(latitude.shape) && !isBeyondLatitude(longitude.shape);
  const confidence = isSwapped ? 'unsure' : latitude.confidence === 'sure' ? longitude.confidence : latitude.confidence;
  const reason = isSwapped
    ? 'Latitudes above 90 degrees occur: the two may be swapped.'
    : `${latitude.reason} ${longitude.reason}`;
  return decidedEntry(drafting, 'fields.coordinate', { columns, spec, confidence, reason });
}

const isBeyondLatitude = (shape: Shape): boolean =>
  shareOf(shape, (value) => Math.abs(Number(value.replace(',', '.'))) > 90) > 0;

function axis(shape: Shape): Json {
  const { name } = shape.column;
  if (shareOf(shape, (value) => /^[NSEW]?\d{6,7}[NSEW]?$/i.test(value)) > 0.9) return { from: name, form: 'byDigits' };
  const isComma = shareOf(shape, (value) => /^[+-]?\d{1,3},\d+/.test(value)) > 0.9;
  return isComma ? { from: name, decimal: ',' } : name;
}

function resourceOf(drafting: Drafting): Entry[] {
  const match = drafting.matches.get('vin');
  if (match === undefined) return [];
  const words = nameTerms(match.shape.column.called);
  const type = words.includes('trailer') ? 'TRAILER' : 'TRUCK';
  const isVin = shareOf(match.shape, (value) => /^[A-HJ-NPR-Z0-9]{17}$/i.test(value)) > 0.9;
  const note = 'It has not the 17 characters of a vehicle identification number.';
  const found = isVin ? match : { ...match, confidence: 'unsure' as const, reason: `${match.reason} ${note}` };
  const kind = {
    columns: [],
    spec: { const: type },
    confidence: 'unsure',
    reason: 'No column says what kind of vehicle it is.',
  } as const;
  return [
    copied(drafting, 'fields.resourceId', found, { upper: true }),
    decidedEntry(drafting, 'fields.resourceType', kind),
  ];
}

/** Marks of the number, or nothing where they are the usual ones. */
function numberFormOf(
  drafting: Drafting,
  field: string,
  shape: Shape,
): { marks: { [key: string]: Json }; open: Entry | null } {
  const id = `${field}.decimal`;
  const found = decideNumbers(shape.column, drafting.answers.get(id));
  if (found.kind === 'undecided') {
    const question = {
      id,
      asks: `What is the mark in ${found.evidence.value} (${calledColumn(shape.column.name)})?`,
      why: found.why,
      columns: [shape.column.name],
      evidence: [found.evidence],
      choices: [
        { choice: '.', says: 'Numbers are written as in 1,234.5.', isLikely: false },
        { choice: ',', says: 'Numbers are written as in 1.234,5.', isLikely: false },
      ],
      free: null,
      answer: null,
    } as const;
    return { marks: {}, open: openEntry(drafting, field, question) };
  }
  if (found.kind === 'none') return { marks: {}, open: null };
  return {
    marks: {
      ...(found.decimal === '.' ? {} : { decimal: found.decimal }),
      ...(found.thousands === null ? {} : { thousands: found.thousands }),
      ...(found.isWhole ? {} : { round: 0 }),
    },
    open: null,
  };
}

function odometerOf(drafting: Drafting): Entry[] {
  const match = drafting.matches.get('odometer');
  if (match === undefined) return [];
  const { marks, open } = numberFormOf(drafting, 'odometer', match.shape);
  if (open !== null) return [open];
  const { name, called } = match.shape.column;
  const unit = nameTerms(called).some((word) => word === 'km')
    ? ' It is in kilometres, as its name says: nothing converts it.'
    : '';
  const functions = {
    as: 'integer',
    ...marks,
    ...(match.shape.emptyShare > 0 ? { when: { field: name, empty: false } } : {}),
  };
  return [
    copied(
      drafting,
      'fields.odometer',
      { ...match, reason: match.reason + unit, confidence: unit === '' ? match.confidence : 'unsure' },
      functions,
    ),
  ];
}

function temperatureOf(drafting: Drafting): Entry[] {
  const match = drafting.matches.get('temperature');
  if (match === undefined) return [];
  const { marks, open } = numberFormOf(drafting, 'temperature', match.shape);
  if (open !== null) return [open];
  const { round: _, ...written } = marks;
  const { name } = match.shape.column;
  const value: Json = Object.keys(written).length === 0 ? name : { from: name, ...written };
  const unit = drafting.matches.get('temperatureUnit');
  if (unit !== undefined) {
    const columns = [name, unit.shape.column.name];
    const spec = { value, unitOfMeasure: { from: unit.shape.column.name, upper: true } };
    return [
      decidedEntry(drafting, 'fields.temperature', {
        columns,
        spec,
        confidence: match.confidence,
        reason: `${match.reason} ${unit.reason}`,
      }),
    ];
  }
  const said = scaleIn(match.shape.column.called) ?? scaleAnswered(drafting.answers.get(SCALE_QUESTION));
  if (said === null) return [scaleEntry(drafting, name, value)];
  const spec = { value, unitOfMeasure: { const: said } };
  return [
    decidedEntry(drafting, 'fields.temperature', {
      columns: [name],
      spec,
      confidence: match.confidence,
      reason: `${match.reason} The scale is ${said}.`,
    }),
  ];
}

const SCALE_QUESTION = 'temperature.unit';
const scaleAnswered = (answer: string | undefined): 'C' | 'F' | null =>
  answer === 'C' || answer === 'F' ? answer : null;

function scaleIn(called: string): 'C' | 'F' | null {
  const words = called.toLowerCase().split(/[^a-z]+/);
  if (words.includes('c') || words.includes('celsius')) return 'C';
  return words.includes('f') || words.includes('fahrenheit') ? 'F' : null;
}

function scaleEntry(drafting: Drafting, name: string, value: Json): Entry {
  const question = {
    id: SCALE_QUESTION,
    asks: `In which scale is ${calledColumn(name)}?`,
    why: 'Its name does not say it.',
    columns: [name],
    evidence: [],
    choices: [
      { choice: 'C', says: 'Celsius', isLikely: false },
      { choice: 'F', says: 'Fahrenheit', isLikely: false },
    ],
    free: null,
    answer: null,
  };
  return openEntry(drafting, 'temperature', question, [
    { value, unitOfMeasure: { const: 'C' } },
    { value, unitOfMeasure: { const: 'F' } },
  ]);
}
