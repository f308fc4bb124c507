/** The values of a request's body, each with its path, and the line of the mapping that each comes from. Pure. */

import type { RequestKind } from '../../../mapping/request.ts';
import type { TriedAnswer } from './answers.ts';

export type Origin = TriedAnswer['origins'][number];

export interface BodyLeaf {
  /** As people read it: `references[0].value`. */
  path: string;
  value: string;
  origin: Origin | null;
}

/** A step into the body. @property name of an entry in a list that has one, such as a reference. */
interface Step {
  key: string;
  name?: string;
}

export function bodyLeaves(
  { kind, body }: { kind: RequestKind; body: unknown },
  origins: readonly Origin[],
): BodyLeaf[] {
  const possible = origins.filter(({ kinds }) => kinds.includes(kind));
  return leavesIn(body, []).map(({ steps, value }) => ({
    path: pathText(steps),
    value,
    origin: originOf(steps, possible),
  }));
}

function leavesIn(value: unknown, steps: readonly Step[]): { steps: readonly Step[]; value: string }[] {
  if (Array.isArray(value) && value.length > 0) {
    return value.flatMap((entry: unknown, index) =>
      leavesIn(entry, [...steps, { key: `${index}`, ...namedIn(entry) }]),
    );
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    const members = Object.entries(value);
    if (members.length > 0) return members.flatMap(([key, inner]) => leavesIn(inner, [...steps, { key }]));
  }
  return [{ steps, value: typeof value === 'string' ? value : JSON.stringify(value) }];
}

function namedIn(entry: unknown): { name?: string } {
  const name = typeof entry === 'object' && entry !== null && 'name' in entry ? entry.name : undefined;
  return typeof name === 'string' ? { name } : {};
}

const pathText = (steps: readonly Step[]): string =>
  steps.map(({ key }, index) => (/^\d+$/.test(key) ? `[${key}]` : index === 0 ? key : `.${key}`)).join('');

/** The origin whose member says most of the path. */
function originOf(steps: readonly Step[], origins: readonly Origin[]): Origin | null {
  let best: Origin | null = null;
  for (const origin of origins) {
    if (isOf(steps, origin.member) && origin.member.length > (best?.member.length ?? 0)) best = origin;
  }
  return best;
}

/** Indexes, and the list of traces around a point, are not written in a mapping. */
function isOf(steps: readonly Step[], member: readonly string[]): boolean {
  let found = 0;
  for (const { key, name } of steps) {
    if (found === member.length) return true;
    const wanted = member[found];
    if (key === wanted || name === wanted) found += 1;
    else if (!/^\d+$/.test(key) && !(key === 'traces' && found === 0)) return false;
  }
  return found === member.length;
}
