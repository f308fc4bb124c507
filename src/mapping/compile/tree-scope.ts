/** Where the nodes of an order are read: the record, the rows of its group, and the arrays inside, one within the other. */
import type { RecordShape } from '../../formats/record-reader.ts';
import type { Problem } from '../../kernel/problem.ts';
import type { DocumentParts } from '../document/document-parts.ts';
import { GROUP_ROWS } from '../document/order-spec.ts';
import type { IndexOf } from '../document/origin.ts';
import type { FieldContext } from '../values/text.ts';
import type { TimeDefaults } from '../values/time.ts';
import { elementsOf, inElement, type PathStyle } from './element-path.ts';
import type { TreeScope } from './order.ts';

/** A problem of one row of a group; whoever knows the rows' positions places it. */
export interface RowProblem extends Problem {
  row?: number;
}

export function treeScope(parts: DocumentParts, shape: RecordShape, context: FieldContext): TreeScope {
  const times = { zone: parts.zone, zoneContext: context, clockChanges: parts.clockChanges };
  const record = elementScope(shape, context, times, parts.source?.format === 'xml' ? 'xml' : 'json');
  if (parts.group === undefined) return record;
  // The rows of the group stand before the arrays of its first row, and a row has all columns itself.
  return {
    ...record,
    list(each) {
      if (each === GROUP_ROWS) {
        const place = ([row = 0]: readonly number[], problem: Problem): RowProblem => ({ ...problem, row });
        return { index: 0, scope: record, joins: false, place };
      }
      const inner = record.list(each);
      return { ...inner, index: inner.index + 1 };
    },
  };
}

function elementScope(shape: RecordShape, context: FieldContext, times: TimeDefaults, style: PathStyle): TreeScope {
  return {
    context,
    times,
    list(each) {
      const index = shape.lists.findIndex(({ path }) => path === each);
      const element = shape.lists[index]?.shape ?? { paths: [], lists: [] };
      const { zoneContext } = times;
      const shifted = { ...zoneContext, indexOf: shiftedBy(element.paths.length, zoneContext.indexOf) };
      const within = elementsOf(context.within, each, style);
      const inner = { ...context, indexOf: indexIn(element.paths), within };
      return {
        index,
        scope: elementScope(element, inner, { ...times, zoneContext: shifted }, style),
        joins: true,
        place: (at, problem) => inElement(within, at, problem),
      };
    },
  };
}

/** Where a column of the record stands once the cells of an element stand before it. */
const shiftedBy =
  (width: number, indexOf: IndexOf): IndexOf =>
  (column) => {
    const index = indexOf(column);
    return index === undefined ? undefined : index + width;
  };

function indexIn(paths: readonly string[]): IndexOf {
  const indexes = new Map(paths.map((path, index) => [path.trim(), index]));
  return (column) => indexes.get(column.trim());
}
