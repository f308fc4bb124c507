/**
 * Outcomes of sets as a batch keeps them, so that an answer need not read the file again: what an answer says of them,
 * and nothing else, packed column by column. The text says its form, and a form of a later release is refused. Pure.
 */
import * as z from 'zod';
import type { SegmentElement } from '../../formats/segments/segment.ts';
import { type DocumentForm, documentIn, type OfForm } from '../../kernel/forms.ts';
import { type PackableRow, type Packed, packedRows, rowsIn } from '../../kernel/packed-rows.ts';
import type { Audited, QuotedFact, QuotedSegment, SetAcknowledgment, SetFault } from './set-outcomes.ts';

/** Elements of ST and UNH that an answer repeats: at most the first three. */
const FIRST_ELEMENTS = 3;
/** AK404 has no more of a value, and a CONTRL only says whether there is one. */
const VALUE_CHARACTERS_MAX = 99;

/** Of neighbouring sets and envelopes. @property others what is not a set, each with how many sets are before it. */
interface PackedSets extends OfForm {
  sets: Packed;
  /** Of all sets, in their order; absent: none. */
  faults?: { kinds: FaultKind[]; each: Packed };
  others: [sets: number, other: Other][];
}

const PACKED_SETS: DocumentForm<object> = {
  of: 'text of set outcomes',
  known: 1,
  schema: z.looseObject({ form: z.number().optional(), sets: z.unknown(), others: z.array(z.unknown()) }),
};

type Other = QuotedFact | Extract<Audited, { kind: 'unopened' }>;

/** `text0`, or `list0` of an element with components. `faults`: how many; absent: none. */
type SetRow = PackableRow & { outcome: SetAcknowledgment['outcome']; faults?: number };
/** What is the same in many faults of a file: all but the segment's number and the value. */
type FaultKind = Omit<SetFault, 'problem' | 'number'> & Omit<SetFault['problem'], 'value'>;
type FaultRow = { kind: number; number: number | null; value: string };

export function packSets(outcomes: Iterable<Audited>): PackedSets {
  const sets: SetRow[] = [];
  const faults: FaultRow[] = [];
  const kinds = new Map<string, number>();
  const others: PackedSets['others'] = [];
  for (const each of outcomes) {
    if (each.kind !== 'set') {
      others.push([sets.length, each]);
      continue;
    }
    const { opening, outcome, faults: own } = each.verdict;
    sets.push({ outcome, ...elementColumns(opening), ...(own.length === 0 ? {} : { faults: own.length }) });
    for (const { number, problem, ...fault } of own) {
      const { code, path, value } = problem;
      const kind = kindNumber(kinds, { ...fault, code, path });
      faults.push({ kind, number, value: value.slice(0, VALUE_CHARACTERS_MAX) });
    }
  }
  return {
    sets: packedRows(sets),
    ...(faults.length === 0 ? {} : { faults: { kinds: kindsIn(kinds), each: packedRows(faults) } }),
    others: quotedOthers(others),
  };
}

/** @returns its index; a new one is added. */
function kindNumber(kinds: Map<string, number>, { tag, element, component, standard, code, path }: FaultKind): number {
  const json = JSON.stringify({ tag, element, component, standard, code, path } satisfies FaultKind);
  const known = kinds.get(json) ?? kinds.size;
  kinds.set(json, known);
  return known;
}

const kindsIn = (kinds: Map<string, number>): FaultKind[] =>
  [...kinds.keys()].map((json) => JSON.parse(json) as FaultKind);

/** Lists as texts, so that one that all sets have is written once. */
const elementColumns = ({ elements }: QuotedSegment): Record<string, string> =>
  Object.fromEntries(
    elements
      .slice(0, FIRST_ELEMENTS)
      .map((element, index) =>
        typeof element === 'string' ? [`text${index}`, element] : [`list${index}`, JSON.stringify(element)],
      ),
  );

function elementsIn(row: SetRow): SegmentElement[] {
  const elements: SegmentElement[] = [];
  for (let index = 0; index < FIRST_ELEMENTS; index++) {
    const list = row[`list${index}`];
    const text = row[`text${index}`];
    if (typeof list === 'string') elements.push(JSON.parse(list) as string[]);
    else if (typeof text === 'string') elements.push(text);
  }
  return elements;
}

/** By the names of their members: what an answer does not say of them is left out. */
const quotedOthers = (others: PackedSets['others']): PackedSets['others'] =>
  JSON.parse(JSON.stringify(others, QUOTED)) as PackedSets['others'];

const QUOTED = [
  ...['kind', 'header', 'elements', 'counted', 'stated', 'problems'],
  ...['code', 'path', 'standard', 'element', 'segment', 'tag'],
];

/** @param json of what was kept. @throws for what a later release kept. */
export function* unpackSets(json: string): Generator<Audited> {
  const { sets, faults, others } = documentIn(PACKED_SETS, JSON.parse(json)) as PackedSets;
  const faultRows = faults === undefined ? [] : rowsIn<FaultRow>(faults.each);
  let [set, fault, other] = [0, 0, 0];
  for (const row of rowsIn<SetRow>(sets)) {
    for (; others[other]?.[0] === set; other += 1) yield others[other]?.[1] as Other;
    const own = faultRows.slice(fault, fault + (row.faults ?? 0)).map((each) => faultOf(each, faults?.kinds ?? []));
    const opening = { elements: elementsIn(row) };
    yield { kind: 'set', verdict: { opening, outcome: row.outcome, faults: own } };
    set += 1;
    fault += own.length;
  }
  for (const [, last] of others.slice(other)) yield last;
}

function faultOf({ kind, number, value }: FaultRow, kinds: readonly FaultKind[]): SetFault {
  const { code, path, ...fault } = kinds[kind] as FaultKind;
  return { ...fault, number, problem: { code, path, value } };
}
