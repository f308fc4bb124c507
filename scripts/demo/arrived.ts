/** What the receiving system took, counted in the nouns of its interfaces. Pure. */
import { ENDPOINTS } from '../../src/upstream/contracts/endpoints.ts';
import type { JournalEntry } from '../local/stack.ts';

type Counted = 'milestone' | 'trace' | 'loadMilestoneEvent' | 'orderCreate';

export function arrivedLine(journal: readonly JournalEntry[]): string {
  const took = (name: Counted) => {
    const { method, path } = ENDPOINTS[name];
    return journal.filter((entry) => entry.applied && entry.method === method && entry.path.endsWith(path));
  };
  const traces = took('trace');
  const points = traces.reduce((sum, { body }) => sum + pointsIn(body), 0);
  const words = [
    counted(took('milestone').length, 'milestone'),
    `${counted(points, 'position')} in ${counted(traces.length, 'request')}`,
    `${counted(took('loadMilestoneEvent').length, 'plain milestone')} by the interface that wants a token`,
    counted(took('orderCreate').length, 'order'),
  ];
  return `The receiving system took ${words.slice(0, -1).join(', ')}, and ${words.at(-1)}.`;
}

const pointsIn = (body: string): number => (JSON.parse(body) as { traces: unknown[] }).traces.length;

const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;
