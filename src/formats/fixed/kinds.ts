/** The declared kinds of line, made ready: which one a line is of, and where the values of its fields go. Pure. */
import type { Characters } from './characters.ts';
import {
  type FixedField,
  type FixedKind,
  type FixedSource,
  type Marker,
  markersOf,
  RECORD_KIND,
} from './declaration.ts';

export interface Kind {
  name: string;
  use: FixedKind['use'];
  count: FixedKind['count'];
  markers: readonly Marker[];
  fields: readonly KindField[];
  /** Of a carried kind, outermost 0; else -1. */
  level: number;
  /** Of a trailer: the outermost level that ends with it. */
  ends: number;
}

export interface KindField extends FixedField {
  name: string;
  /** Index of its column. */
  column: number;
}

export interface Kinds {
  columns: readonly string[];
  all: ReadonlyMap<string, Kind>;
  carries: boolean;
  /** Markers of each kind, for messages. */
  known: readonly (readonly Marker[])[];
  /** Kinds of trailer that say a count: their absence is told. */
  counting: readonly string[];
  /** Kinds whose lines a trailer counts by name, and '' for lines of no known kind, which may be of them. */
  counted: ReadonlySet<string>;
  find(line: Characters): Kind | undefined;
}

export function kindsOf({ records }: FixedSource): Kinds {
  const columns = [...new Set(Object.values(records).flatMap(({ fields }) => Object.keys(fields))), RECORD_KIND];
  const columnOf = new Map(columns.map((column, index) => [column, index]));
  const carried = Object.keys(records).filter((name) => records[name]?.use === 'carried');
  const kinds = Object.entries(records).map(
    ([name, kind]): Kind => ({
      name,
      use: kind.use,
      count: kind.count,
      markers: markersOf(name, kind),
      fields: Object.entries(kind.fields).map(([field, place]) => ({
        name: field,
        column: columnOf.get(field) ?? -1,
        ...place,
      })),
      level: carried.indexOf(name),
      ends: kind.ends === undefined ? 0 : carried.indexOf(kind.ends),
    }),
  );
  // The more a kind asks for, the earlier it is tried: 9999 before 9, and what takes any line last.
  const asks = ({ markers }: Kind): number => markers.reduce((sum, { text }) => sum + text.length, 0);
  const ordered = kinds.toSorted((one, other) => asks(other) - asks(one));
  const named = kinds.flatMap(({ count }) => (typeof count?.of === 'object' ? count.of : []));
  return {
    columns,
    all: new Map(kinds.map((kind) => [kind.name, kind])),
    carries: carried.length > 0,
    known: kinds.map(({ markers }) => markers),
    counted: new Set(named.length === 0 ? [] : ['', ...named]),
    counting: kinds.filter(({ count }) => count !== undefined).map(({ name }) => name),
    find: (line) =>
      ordered.find(({ markers }) => markers.every(({ at, text }) => line.cut(at, [...text].length) === text)),
  };
}
