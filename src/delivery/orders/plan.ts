/**
 * What an update, a cancel or an upsert does when it is next, depending on the order then. Decided once; pure.
 *
 * The base of an update is the last document that the upstream accepted. Without one nothing is sent: an unknown order
 * cannot be written whole; only an upsert with the whole order creates it.
 */
import type { ChangeKind, OrderChange } from '../../mapping/request.ts';
import { withValueAt } from '../../upstream/contracts/json.ts';
import { NOT_SHOWN, type OtherUpdates } from '../../upstream/contracts/not-shown.ts';
import type { OrderDocument } from '../../upstream/contracts/order-difference.ts';
import { withOrderFeedKey } from '../../upstream/contracts/order-pair.ts';
import type { StateReason } from '../states.ts';
import { type CountedDelta, type DeltaLine, mergeChange, newOrder } from './merge.ts';
import { type MergeRefusal, type ShownDifference, shownDifferences } from './merge-messages.ts';

/** @property createEnded a create or upsert came before it and ended without an order. */
export type OrderSituation =
  | { order: 'none'; createEnded: boolean }
  /** `bySeq`: the cancel. */
  | { order: 'cancelled'; bySeq: number; createEnded: boolean }
  /** `seq`: the operation that led to the document. `orderId` '': not known. */
  | {
      order: 'live';
      incarnation: number;
      orderId: string;
      document: OrderDocument;
      seq: number;
      /** One of its updates was given up without a clear answer: the upstream may have another document. */
      isDoubtful: boolean;
    };

export type OrderPlan =
  /** `body`: sent byte for byte on every try. `document`: the order afterwards. */
  | { does: 'create'; body: string; document: string; lines: DeltaLine[] }
  | {
      does: 'update';
      incarnation: number;
      orderId: string;
      body: string;
      document: string;
      shown: ShownDifference[];
      lines: DeltaLine[];
    }
  | { does: 'cancel'; incarnation: number; orderId: string }
  /** It is so already, by the operation `of`. */
  | { does: 'nothing'; of: number }
  /** Nothing is sent, and why. */
  | { does: 'end'; reason: StateReason; answer: string };

/** The difference counted under this name, in this incarnation of the order. */
type CountedIn = (incarnation: number, line: string) => CountedDelta | undefined;

const ended = (reason: StateReason, answer: string): OrderPlan => ({ does: 'end', reason, answer });

export function planCancel(current: OrderSituation): OrderPlan {
  switch (current.order) {
    case 'none':
      return withoutOrder(current.createEnded);
    case 'cancelled':
      return current.createEnded ? withoutOrder(true) : { does: 'nothing', of: current.bySeq };
    case 'live': {
      const { orderId, incarnation } = current;
      return orderId === '' ? WITHOUT_ID : { does: 'cancel', incarnation, orderId };
    }
  }
}

/**
 * @param counted an order that was created again has counted nothing yet, whatever the one before it had.
 * @param others as in `mergeChange`.
 */
export function planChange(
  kind: ChangeKind,
  change: OrderChange,
  current: OrderSituation,
  counted: CountedIn,
  others: OtherUpdates = NOT_SHOWN.orderUpdatable.others,
): OrderPlan {
  if (current.order === 'live') return planUpdate(change, current, counted, others);
  if (kind === 'order.upsert') return change.complete ? planCreate(change) : PART_OF_NOTHING;
  if (current.createEnded) return withoutOrder(true);
  return current.order === 'cancelled'
    ? ended('order_cancelled', 'the order was cancelled before; a create would begin a new one')
    : withoutOrder(false);
}

const withoutOrder = (createEnded: boolean): OrderPlan =>
  createEnded
    ? ended('dependency', 'the create before it ended without an order')
    : ended('base_unknown', 'no order of this reference was created here');

/** A few columns must not create an order of a few columns. */
const PART_OF_NOTHING: OrderPlan = ended(
  'base_unknown',
  'no order of this reference stands here, and a part of one makes none: send the order whole, or have the operator state it as it stands',
);

const WITHOUT_ID: OrderPlan = ended('order_id_unknown', 'the order stands upstream under an id that nobody has named');

function planUpdate(
  change: OrderChange,
  { incarnation, orderId, document: base, seq, isDoubtful }: Extract<OrderSituation, { order: 'live' }>,
  counted: CountedIn,
  others: OtherUpdates,
): OrderPlan {
  const merged = mergeChange(base, change, (line) => counted(incarnation, line), others);
  if (merged.outcome === 'refused') return refusedPlan(merged.refusal);
  if (merged.outcome === 'same' && !isDoubtful) return { does: 'nothing', of: merged.repeats ?? seq };
  if (orderId === '') return WITHOUT_ID;
  const { document, differences, lines } =
    merged.outcome === 'same' ? { document: base, differences: [], lines: [] } : merged;
  return {
    does: 'update',
    incarnation,
    orderId,
    // seed 4.4: the body has the id too (where is our choice)
    body: JSON.stringify(withValueAt(document, NOT_SHOWN.orderIdPath, orderId)),
    document: JSON.stringify(document),
    shown: shownDifferences(differences),
    lines,
  };
}

function planCreate(change: OrderChange): OrderPlan {
  const made = newOrder(change);
  if (made.outcome === 'refused') return refusedPlan(made.refusal);
  const body = JSON.stringify(change.pair === undefined ? made.document : withOrderFeedKey(made.document, change.pair));
  return { does: 'create', body, document: body, lines: made.lines };
}

const refusedPlan = ({ code, message, fix }: MergeRefusal): OrderPlan => ended(code, `${message} ${fix}`);
