/**
 * Where a field's text comes from: a column, joined parts, the first filled column, a template or a constant.
 *
 * Names the columns a field reads (so that missing ones are found before the first record) and compiles the reading.
 */
import { err, ok, type Result } from '../../kernel/result.ts';
import { trimmed } from '../../kernel/text.ts';
import type { Origin } from '../document/field-spec.ts';

/*
 * Templates: `"{Load #}-{Stop}"` as parts. A brace always begins or ends a placeholder; there is no escape, because no
 * file has needed one.
 */

type Part = { column: string } | { const: string };

/** @returns the parts in order, or what is wrong with the braces. */
export function parseTemplate(template: string): Result<Part[], string> {
  const parts: Part[] = [];
  let at = 0;
  while (at < template.length) {
    const open = template.indexOf('{', at);
    const text = template.slice(at, open === -1 ? undefined : open);
    if (text.includes('}')) return err('a "}" without its "{"');
    if (text !== '') parts.push({ const: text });
    if (open === -1) break;
    const close = template.indexOf('}', open);
    if (close === -1) return err('a "{" without its "}"');
    const column = template.slice(open + 1, close).trim();
    if (column === '' || column.includes('{')) return err('a placeholder without a column name');
    parts.push({ column });
    at = close + 1;
  }
  if (!parts.some((part) => 'column' in part)) return err('no placeholder; use const for a fixed text');
  return ok(parts);
}

/** Index of a column in a record; undefined if the file lacks it and the mapping allows that. */
export type IndexOf = (column: string) => number | undefined;
export type ReadText = (fields: readonly string[]) => string;

/** The columns of a field in the order written, each once. */
export function originColumns(origin: Origin): string[] {
  return [...new Set(originParts(origin).flatMap((part) => ('column' in part ? [part.column] : [])))];
}

function originParts({ from, firstOf, template }: Origin): Part[] {
  if (typeof from === 'string') return [{ column: from }];
  if (from !== undefined) return from.map((part) => (typeof part === 'string' ? { column: part } : part));
  if (firstOf !== undefined) return firstOf.map((column) => ({ column }));
  const parsed = template === undefined ? undefined : parseTemplate(template);
  return parsed?.ok ? parsed.value : [];
}

/**
 * @returns a function that never throws and gives '' if every column it reads is empty, whatever constants are around
 * them.
 */
export function compileOrigin(origin: Origin, trim: boolean, indexOf: IndexOf): ReadText {
  const constant = origin.const;
  if (constant !== undefined) return () => constant;
  const columns = originColumns(origin);
  const [only] = columns;
  if (only !== undefined && typeof origin.from === 'string') return readColumn(indexOf(only), trim);
  if (origin.firstOf !== undefined) return readFirst(columns.map((column) => readColumn(indexOf(column), trim)));
  const parts = originParts(origin).map((part) =>
    'column' in part
      ? { read: readColumn(indexOf(part.column), trim), column: true }
      : { read: () => part.const, column: false },
  );
  const isTemplate = origin.template !== undefined;
  return readParts(parts, isTemplate ? '' : (origin.join ?? ' '), isTemplate);
}

function readColumn(index: number | undefined, trim: boolean): ReadText {
  if (index === undefined) return () => '';
  return trim ? (fields) => trimmed(fields[index] ?? '') : (fields) => fields[index] ?? '';
}

function readFirst(columns: readonly ReadText[]): ReadText {
  return (fields) => {
    for (const read of columns) {
      const text = read(fields);
      if (text !== '') return text;
    }
    return '';
  };
}

/** A joined list leaves empty columns out, so that no separator is doubled; a template keeps its text as written. */
function readParts(parts: readonly { read: ReadText; column: boolean }[], join: string, keepEmpty: boolean): ReadText {
  return (fields) => {
    let joined = '';
    let isFirst = true;
    let filled = false;
    for (const part of parts) {
      const text = part.read(fields);
      if (part.column && text !== '') filled = true;
      if (text === '' && !keepEmpty) continue;
      joined = isFirst ? text : joined + join + text;
      isFirst = false;
    }
    return filled ? joined : '';
  };
}
