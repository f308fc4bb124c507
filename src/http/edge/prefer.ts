/** What a sender prefers: how long to wait (RFC 7240), and in which form the answer should come (RFC 9110 §12.5.1). Pure. */

/** @returns the wait asked for in ms, capped; null where none is asked for. */
export function preferredWaitMs(prefer: string | null, mostMs: number): number | null {
  for (const preference of (prefer ?? '').split(',')) {
    const match = /^\s*wait\s*=\s*"?(\d{1,9})"?\s*(?:;.*)?$/i.exec(preference);
    if (match !== null) return Math.min(Number(match[1]) * 1_000, mostMs);
  }
  return null;
}

/** @returns media types in the order of preference, lower case, without those refused by `q=0`. */
export function acceptedTypes(accept: string | null): string[] {
  const types = (accept ?? '').split(',').flatMap((range, index) => {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
    if (type === '') return [];
    const weight = parameters.map((parameter) => /^q=(\d(?:\.\d{0,3})?)$/.exec(parameter)?.[1]).find(Boolean);
    return [{ type, weight: weight === undefined ? 1 : Number(weight), index }];
  });
  return types
    .filter(({ weight }) => weight > 0)
    .sort((left, right) => right.weight - left.weight || left.index - right.index)
    .map(({ type }) => type);
}

export type TableForm = 'json' | 'csv';

const CSV_ENDING = '.csv';

/** @returns undefined where neither is named. */
export function formAccepted(accept: string | null): TableForm | undefined {
  const type = acceptedTypes(accept).find((each) => each === 'application/json' || each === 'text/csv');
  if (type === undefined) return undefined;
  return type === 'text/csv' ? 'csv' : 'json';
}

/** A name that itself ends in `.csv` is asked for with it twice, or with `Accept: application/json`. */
export function namedForm(text: string, accept: string | null): { name: string; form: TableForm } {
  const form = formAccepted(accept);
  if (form === 'json' || !text.endsWith(CSV_ENDING) || text === CSV_ENDING) return { name: text, form: form ?? 'json' };
  return { name: text.slice(0, -CSV_ENDING.length), form: 'csv' };
}
