/**
 * Texts of a loop by path. What is outside a loop is read once for all loops inside it: the heading of a set is the
 * same for each of its records.
 */

import { ELSE_CONTACT, type Problem, quoteValue } from '../../kernel/problem.ts';
import { trimmed } from '../../kernel/text.ts';
import type { Cells, RecordShape } from '../record-reader.ts';
import {
  bestOf,
  compileElementPath,
  compileListPath,
  type ElementPair,
  isRanked,
  pairedElement,
  type Step,
} from './path.ts';
import {
  elementOf,
  elementText,
  HAS_COMPONENTS,
  isChosen,
  readInto,
  type Segment,
  UNDIVIDED,
  type WantedText,
} from './segment.ts';
import { TagMap, tagCode } from './tags.ts';
import { LoopNode } from './tree.ts';

/* Finds segments and loops along the steps of a path. */

/** @returns the first segment that the steps lead to: in the loop itself, or else in the nearest loop around it. */
function firstSegment(node: LoopNode, steps: readonly Step[]): Segment | undefined {
  const last = steps.at(-1);
  if (last === undefined) return undefined;
  for (const scopes of scopesOf(node, steps)) {
    const found = isRanked(last) ? chosenIn(scopes, last)[0] : firstIn(scopes, last);
    if (found !== undefined) return found;
  }
  return undefined;
}

function firstIn(scopes: readonly LoopNode[], step: Step): Segment | undefined {
  for (const { segments } of scopes) for (const segment of segments) if (isAt(segment, step)) return segment;
  return undefined;
}

/** @returns all segments that the steps lead to, in the loop in which the first of them is found. */
function segmentsAt(node: LoopNode, steps: readonly Step[]): readonly Segment[] {
  for (const found of segmentsOutwards(node, steps)) if (found.length > 0) return found;
  return [];
}

/**
 * @returns the nearest segment with such a qualifier, and the element of its value; of ranked qualifiers the first one
 * that occurs.
 */
function firstPaired(
  node: LoopNode,
  steps: readonly Step[],
  pair: ElementPair,
): { segment: Segment; element: number } | undefined {
  const kinds = pair.ranked ? pair.values.map((value) => [value]) : [pair.values];
  for (const found of segmentsOutwards(node, steps)) {
    for (const values of kinds) {
      for (const segment of found) {
        const element = pairedElement(segment, { ...pair, values });
        if (element !== undefined) return { segment, element };
      }
    }
  }
  return undefined;
}

function* segmentsOutwards(node: LoopNode, steps: readonly Step[]): Generator<readonly Segment[]> {
  const last = steps.at(-1);
  if (last === undefined) return;
  for (const scopes of scopesOf(node, steps)) yield chosenIn(scopes, last);
}

/**
 * Where the last step is searched: in the loops that the others lead to, or in the loop itself and then in each around
 * it.
 */
const scopesOf = (node: LoopNode, steps: readonly Step[]): Iterable<readonly LoopNode[]> =>
  steps.length === 1 ? around(node) : [startsOf(node, steps.slice(0, -1))];

const isAt = (segment: Segment, { name, choices }: Step): boolean => segment.tag === name && isChosen(segment, choices);

const chosenIn = (scopes: readonly LoopNode[], step: Step): readonly Segment[] =>
  bestOf(
    scopes.flatMap(({ segments }) => segments.filter((segment) => isAt(segment, step))),
    step.choices,
    (segment) => segment,
  );

/** All elements of a list: loops, or single segments. */
export function nodesAt(node: LoopNode, steps: readonly Step[]): readonly LoopNode[] {
  const last = steps.at(-1);
  if (last === undefined) return [];
  for (const scopes of scopesOf(node, steps)) {
    const loops = scopes.flatMap((scope) => innerLoops(scope, last));
    if (loops.length > 0) return loops;
    const alone = scopes.flatMap((scope) => chosenIn([scope], last).map(onItsOwn(scope)));
    if (alone.length > 0) return alone;
  }
  return [];
}

/**
 * @returns the loops that the steps lead to: through the loop of that name around the record, or else the nearest ones
 * inside.
 */
function startsOf(node: LoopNode, steps: readonly Step[]): readonly LoopNode[] {
  const [first, ...rest] = steps;
  if (first === undefined) return [];
  const named = outwards(node, (scope) =>
    scope.loop === first.name && scope.opening !== undefined && isChosen(scope.opening, first.choices)
      ? scope
      : undefined,
  );
  const begun = named === undefined ? nearestInner(node, first) : [named];
  return rest.reduce<readonly LoopNode[]>((scopes, step) => scopes.flatMap((scope) => innerLoops(scope, step)), begun);
}

function nearestInner(node: LoopNode, step: Step): readonly LoopNode[] {
  for (const [scope] of around(node)) {
    const found = innerLoops(scope, step);
    if (found.length > 0) return found;
  }
  return [];
}

const innerLoops = (scope: LoopNode, { name, choices }: Step): readonly LoopNode[] =>
  bestOf(
    scope.inner(name).filter(({ opening }) => opening !== undefined && isChosen(opening, choices)),
    choices,
    ({ opening }) => opening,
  );

const onItsOwn =
  (parent: LoopNode) =>
  (segment: Segment): LoopNode =>
    LoopNode.of(segment.tag, parent, [segment]);

/** The loop itself and those around it, innermost first. */
function* around(node: LoopNode): Generator<[LoopNode]> {
  for (let scope: LoopNode | null = node; scope !== null; scope = scope.parent) yield [scope];
}

function outwards<Found>(node: LoopNode, find: (scope: LoopNode) => Found | undefined): Found | undefined {
  for (let scope: LoopNode | null = node; scope !== null; scope = scope.parent) {
    const found = find(scope);
    if (found !== undefined) return found;
  }
  return undefined;
}

type ReadFields = (node: LoopNode) => readonly string[];

/** How a mapping's paths are to be read. */
export interface FieldRules {
  /** What an element without a component number means: an undivided element (X12), or its first component (EDIFACT). */
  elements: 'whole' | 'first';
  /** Paths that must find exactly one value in the loop in which they find it. */
  single: readonly string[];
}

/** Most paths lead to several elements of a few segments: each of these is searched once. */
interface WantedSegment {
  steps: readonly Step[];
  pair: ElementPair | null;
  isSingle: boolean;
  wanted: WantedText[];
}

/** A path that is chosen by tag and by values in the segment. */
type NearSegment = Pick<WantedSegment, 'wanted' | 'isSingle'> & Pick<Step, 'choices'>;

/** Marks the text of a path that must find one value and finds several. No file contains such a text by accident. */
export const SEVERAL_VALUES = '\u0000values';

/** Those that need more than the first segment of a kind in each loop. */
const isFar = ({ steps, pair }: WantedSegment): boolean => steps.length > 1 || pair !== null || steps.some(isRanked);

/**
 * @returns a function that gives the texts in the order of the paths, '' for what is missing. An invalid path reads
 * nothing.
 */
export function fieldsReader(paths: readonly string[], rules: FieldRules): ReadFields {
  const segments = wantedSegments(paths, rules);
  const byTag = new Map<number, NearSegment[]>();
  const far = segments.filter(isFar);
  for (const segment of segments) {
    const [step] = segment.steps;
    const code = step === undefined ? 0 : tagCode(step.name);
    if (code === 0 || isFar(segment)) continue;
    const { wanted, isSingle } = segment;
    byTag.set(code, [...(byTag.get(code) ?? []), { choices: step?.choices ?? [], wanted, isSingle }]);
  }
  const near = new TagMap(byTag);
  const nothing: readonly string[] = paths.map(() => '');
  // By the number of loops around a loop: the last one that was read, and its texts.
  const nodes: LoopNode[] = [];
  const texts: (readonly string[])[] = [];

  function readNear(node: LoopNode): readonly string[] {
    const { depth } = node;
    const known = texts[depth];
    if (nodes[depth] === node && known !== undefined) return known;
    const fields = node.parent === null ? readOwn(node, nothing) : readOwn(node, readNear(node.parent));
    nodes[depth] = node;
    texts[depth] = fields;
    return fields;
  }

  /** @param around what is read if its own segments have no value: returned unchanged if none of them has. */
  function readOwn(node: LoopNode, around: readonly string[]): readonly string[] {
    const { list, owners, isInterleaved } = node.placed;
    let fields: string[] | null = null;
    let single: string[] | null = null;
    // The first one of its kind counts: it is read last.
    for (let at = node.to - 1; at >= node.from; at--) {
      const owner = owners[at];
      if (owner !== node) {
        // A loop inside this one is skipped, unless a segment of this one may be in it.
        if (owner !== undefined && !isInterleaved) at = owner.from;
        continue;
      }
      const kinds = near.get(list.tagCodeAt(at));
      if (kinds === undefined) continue;
      for (let index = 0; index < kinds.length; index++) {
        const kind = kinds[index];
        if (kind === undefined || !list.isChosenAt(at, kind.choices)) continue;
        fields ??= around.slice();
        if (!kind.isSingle) {
          list.readAt(at, fields, kind.wanted);
          continue;
        }
        single ??= [];
        const before = single.slice();
        list.readAt(at, single, kind.wanted);
        joinSingle(before, single, kind.wanted, fields);
      }
    }
    return fields ?? around;
  }

  if (far.length === 0) return readNear;
  return (node) => {
    const fields = readNear(node).slice();
    for (const segment of far) readFar(node, segment, fields);
    return fields;
  };
}

/** If the texts before and now differ, the field is marked as having several. @param now as read last; then as joined. */
function joinSingle(before: readonly string[], now: string[], wanted: readonly WantedText[], fields: string[]): void {
  for (const { field } of wanted) {
    now[field] = oneOf(before[field] ?? '', now[field] ?? '');
    fields[field] = now[field] ?? '';
  }
}

/** Blanks around a value do not make it a different value, and an empty value does not differ from any. */
function oneOf(one: string, other: string): string {
  const [left, right] = [one.trim(), other.trim()];
  if (left === '' || left === right) return other;
  return right === '' ? one : SEVERAL_VALUES;
}

function readFar(node: LoopNode, { steps, pair, isSingle, wanted }: WantedSegment, fields: string[]): void {
  if (pair !== null) {
    const found = firstPaired(node, steps, pair);
    if (found !== undefined)
      readInto(
        fields,
        found.segment,
        wanted.map((one) => ({ ...one, element: found.element })),
      );
    return;
  }
  if (!isSingle) {
    const segment = firstSegment(node, steps);
    if (segment !== undefined) readInto(fields, segment, wanted);
    return;
  }
  const texts: string[] = [];
  for (const segment of segmentsAt(node, steps)) {
    const before = texts.slice();
    readInto(texts, segment, wanted);
    joinSingle(before, texts, wanted, fields);
  }
}

function wantedSegments(paths: readonly string[], { elements, single }: FieldRules): WantedSegment[] {
  const asked = new Set(single.map((path) => path.trim()));
  const byName = new Map<string, WantedSegment>();
  for (const [field, text] of paths.entries()) {
    const path = compileElementPath(text.trim());
    if (!path.ok) continue;
    const { steps, element, component, pair } = path.value;
    const isSingle = asked.has(text.trim());
    const name = JSON.stringify([steps, pair, isSingle]);
    const segment = byName.get(name) ?? { steps, pair, isSingle, wanted: [] };
    byName.set(name, segment);
    segment.wanted.push({ element, component: component ?? (elements === 'whole' ? UNDIVIDED : 1), field });
  }
  for (const { wanted } of byName.values()) wanted.sort((left, right) => left.element - right.element);
  return [...byName.values()];
}

/* Resolves a path to its location. */

interface ElementLocation {
  segment: Segment;
  element: number;
  component: number | null;
}

/** @returns undefined if the text is not a path, or leads to no segment. */
export function locationAt(node: LoopNode, text: string): ElementLocation | undefined {
  const path = compileElementPath(text);
  if (!path.ok) return undefined;
  const { steps, element, component, pair } = path.value;
  if (pair !== null) {
    const found = firstPaired(node, steps, pair);
    return found && { ...found, component: null };
  }
  const segment = firstSegment(node, steps);
  return segment && { segment, element, component };
}

/*
 * Reports what a record's paths find and cannot be read as one text: a cut value, or one of several, would be a guess.
 */

/** Called for every record. */
export function isAmbiguous({ fields, lists }: Cells): boolean {
  for (const text of fields) if (text === HAS_COMPONENTS || text === SEVERAL_VALUES) return true;
  for (const items of lists) for (const item of items) if (isAmbiguous(item)) return true;
  return false;
}

/** @param within the loop's location in a list of the record, with a point after it; '' for the record itself. */
export function ambiguousProblems(node: LoopNode, shape: RecordShape, cells: Cells, within = ''): Problem[] {
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
      return read === undefined || !isAmbiguous(read) ? [] : ambiguousProblems(item, list.shape, read, place);
    });
  });
  return [...own, ...inner];
}

/** In each of its uses a path before it has a value. */
const isUnused = (at: number, { yields }: RecordShape, { fields }: Cells): boolean =>
  yields?.get(at)?.every((before) => before.some((other) => trimmed(fields[other] ?? '') !== '')) === true;

/** How many of the values are shown. */
const SHOWN_MAX = 5;

function componentsProblem(node: LoopNode, path: string, within: string): Problem {
  const place = locationAt(node, path);
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
    fix: `Write the value without that character, or name another separator in ISA16. ${ELSE_CONTACT}`,
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
