/**
 * Collects the records of a sample: for each thing a record can become, one after the other, the first candidate that the
 * mapping takes as it should.
 *
 * Candidates are composed; where none of them maps, the document's own examples stand in.
 */
import type { Problem } from '../kernel/problem.ts';
import { compileCondition } from './condition.ts';
import type { PlacedRecord } from './map-record.ts';
import { composeGroup } from './sample-compose.ts';
import { columnsOf, type DraftGroup, rotated } from './sample-draft.ts';
import { type FileWriter, mapGroups } from './sample-file.ts';
import type { Composing } from './sample-questions.ts';
import { type Scenario, scenariosOf } from './sample-scenarios.ts';
import { isOrderKind } from './targets.ts';
import { indexIn } from './tree-scope.ts';

export interface Collected {
  kept: readonly { group: DraftGroup; place: string }[];
  /** Where all that can be shown stands. */
  places: readonly string[];
  /** What was wrong with the last candidate that did not map. */
  problems: readonly Problem[];
}

/** Records of a sample, or groups where rows come together; more when there are more kinds of record. Ours: one screen. */
const RECORDS_LEAST = 10;
const GROUPS_LEAST = 4;
/** Candidates composed for one record before the examples are tried. */
const TRIES_MAX = 3;
/** Ideas tried for one record, and for all: a document whose fields suit each other takes some dozens. Ours. */
const IDEAS_MAX = 5_000;
const ALL_IDEAS_MAX = 50_000;

/** A scenario and how many records of it there are. */
interface Waiting {
  scenario: Scenario;
  index: number;
  taken: number;
}

export async function collect(composing: Omit<Composing, 'effort' | 'taken'>, writer: FileWriter): Promise<Collected> {
  const scenarios = scenariosOf(composing.parts);
  const least = composing.parts.group === undefined ? RECORDS_LEAST : GROUPS_LEAST;
  const kept: { group: DraftGroup; place: string }[] = [];
  const judge = candidateJudge(composing, writer);
  const all = { left: ALL_IDEAS_MAX };
  const queue: Waiting[] = scenarios.map((scenario, index) => ({ scenario, index, taken: 0 }));
  while (kept.length < least || queue.some(({ taken }) => taken === 0)) {
    const next = queue.shift();
    if (next === undefined) break;
    const effort = { left: Math.min(IDEAS_MAX, all.left) };
    all.left -= effort.left;
    const group = await firstTaken({ ...composing, effort, taken: judge.taken }, judge, next, kept.length + 1);
    all.left += effort.left;
    if (group === undefined) continue; // nothing more to be had of this one
    kept.push({ group, place: next.scenario.place });
    queue.push({ ...next, taken: next.taken + 1 });
  }
  return { kept, places: scenarios.map(({ place }) => place), problems: judge.problems };
}

async function firstTaken(
  composing: Composing,
  judge: CandidateJudge,
  { scenario, index, taken }: Waiting,
  number: number,
): Promise<DraftGroup | undefined> {
  for (let tried = 0; tried < TRIES_MAX; tried += 1) {
    const group = composeGroup(composing, scenario, { turn: index + taken + tried, number });
    if (group !== undefined && (await judge.takes(group, scenario))) return group;
  }
  for (const group of rotated(composing.examples.groups, taken)) if (await judge.takes(group, scenario)) return group;
  return undefined;
}

interface CandidateJudge {
  taken: ReadonlySet<string>;
  problems: readonly Problem[];
  takes(group: DraftGroup, scenario: Scenario): Promise<boolean>;
}

/** Takes what maps without an error, shows what it is for, and does not stand in the file already. */
function candidateJudge({ mapping }: Pick<Composing, 'mapping'>, writer: FileWriter): CandidateJudge {
  const seen = new Set<string>();
  const columns = columnsOf(mapping.shape);
  const shows = (group: DraftGroup, { plan, demands }: Scenario, [first]: readonly PlacedRecord[]): boolean => {
    const cells = columns.map((column) => group[0]?.cells.get(column) ?? '');
    const isOfKind = first?.mapped.requests.some(({ kind }) => kind === plan.target) ?? false;
    return isOfKind && compileCondition(demands, indexIn(columns))(cells);
  };
  const judge: CandidateJudge = {
    taken: seen,
    problems: [],
    async takes(group, scenario) {
      const mapped = await mapGroups(mapping, writer, [group]);
      if (mapped === undefined) return false;
      const { records } = mapped;
      const problems = records.flatMap((record) => record.mapped.errors);
      if (problems.length > 0) judge.problems = problems;
      if (!records.every(isSound) || !shows(group, scenario, records)) return false;
      const marks = marksOf(group, records);
      if (marks.some((mark) => seen.has(mark))) return false;
      for (const mark of marks) seen.add(mark);
      return true;
    },
  };
  return judge;
}

export const isSound = ({ mapped }: PlacedRecord): boolean => mapped.errors.length === 0 && !mapped.skipped;

/** What may stand in a file once: equal rows, and orders of one number. */
function marksOf(group: DraftGroup, records: readonly PlacedRecord[]): string[] {
  const requests = records.flatMap(({ mapped }) => mapped.requests);
  const orders = requests.flatMap(({ kind, subject }) => (isOrderKind(kind) ? [subject] : []));
  return [JSON.stringify(group.map(({ cells }) => [...cells])), ...new Set(orders)];
}
