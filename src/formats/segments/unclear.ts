/** What a record's paths find and cannot be read as one text: a cut value, or one of several, would be a guess. */
import { ELSE_ASK, type Problem, quoteValue } from '../../kernel/problem.ts';
import { trimmed } from '../../kernel/text.ts';
import type { Cells, RecordShape } from '../record-reader.ts';
import { HAS_COMPONENTS } from './divide.ts';
import { SEVERAL_VALUES } from './fields.ts';
import { nodesAt, segmentsAt } from './find.ts';
import { compileElementPath, compileListPath } from './path.ts';
import { placeAt } from './place-at.ts';
import { elementOf, elementText } from './segment.ts';
import type { LoopNode } from './tree.ts';

/** Asked of every record. */
export function isUnclear({ fields, lists }: Cells): boolean {
  for (const text of fields) if (text === HAS_COMPONENTS || text === SEVERAL_VALUES) return true;
  for (const items of lists) for (const item of items) if (isUnclear(item)) return true;
  return false;
}

/** @param within where the loop stands in a list of the record, with a point behind it; '' for the record itself. */
export function unclearProblems(node: LoopNode, shape: RecordShape, cells: Cells, within = ''): Problem[] {
  const own = shape.paths.flatMap((path, at) => {
    if (cells.fields[at] === HAS_COMPONENTS) return [componentsProblem(node, path.trim(), within)];
    if (cells.fields[at] !== SEVERAL_VALUES || isUnused(at, shape, cells)) return [];
    return [severalProblem(node, path.trim(), within)];
  });
  const inner = shape.lists.flatMap((list, index) => {
    const steps = compileListPath(list.path.trim());
    const nodes = steps.ok ? nodesAt(node, steps.value) : [];
    return nodes.flatMap((item, at) => {
      const read = cells.lists[index]?.[at];
      const place = `${within}${list.path.trim()}[${at}].`;
      return read === undefined || !isUnclear(read) ? [] : unclearProblems(item, list.shape, read, place);
    });
  });
  return [...own, ...inner];
}

/** Each of its uses has a value from a path that goes before it. */
const isUnused = (at: number, { yields }: RecordShape, { fields }: Cells): boolean =>
  yields?.get(at)?.every((before) => before.some((other) => trimmed(fields[other] ?? '') !== '')) === true;

/** So many of the values are shown. */
const SHOWN_MAX = 5;

function componentsProblem(node: LoopNode, path: string, within: string): Problem {
  const place = placeAt(node, path);
  const found = place === undefined ? '' : (elementOf(place.segment, place.element) ?? '');
  const components = typeof found === 'string' ? [found] : found;
  const more = components.length > SHOWN_MAX ? ', …' : '';
  const shown =
    components
      .slice(0, SHOWN_MAX)
      .map((text) => quoteValue(text))
      .join(', ') + more;
  return {
    code: 'element_divided',
    path: within + path,
    value: quoteValue(components.join(' ')),
    message: `The element has ${components.length} components (${shown}), and the mapping reads it as one text: the file's component separator (ISA16) stands in it.`,
    fix: `Write the value without that character, or name another separator in ISA16. ${ELSE_ASK}`,
  };
}

function severalProblem(node: LoopNode, path: string, within: string): Problem {
  const compiled = compileElementPath(path);
  const texts = compiled.ok
    ? segmentsAt(node, compiled.value.steps).map((segment) =>
        elementText(segment, compiled.value.element, compiled.value.component).trim(),
      )
    : [];
  const values = [...new Set(texts)].filter((text) => text !== '').slice(0, SHOWN_MAX);
  const shown = values.map((text) => `"${quoteValue(text)}"`).join(', ');
  return {
    code: 'values_differ',
    path: within + path,
    value: quoteValue(values.join(', ')),
    message: `Several values stand where one is wanted, ${shown}, and nothing says which of them is meant here.`,
    fix: 'Send one of them, or put what belongs together into a loop of its own, such as an LX for each.',
  };
}
