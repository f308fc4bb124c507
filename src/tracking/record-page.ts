/** All that a load or an order stores, as lines of JSON, page by page. Plain translation: nothing is left out. */
import { RECORD_PAGE_CHARACTERS_MAX } from '../kernel/limits.ts';
import type { SubjectStore } from './store/subject-store.ts';

/** @property next where the next page begins; null: this was the last. */
export interface RecordPage {
  lines: string[];
  next: number | null;
}

/** @param from how many lines were read before. What changes between two pages may be in either state. */
export function recordPage(
  store: Pick<SubjectStore, 'tables' | 'attemptsOf'>,
  from: number,
  charactersMax = RECORD_PAGE_CHARACTERS_MAX,
): RecordPage {
  const lines: string[] = [];
  let at = 0;
  let characters = 0;
  for (const entry of entriesOf(store)) {
    at += 1;
    if (at <= from) continue;
    if (characters >= charactersMax) return { lines, next: at - 1 };
    const line = JSON.stringify(entry);
    lines.push(line);
    characters += line.length;
  }
  return { lines, next: null };
}

/** A request with its attempts, as in the archives of batches; of all other tables each row under the name of its table. */
function* entriesOf({ tables, attemptsOf }: Pick<SubjectStore, 'tables' | 'attemptsOf'>): Iterable<object> {
  const { journal: _, attempt: __, request: requests, ...others } = tables;
  for (const request of requests.values()) yield { request, attempts: attemptsOf(request.seq) };
  for (const { form, values } of Object.values(others)) {
    for (const row of values()) yield { [form.name]: row };
  }
}
