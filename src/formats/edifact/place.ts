/** Names a place in the format's own words: `UNB 4711, UNG 2, UNH 42, segment 7 (STS)`. */
import { quoteValue } from '../../kernel/problem.ts';
import type { Segment } from '../segments/segment.ts';
import type { OpenInterchange } from './checkpoint.ts';

/** @param message its reference, '' where it has none; null: the place belongs to no message. */
export function placeOf(open: OpenInterchange | null, message: string | null, segment: Segment | null): string {
  const words: string[] = [];
  if (open !== null && open.header !== null) words.push(`UNB ${quoteValue(open.reference)}`.trim());
  if (open !== null && open.group !== null) words.push(`UNG ${quoteValue(open.group.reference)}`.trim());
  if (message !== null && message !== '') words.push(`UNH ${quoteValue(message)}`);
  if (segment !== null) words.push(segment.number === 0 ? segment.tag : `segment ${segment.number} (${segment.tag})`);
  return words.join(', ');
}
