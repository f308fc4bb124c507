/** The values of a request's body, each with its path, and the line of the mapping that each comes from. Pure. */

import type { RequestKind } from '../../../mapping/request.ts';
import { leavesIn, pathText, type Step } from '../../parts/value-leaves.ts';
import type { TriedAnswer } from './answers.ts';

export type Origin = TriedAnswer['origins'][number];

interface BodyLeaf {
  /** As people read it: `references[0].value`. */
  path: string;
  value: string;
  origin: Origin | null;
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
