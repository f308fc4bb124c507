/**
 * Fills the columns of one record so that every question asked of them is answered well, or finds that they cannot be.
 *
 * Depth first over the ideas of each question. Questions that share no column are settled on their own, so that a
 * conflict is searched only where it lies.
 */
import { type Domains, type Effort, fitsDomain } from './sample-domains.ts';
import type { CellTexts, Judge } from './sample-leaf.ts';

export interface Question {
  /** The columns it fills. */
  columns: readonly string[];
  /** Further columns its answer hangs on, as a time does on its zone. */
  needs: readonly string[];
  /** Lower is asked earlier: what leaves the least choice. */
  rank: number;
  required: boolean;
  judge: Judge;
  ideas(cells: CellTexts): Iterable<CellTexts>;
}

export interface Solving {
  /** Cells of the record around an element; none around the record itself. */
  around: CellTexts;
  domains: Domains;
  effort: Effort;
  /** Whether the file's form and encoding can write a text. */
  writes(text: string): boolean;
}

/** @param fixed what is filled already. @returns all columns of the questions, or undefined when nothing answers all of them. */
export function solve(questions: readonly Question[], fixed: CellTexts, solving: Solving): CellTexts | undefined {
  let cells = fixed;
  for (const part of partsOf(questions, fixed)) {
    const ranked = part.toSorted((left, right) => left.rank - right.rank);
    const filled = answer(ranked, 0, cells, solving);
    if (filled === undefined) return undefined;
    cells = filled;
  }
  return cells;
}

/** Questions that hang together by a column that is still open. */
function partsOf(questions: readonly Question[], fixed: CellTexts): Question[][] {
  let parts: { questions: Question[]; columns: Set<string> }[] = [];
  for (const question of questions) {
    const open = [...question.columns, ...question.needs].filter((column) => !fixed.has(column));
    const joined = { questions: [question], columns: new Set(open) };
    const apart: typeof parts = [];
    for (const part of parts) {
      if (!open.some((column) => part.columns.has(column))) {
        apart.push(part);
        continue;
      }
      joined.questions = [...part.questions, ...joined.questions];
      for (const column of part.columns) joined.columns.add(column);
    }
    parts = [...apart, joined];
  }
  return parts.map((part) => part.questions);
}

function answer(
  questions: readonly Question[],
  index: number,
  cells: CellTexts,
  solving: Solving,
): CellTexts | undefined {
  const question = questions[index];
  if (question === undefined) return cells;
  const open = question.columns.filter((column) => !cells.has(column));
  const tried = (next: CellTexts): CellTexts | undefined => answer(questions, index + 1, next, solving);
  if (open.length > 0) {
    for (const idea of question.ideas(cells)) {
      if (solving.effort.left <= 0) return undefined;
      solving.effort.left -= 1;
      const next = merged(cells, idea, solving);
      const found = next !== undefined && question.judge(next, solving.around) === 'value' ? tried(next) : undefined;
      if (found !== undefined) return found;
    }
  }
  const empty = merged(cells, new Map(open.map((column) => [column, ''])), solving);
  const verdict = empty === undefined ? 'wrong' : question.judge(empty, solving.around);
  if (empty === undefined || verdict === 'wrong' || (verdict === 'empty' && question.required)) return undefined;
  return tried(empty);
}

/** @returns undefined when the idea contradicts what is there, or a column may not hold its text. */
function merged(cells: CellTexts, idea: CellTexts, { domains, writes }: Solving): CellTexts | undefined {
  for (const [column, text] of idea) {
    const known = cells.get(column);
    if (known !== undefined) {
      if (known !== text) return undefined;
    } else if (!fitsDomain(domains, column, text) || !writes(text)) return undefined;
  }
  return new Map([...cells, ...idea]);
}
