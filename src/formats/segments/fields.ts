/**
 * Texts of a loop by path. What stands around a loop is read once for all loops inside it: the heading of a set is the same for
 * each of its records.
 */
import { UNDIVIDED, type WantedText } from './divide.ts';
import { firstPaired, firstSegment, segmentsAt } from './find.ts';
import { compileElementPath, isRanked, type Pair, type Step } from './path.ts';
import { readInto } from './segment.ts';
import { TagMap } from './tag-map.ts';
import { tagCode } from './tags.ts';
import type { LoopNode } from './tree.ts';

export type ReadFields = (node: LoopNode) => readonly string[];

/** What a mapping says of how its paths are read. */
export interface FieldRules {
  /** An element without a number of a component has none (X12), or its first one is meant (EDIFACT). */
  elements: 'whole' | 'first';
  /** Paths that must find one value, and not several in the loop in which they find it. */
  single: readonly string[];
}

/** Most paths lead to several elements of a few segments: each of these is looked for once. */
interface WantedSegment {
  steps: readonly Step[];
  pair: Pair | null;
  isSingle: boolean;
  wanted: WantedText[];
}

/** One that is told by its tag and what stands in it. */
type NearSegment = Pick<WantedSegment, 'wanted' | 'isSingle'> & Pick<Step, 'choices'>;

/** Stands for the text of a path that must find one value and finds several. No file holds such a text by accident. */
export const SEVERAL_VALUES = '\u0000values';

/** Those that need more than the first segment of a kind in each loop. */
const isFar = ({ steps, pair }: WantedSegment): boolean => steps.length > 1 || pair !== null || steps.some(isRanked);

/** @returns what gives the texts in the order of the paths, '' where nothing stands. A path that is none reads nothing. */
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
  // By how many loops are around a loop: the last one that was read, and its texts.
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

  /** @param around what is read where its own segments say nothing: given back as it is where they do not. */
  function readOwn(node: LoopNode, around: readonly string[]): readonly string[] {
    const { list, owners, isInterleaved } = node.placed;
    let fields: string[] | null = null;
    let single: string[] | null = null;
    // The first one of its kind counts: it is read last.
    for (let at = node.to - 1; at >= node.from; at--) {
      const owner = owners[at];
      if (owner !== node) {
        // A loop inside this one is passed over, unless something of this one may stand in it.
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

/** What stood there before and what stands there now must be the same. @param now as read last; then as joined. */
function joinSingle(before: readonly string[], now: string[], wanted: readonly WantedText[], fields: string[]): void {
  for (const { field } of wanted) {
    now[field] = oneOf(before[field] ?? '', now[field] ?? '');
    fields[field] = now[field] ?? '';
  }
}

/** Blanks around a value make no other value of it, and nothing says nothing. */
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
