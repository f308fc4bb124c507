/**
 * The examples of the guide for authors, found in its text and run as a file would be.
 *
 * A line is `keys`: `cell` → `value`, a field and what it makes of cells. A block tagged `yaml example` is a part of a
 * document with `input` and `becomes`; what it does not speak of is filled in.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import { bytesInMemory } from '../../../src/formats/slices.ts';
import { checkMapping } from '../../../src/mapping/check/check.ts';
import {
  answered,
  type CompiledMapping,
  compileMapping,
  type LocatedRecord,
} from '../../../src/mapping/compile/compile.ts';
import { mapFile } from '../../../src/mapping/compile/map-file.ts';
import { isOrderKind, TARGETS } from '../../../src/mapping/document/targets.ts';
import { answersFrom, lookupFile } from '../../../src/mapping/lookups/lookup.ts';
import type { MappedRecord, OrderFields, TraceFields } from '../../../src/mapping/request.ts';
import type { Loose } from './documents.ts';
import { ROOT, SHIPPED_LISTS, SHIPPED_TEXTS } from './shipped.ts';

export interface LineExample {
  keys: string;
  cells: string[];
  /** The value as text, `nothing`, or `error <code>`. */
  becomes: string;
}

export interface BlockExample {
  document: Loose;
  input: string;
  becomes: Outcome[];
}

/** `left out`, `with row 1`, `{ error: code in path, … }`, or requests by their kind. */
export type Outcome = string | Loose | Loose[];

const CELL = '(?:`[^`]*`|empty)';
const BECOMES = '(?:`[^`]*`|nothing|error `\\w+`)';
const CASE = `${CELL}(?:, ${CELL})* → ${BECOMES}`;
const LINES = new RegExp(`\`([^\`]+)\`: (${CASE}(?:; ${CASE})*)`, 'g');

export function linesIn(guide: string): LineExample[] {
  const text = guide.replace(/```[\s\S]*?```/g, '');
  return [...text.matchAll(LINES)].flatMap(([, keys = '', cases = '']) =>
    [...cases.matchAll(new RegExp(CASE, 'g'))].map(([written]) => {
      const [cells = '', becomes = ''] = written.split(' → ');
      const texts = [...cells.matchAll(new RegExp(CELL, 'g'))].map(([cell]) => unquoted(cell === 'empty' ? '' : cell));
      return { keys, cells: texts, becomes: unquoted(becomes.replace(/^error `(\w+)`$/, 'error $1')) };
    }),
  );
}

/** A code span; in it, quotes keep the blanks at the ends of a text. */
function unquoted(span: string): string {
  const text = span.replace(/^`([\s\S]*)`$/, '$1');
  return text.startsWith('"') ? String(JSON.parse(text)) : text;
}

export function blocksIn(guide: string): BlockExample[] {
  return [...guide.matchAll(/```yaml example\n([\s\S]*?)```/g)].map(([, text = '']) => {
    const { input, becomes, ...document } = parse(text) as Loose & { input: string; becomes: Outcome[] };
    return { document, input, becomes };
  });
}

/** The field of a line, as a value of an order or as half of a position. */
export function fieldOf({ keys }: LineExample): { axis: 'latitude' | 'longitude' | undefined; field: unknown } {
  const spec = parse(`{ ${keys} }`) as Loose;
  const axis = (['latitude', 'longitude'] as const).find((each) => each in spec);
  if (axis !== undefined) return { axis, field: spec[axis] };
  const hasOrigin = ['from', 'firstOf', 'template', 'const'].some((key) => key in spec);
  return { axis, field: hasOrigin ? spec : { from: 'Value', ...spec } };
}

export function runLine(example: LineExample): string {
  const { axis, field } = fieldOf(example);
  const mapping = compiled(
    axis === undefined
      ? { target: 'order.create', order: { orderRef: { const: 'R1' }, value: field } }
      : { target: 'trace', fields: { coordinate: { ...HALVES, [axis]: field } } },
  );
  const { paths } = mapping.shape;
  if (paths.length > 0 && paths.length !== example.cells.length) return `cells wanted for ${paths.join(', ')}`;
  const bound = mapping.bind(paths);
  if (!bound.ok) return JSON.stringify(bound.error);
  return textOf(bound.value.map(example.cells), axis);
}

function textOf({ requests: [request], errors }: MappedRecord, axis: 'latitude' | 'longitude' | undefined): string {
  if (request === undefined) return errors.map(({ code }) => `error ${code}`).join(', ');
  const value =
    axis === undefined
      ? (request.body as OrderFields & { value?: unknown }).value
      : (request.body as TraceFields).traces[0]?.coordinate[axis];
  return value === undefined ? 'nothing' : String(value);
}

export async function runBlock({ document, input }: BlockExample): Promise<LocatedRecord[]> {
  const records: LocatedRecord[] = [];
  for await (const step of mapFile(compiled(document), bytesInMemory(new TextEncoder().encode(input)))) {
    if (step.outcome !== 'records') throw new Error(JSON.stringify(step));
    records.push(...step.records);
  }
  return records;
}

/** What a record became, in the words of the guide; requests are left as they are. */
export function outcomeOf({ mapped: { requests, errors, skipped, group }, position }: LocatedRecord): Outcome {
  const all = requests.map(({ kind, body }): Loose => ({ [kind]: body }));
  if (errors.length > 0) {
    const error = { error: errors.map(({ code, path }) => (path === '' ? code : `${code} in ${path}`)).join(', ') };
    return all.length === 0 ? error : [...all, error];
  }
  if (skipped) return 'left out';
  if (requests.length === 0) return group === position.record ? 'nothing' : `with row ${group}`;
  return all.length === 1 && all[0] !== undefined ? all[0] : all;
}

export function compiled(partial: Loose): CompiledMapping {
  const document = filled(partial);
  const checked = checkMapping(stringify(document), SHIPPED_LISTS, { bases: SHIPPED_TEXTS });
  if (!checked.ok) throw new Error(JSON.stringify(checked.error, null, 1));
  return answered(compileMapping(checked.value, SHIPPED_LISTS), KNOWN);
}

/** What the guide says is known of vehicles and locations. */
const KNOWN = answersFrom(lookupFile.parse(parse(lookUpsIn(readFileSync(join(ROOT, 'docs/mappings.md'), 'utf8')))));

function lookUpsIn(guide: string): string {
  const [, text] = /```yaml look-ups\n([\s\S]*?)```/.exec(guide) ?? [];
  if (text === undefined) throw new Error('the guide knows no vehicles');
  return text;
}

const HALVES = { latitude: { const: '41.5' }, longitude: { const: '-95.1' } };
const TIME = { const: '2026-03-02T08:00:00Z', parse: 'iso' };
/** One way to fill every field that a kind requires, without a column. */
const REQUIRED: Loose = {
  loadNumber: { const: 'L1' },
  eventCode: { const: 'X1' },
  time: TIME,
  coordinate: HALVES,
  load_id: { const: 'L1' },
  milestone_type: { const: 'DEPARTED' },
  event_time: TIME,
};

function filled(partial: Loose): Loose {
  const own = { mapping: 'example-of-the-guide', description: 'A part of a document.', ...partial };
  const examples = [{ input: 'x', records: [] }];
  if (partial.extends !== undefined) return { ...own, examples }; // its base has what it does not speak of
  const fields = { ...missingFields(partial), ...(partial.fields as Loose) };
  return {
    source: { format: 'csv' },
    ...own,
    ...(Object.keys(fields).length === 0 ? {} : { fields }),
    examples,
  };
}

function missingFields({ target, fields = {}, requests }: Loose): Loose {
  const own = typeof target === 'string' ? target : undefined;
  const cases = own === undefined ? Object.values((target as { cases: Loose }).cases) : [];
  const plans = [...((requests as Loose[] | undefined) ?? (own === undefined ? [] : [{ target: own }])), ...cases];
  const wanted = plans.flatMap((plan) => {
    const { target: kind = own, fields: given = {} } = (typeof plan === 'string' ? { target: plan } : plan) as Loose;
    const required = [...TARGETS].find(([name]) => name === kind && !isOrderKind(name))?.[1] ?? [];
    return required.filter(
      ({ name, required: is }) => is && !(name in (given as Loose)) && !(name in (fields as Loose)),
    );
  });
  return Object.fromEntries(wanted.map(({ name }) => [name, REQUIRED[name]]));
}
