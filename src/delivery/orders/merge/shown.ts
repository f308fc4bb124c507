/** What an update changed, short enough for a report: paths with what stood there and what stands there now. Pure. */
import { type OrderDifference, pathText } from '../../../upstream/contracts/order-difference.ts';
import { changeWords } from './refusal.ts';

/** `before`, `after`: absent where nothing stood or stands; a long value is cut and then a text. */
/** JSON. */
type ShownValue = string | number | boolean | object | null;

export interface ShownDifference {
  path: string;
  before?: ShownValue;
  after?: ShownValue;
}

/** Ours: a report is read by people, and the whole document is kept with the order. */
const SHOWN_MAX = 30;
const VALUE_CHARACTERS_MAX = 300;

export function shownDifferences(differences: readonly OrderDifference[]): ShownDifference[] {
  const shown = differences.slice(0, SHOWN_MAX).map(({ path, before, after }) => ({
    path: pathText(path),
    ...(before === undefined ? {} : { before: shortened(before) }),
    ...(after === undefined ? {} : { after: shortened(after) }),
  }));
  const more = differences.length - shown.length;
  return more > 0 ? [...shown, { path: `and ${more} more` }] : shown;
}

function shortened(value: unknown): ShownValue {
  const text = JSON.stringify(value);
  if (text.length > VALUE_CHARACTERS_MAX) return `${text.slice(0, VALUE_CHARACTERS_MAX - 1)}…`;
  const isPlain = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
  return isPlain || typeof value === 'object' ? value : null;
}

/** `consignee.phone: "555-0100" → "555-0199"; …` */
export const differenceWords = (shown: readonly ShownDifference[]): string =>
  shown
    .map((each) => {
      const isCount = !('before' in each) && !('after' in each);
      return isCount ? each.path : `${each.path}: ${changeWords({ before: each.before, after: each.after })}`;
    })
    .join('; ');
