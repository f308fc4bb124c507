/**
 * Texts of a loop by path. What stands around a loop is read once for all loops inside it: the heading of a set is the same for
 * each of its records.
 */
import type { WantedText } from './divide.ts';
import { firstSegment } from './find.ts';
import { compileElementPath, type Step } from './path.ts';
import { readInto } from './segment.ts';
import { TagMap } from './tag-map.ts';
import { tagCode } from './tags.ts';
import type { LoopNode } from './tree.ts';

export type ReadFields = (node: LoopNode) => readonly string[];

/** Most paths lead to several elements of a few segments: each of these is looked for once. */
interface WantedSegment {
  steps: readonly Step[];
  wanted: WantedText[];
}

/** @returns what gives the texts in the order of the paths, '' where nothing stands. A path that is none reads nothing. */
export function fieldsReader(paths: readonly string[]): ReadFields {
  const segments = wantedSegments(paths);
  const byTag = new Map<number, { choices: Step['choices']; wanted: readonly WantedText[] }[]>();
  const far = segments.filter(({ steps }) => steps.length > 1);
  for (const { steps, wanted } of segments) {
    const [step, ...others] = steps;
    const code = step === undefined ? 0 : tagCode(step.name);
    if (step === undefined || code === 0 || others.length > 0) continue;
    byTag.set(code, [...(byTag.get(code) ?? []), { choices: step.choices, wanted }]);
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
    const { list, owners } = node.placed;
    let fields: string[] | null = null;
    // The first one of its kind counts: it is read last.
    for (let at = node.to - 1; at >= node.from; at--) {
      const owner = owners[at];
      if (owner !== node) {
        // A loop inside this one is passed over.
        if (owner !== undefined) at = owner.from;
        continue;
      }
      const kinds = near.get(list.tagCodeAt(at));
      if (kinds === undefined) continue;
      for (let index = 0; index < kinds.length; index++) {
        const kind = kinds[index];
        if (kind === undefined || !list.isChosenAt(at, kind.choices)) continue;
        fields ??= around.slice();
        list.readAt(at, fields, kind.wanted);
      }
    }
    return fields ?? around;
  }

  if (far.length === 0) return readNear;
  return (node) => {
    const fields = readNear(node).slice();
    for (const { steps, wanted } of far) {
      const segment = firstSegment(node, steps);
      if (segment !== undefined) readInto(fields, segment, wanted);
    }
    return fields;
  };
}

function wantedSegments(paths: readonly string[]): WantedSegment[] {
  const byName = new Map<string, WantedSegment>();
  for (const [field, text] of paths.entries()) {
    const path = compileElementPath(text.trim());
    if (!path.ok) continue;
    const { steps, element, component } = path.value;
    const name = JSON.stringify(steps);
    const segment = byName.get(name) ?? { steps, wanted: [] };
    byName.set(name, segment);
    segment.wanted.push({ element, component: component ?? 1, field });
  }
  for (const { wanted } of byName.values()) wanted.sort((left, right) => left.element - right.element);
  return [...byName.values()];
}
