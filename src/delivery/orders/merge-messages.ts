/** Messages for the partner why a change of an order is not sent: where, the value there, the value wanted. Pure. */
import { type OrderDifference, pathText } from '../../upstream/contracts/order-difference.ts';

const MERGE_REFUSALS = [
  'not_updatable',
  'quantity_below_zero',
  'unit_differs',
  'entry_unknown',
  'entry_ambiguous',
  'delta_conflict',
  'order_too_large',
] as const;
export type MergeRefusalCode = (typeof MERGE_REFUSALS)[number];

/** Its message is about the change, not only the reason. */
export const isMergeRefusal = (reason: string): boolean => MERGE_REFUSALS.some((code) => code === reason);

export interface MergeRefusal {
  code: MergeRefusalCode;
  /** In the order document. */
  path: string;
  message: string;
  fix: string;
}

/** Members named in one message. */
const NAMED_MAX = 5;
/** Of a shown value. */
const SHOWN_CHARACTERS_MAX = 80;

export function notUpdatable(differences: readonly OrderDifference[]): MergeRefusal {
  const named = differences.slice(0, NAMED_MAX).map((each) => `${pathText(each.path)} ${changeMessage(each)}`);
  const more = differences.length > NAMED_MAX ? `, and ${differences.length - NAMED_MAX} more` : '';
  return {
    code: 'not_updatable',
    path: differences.map(({ path }) => pathText(path)).join(', '),
    message: `The documentation of the receiving system does not list this among what an update changes: ${named.join('; ')}${more}.`,
    fix: 'Leave it as it is; or cancel the order and create it anew. If it does change this, the operator can have such updates sent.',
  };
}

export const quantityBelowZero = (path: string, before: number | null, after: number): MergeRefusal => ({
  code: 'quantity_below_zero',
  path,
  message: before === null ? `${path} would be ${after}.` : `${path} is ${before} and would be ${after}.`,
  fix: 'Send what the quantity shall be; 0 where nothing is wanted any more.',
});

export const unitDiffers = (path: string, before: unknown, asked: string): MergeRefusal => ({
  code: 'unit_differs',
  path,
  message: `${path} is ${valueMessage(before)}, and the quantity is told in ${valueMessage(asked)}.`,
  fix: 'Send the quantity in the unit that the order has.',
});

export const entryUnknown = (path: string): MergeRefusal => ({
  code: 'entry_unknown',
  path,
  message: `The order has no ${path} with a quantity that could become more or less.`,
  fix: 'Compare with the order; send what the quantity shall be.',
});

export const entryToDelete = (path: string): MergeRefusal => ({
  code: 'entry_unknown',
  path,
  message: `The order has no ${path}, so nothing of it can be taken out.`,
  fix: 'Compare with the order; leave the line out if nothing of it is wanted.',
});

export const entryAmbiguous = (path: string): MergeRefusal => ({
  code: 'entry_ambiguous',
  path,
  message: `The order has several entries ${path}; which of them is meant cannot be told.`,
  fix: 'Cancel the order and create it anew, each entry with a key of its own.',
});

export const deltaConflict = (path: string, changeRef: string, counted: number, asked: number): MergeRefusal => ({
  code: 'delta_conflict',
  path,
  message: `The change ${changeRef} was counted with ${signed(counted)} at ${path}, and now says ${signed(asked)}.`,
  fix: 'Send what is still missing under a reference of its own, or what the quantity shall be.',
});

export const tooLarge = (characters: number, charactersMax: number): MergeRefusal => ({
  code: 'order_too_large',
  path: '',
  message: `The changed order would have ${characters} characters; at most ${charactersMax} can be sent.`,
  fix: 'Replace or empty its longest members.',
});

const signed = (amount: number): string => (amount > 0 ? `+${amount}` : String(amount));

/** `2 → 5`; for lists, what is new and what is gone. */
function changeMessage({ before, after }: Pick<OrderDifference, 'before' | 'after'>): string {
  return `${valueMessage(before)} → ${valueMessage(after)}`;
}

export function valueMessage(value: unknown): string {
  if (value === undefined || value === null) return 'nothing';
  const text = typeof value === 'string' ? `"${value}"` : JSON.stringify(value);
  return text.length <= SHOWN_CHARACTERS_MAX ? text : `${text.slice(0, SHOWN_CHARACTERS_MAX - 1)}…`;
}

/* What an update changed, short enough for a report: paths with the values before and after. */

/** `before`, `after`: absent if there is no value; a long value is cut and becomes text. */
/** JSON. */
type ShownValue = string | number | boolean | object | null;

export interface ShownDifference {
  path: string;
  before?: ShownValue;
  after?: ShownValue;
}

/** Ours: people read reports, and the whole document is stored with the order. */
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
export const differenceMessage = (shown: readonly ShownDifference[]): string =>
  shown
    .map((each) => {
      const isCount = !('before' in each) && !('after' in each);
      return isCount ? each.path : `${each.path}: ${changeMessage({ before: each.before, after: each.after })}`;
    })
    .join('; ');
