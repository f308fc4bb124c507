/** The members of last mile orders, from the columns that were matched; rows of one order are grouped. Pure. */

import type { Json } from '../document/canonical.ts';
import type { RequestKind } from '../request.ts';
import { calledColumn } from '../values/element-names.ts';
import { decideDates } from './dates.ts';
import { columnQuestion, copied, type Drafting, decidedEntry, lesser, openEntry } from './draft.ts';
import type { Match } from './match.ts';
import { nameTerms } from './names.ts';
import { decideNumbers } from './numbers.ts';
import { ACTION_NAMES, ORDER_ACTIONS } from './order-terms.ts';
import { firstOf, type SampleColumn } from './shape.ts';
import type { RoleName } from './terms.ts';
import { orderQuestion, parseOf } from './times.ts';
import { type Entry, entry } from './yaml.ts';

/** @property cases what orders become, by the value of the column. @property others values that have no case. */
interface OrderAction {
  column: SampleColumn;
  cases: { [value: string]: RequestKind };
  others: readonly string[];
}

/** Most different values of a column that says what is done with an order. */
const ACTIONS_MAX = 12;

/**
 * The column by which some rows cancel their order: sent as new orders, they would do the opposite. A value of which it
 * is not known what it says has no case, so that its rows are errors; where that is most of them, the column is another.
 */
export function actionOf({ shapes, matches }: Drafting): OrderAction | null {
  for (const { column, counts, distinctIsAll, filled } of shapes) {
    const isNamed = nameTerms(column.called).some((term) => ACTION_NAMES.has(term));
    if (!isNamed || column.list !== undefined || !distinctIsAll || counts.size > ACTIONS_MAX) continue;
    const kinds = [...counts].map(([value, count]) => ({ value, count, kind: ORDER_ACTIONS.get(value.toLowerCase()) }));
    const known = kinds.filter(({ kind }) => kind !== undefined);
    const isOfLines = mayCancelLines(column, matches);
    const isKnown = known.reduce((sum, { count }) => sum + count, 0) * 2 > filled;
    if (!isKnown || !known.some(({ kind }) => kind === 'order.cancel')) continue;
    const decided = known.filter(({ kind }) => kind !== 'order.cancel' || !isOfLines);
    const cases = Object.fromEntries(decided.map(({ value, kind = 'order.create' }) => [value, kind]));
    const isEmpty = column.values.some((value) => value === '');
    const others = kinds.filter((each) => !decided.includes(each)).map(({ value }) => value);
    return { column, cases, others: isEmpty ? [...others, ''] : others };
  }
  return null;
}

const isCancel = (value: string): boolean => ORDER_ACTIONS.get(value.toLowerCase()) === 'order.cancel';

/** A row that cancels names an article, and its order has other rows: nobody can tell whether it means that line alone. */
function mayCancelLines({ values }: SampleColumn, matches: Drafting['matches']): boolean {
  const references = matches.get('orderRef')?.shape.column.values ?? [];
  const line = (matches.get('sku') ?? matches.get('quantity'))?.shape.column;
  if (line === undefined || line.inElement !== undefined) return false;
  const others = new Set(references.filter((_, row) => !isCancel(values[row] ?? '')));
  return values.some((value, row) => isCancel(value) && line.values[row] !== '' && others.has(references[row] ?? ''));
}

/** What the rows become by that column. */
export function actionEntry(drafting: Drafting, { column, cases, others }: OrderAction): Entry {
  const decided = decidedEntry(drafting, 'target', {
    columns: [column.name],
    spec: { switch: column.name, cases },
    confidence: 'likely',
    reason: `The column "${column.called}" says what is done with an order.`,
    evidence: firstOf(column, isCancel),
  });
  const named = others.map((value) => `"${value}"`).join(', ');
  const open = `open: What becomes of a row with ${named}? Until it has a case, it is an error.`;
  return { ...decided, comments: others.length === 0 ? [] : [open] };
}

export function orderEntries(drafting: Drafting, kind: RequestKind, action: OrderAction | null): Entry[] {
  const reference = drafting.matches.get('orderRef');
  if (reference === undefined) return [entry('order', [referenceEntry(drafting)])];
  const by = [reference.shape.column, ...(action === null ? [] : [action.column])];
  const keys = reference.shape.column.values
    .map((value, row) => (value === '' ? '' : by.map(({ values }) => values[row] ?? '').join('\n')))
    .filter((key) => key !== '');
  const isRepeated = new Set(keys).size < keys.length;
  const lines = kind === 'order.cancel' ? [] : linesOf(drafting, isRepeated);
  const orderRef = copied(drafting, 'order.orderRef', reference);
  const members =
    kind === 'order.cancel'
      ? [orderRef]
      : [
          orderRef,
          ...copies(drafting, 'order', ['shipperCode', 'deliveryType']),
          ...requestedDate(drafting),
          ...consignee(drafting),
          ...purchaseOrder(drafting),
          ...instructions(drafting),
          ...lines,
        ];
  const isGrouped = lines.length > 0 && isRepeated && !drafting.lines;
  return [...(isGrouped ? [groupOf(by, keys)] : []), entry('order', members)];
}

function referenceEntry(drafting: Drafting): Entry {
  const identifiers = drafting.shapes.filter(
    ({ kind, lengthMax, column }) => kind !== 'date' && lengthMax <= 40 && column.inElement === undefined,
  );
  const asked = {
    id: 'orderRef',
    asks: 'Which column says which order it is?',
    why: 'No column is named like an order.',
  };
  return openEntry(drafting, 'orderRef', columnQuestion(drafting, asked, identifiers));
}

/** Members that are called like their role. */
const copies = (drafting: Drafting, within: string, roles: readonly RoleName[]): Entry[] =>
  roles.flatMap((role) => {
    const match = drafting.matches.get(role);
    return match === undefined ? [] : [copied(drafting, `${within}.${MEMBERS[role] ?? role}`, match)];
  });

const MEMBERS: Partial<Record<RoleName, string>> = {
  consigneeName: 'name',
  orderCity: 'city',
  orderState: 'state',
  itemDescription: 'description',
};

/** Rows of an order that other orders interrupt are gathered to the end of the file. */
function groupOf(by: readonly SampleColumn[], keys: readonly string[]): Entry {
  const seen = new Set<string>();
  let last = '';
  let isInterrupted = false;
  for (const key of keys) {
    if (key !== last && seen.has(key)) isInterrupted = true;
    seen.add(key);
    last = key;
  }
  const note = 'likely: the reference stands in several rows.';
  return entry('group', { by: by.map(({ name }) => name), order: isInterrupted ? 'anywhere' : 'adjacent' }, note);
}

function requestedDate(drafting: Drafting): Entry[] {
  const match = drafting.matches.get('requestedDate');
  if (match === undefined) return [];
  const { name } = match.shape.column;
  const id = 'requestedDate.form';
  const decision = decideDates(match.shape.column, drafting.answers.get(id));
  if (decision.kind === 'none') return [];
  if (decision.kind === 'undecided') {
    const lines = decision.choices.map(({ decided }): Json => ({ from: name, as: 'date', parse: parseOf(decided) }));
    return [openEntry(drafting, 'requestedDate', orderQuestion(id, [name], decision), lines)];
  }
  const spec: Json = { from: name, as: 'date', parse: parseOf(decision) };
  return [
    decidedEntry(drafting, 'order.requestedDate', {
      columns: [name],
      spec,
      confidence: lesser(match.confidence, decision.confidence),
      reason: `${match.reason} ${decision.reason}`,
      evidence: decision.evidence ?? decision.firstMiss,
    }),
  ];
}

function consignee(drafting: Drafting): Entry[] {
  const address = copies(drafting, 'order.consignee.address', [
    'street',
    'street2',
    'orderCity',
    'orderState',
    'postalCode',
    'country',
  ]);
  const members = [
    ...copies(drafting, 'order.consignee', ['consigneeName']),
    ...(address.length === 0 ? [] : [entry('address', [entry('object', address)])]),
    ...copies(drafting, 'order.consignee', ['phone', 'email']),
  ];
  return members.length === 0 ? [] : [entry('consignee', [entry('object', members)])];
}

function purchaseOrder(drafting: Drafting): Entry[] {
  const match = drafting.matches.get('po');
  if (match === undefined) return [];
  const { name } = match.shape.column;
  const spec: Json = { object: { name: { const: 'PO' }, value: name }, when: { field: name, empty: false } };
  drafting.fields.push({
    field: 'order.references.PO',
    columns: [name],
    spec,
    confidence: match.confidence,
    reason: match.reason,
    evidence: null,
  });
  return [entry('references', [entry('list', { lines: [{ value: spec, note: null }] })])];
}

function instructions(drafting: Drafting): Entry[] {
  const match = drafting.matches.get('instructions');
  if (match === undefined) return [];
  const { name } = match.shape.column;
  const spec: Json = { from: name };
  drafting.fields.push({
    field: 'order.comments',
    columns: [name],
    spec,
    confidence: match.confidence,
    reason: match.reason,
    evidence: null,
  });
  return [entry('comments', [entry('list', { lines: [{ value: spec, note: null }] })])];
}

/* The lines of an order. */

/** @param isGrouped several rows are one order; else each row is an order with one line. */
function linesOf(drafting: Drafting, isGrouped: boolean): Entry[] {
  const members = [
    ...copies(drafting, 'order.skus', ['sku', 'itemDescription']),
    ...numberOf(drafting, 'quantity', 'order.skus.quantity'),
    ...weightOf(drafting),
  ];
  if (members.length === 0) return [];
  const object = entry('object', members);
  if (drafting.lines) {
    const { each, isAlways } = drafting.lines;
    return [entry('skus', [entry('each', each), ...(isAlways ? [entry('required', true)] : []), object])];
  }
  if (isGrouped) return [entry('skus', [entry('each', 'rows'), entry('required', true), object])];
  return members.some(({ value }) => value === undefined)
    ? [object]
    : [entry('skus', [entry('list', { lines: [{ value: flat(object), note: null }] })])];
}

/** Members with plain values, as one value. */
const flat = ({ key, value }: Entry): Json => ({
  [key]: Object.fromEntries((value as Entry[]).map((member) => [member.key, member.value as Json])),
});

function numberOf(
  drafting: Drafting,
  role: RoleName,
  field: string,
  more: { [key: string]: Json } = {},
  match = drafting.matches.get(role),
): Entry[] {
  if (match === undefined) return [];
  const key = field.split('.').at(-1) ?? field;
  const id = `${key}.decimal`;
  const found = decideNumbers(match.shape.column, drafting.answers.get(id));
  if (found.kind === 'undecided') return [openEntry(drafting, key, decimalQuestion(id, match, found))];
  const marks =
    found.kind === 'none'
      ? {}
      : {
          ...(found.decimal === '.' ? {} : { decimal: found.decimal }),
          ...(found.thousands === null ? {} : { thousands: found.thousands }),
        };
  const isWhole = found.kind === 'decided' && found.isWhole && Object.keys(more).length === 0;
  return [copied(drafting, field, match, { as: isWhole ? 'integer' : 'number', ...marks, ...more })];
}

function decimalQuestion(
  id: string,
  { shape }: Match,
  { why, evidence }: { why: string; evidence: { row: number; column: string; value: string } },
) {
  return {
    id,
    asks: `What is the mark in ${evidence.value} (${calledColumn(shape.column.name)})?`,
    why,
    columns: [shape.column.name],
    evidence: [evidence],
    choices: [
      { choice: '.', says: 'Numbers are written as in 1,234.5.', isLikely: false },
      { choice: ',', says: 'Numbers are written as in 1.234,5.', isLikely: false },
    ],
    free: null,
    answer: null,
  };
}

const WEIGHT_UNITS: readonly [string, readonly string[]][] = [
  ['lb', ['lb', 'lbs', 'pound', 'pounds']],
  ['kg', ['kg', 'kgs', 'kilogram', 'kilo', 'kilos']],
  ['g', ['g', 'gram', 'grams']],
];

function weightOf(drafting: Drafting): Entry[] {
  const match = drafting.matches.get('weight');
  if (match === undefined) return [];
  const words = nameTerms(match.shape.column.called);
  const unit = WEIGHT_UNITS.find(([, names]) => names.some((name) => words.includes(name)))?.[0];
  if (unit === 'kg') return numberOf(drafting, 'weight', 'order.skus.weightKg');
  if (unit !== undefined)
    return numberOf(drafting, 'weight', 'order.skus.weightKg', { unit: { from: unit, to: 'kg' }, round: 2 });
  const unsure = { ...match, confidence: 'unsure', reason: `${match.reason} Nothing says its unit.` } as const;
  return numberOf(drafting, 'weight', 'order.skus.weight', {}, unsure);
}
