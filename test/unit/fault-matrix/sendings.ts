/** Faults while a request is sent: before it leaves, on the way, and in what is done about it. */
import { type Cell, killAt, proof, rowsOf, run, simulate, unit, worker } from './proofs.ts';

const UNCLEAR = 'an answer that leaves the effect unknown >';
const RECONCILED = 'a create whose answer was lost >';
const DYING = 'a Load that dies while it sends >';

export const SENDINGS: Cell[] = [
  {
    fault: 'full storage at the intent',
    expected: 'nothing is sent until it can be written down',
    heldBy: [
      ...worker(
        'load/storage-full',
        'full storage > keeps a request here whose intent cannot be written, and lets it go when there is room again',
      ),
      ...worker(
        'order/order-look-ups',
        'a look-up > is not made while its intent cannot be stored, and is made when it can',
      ),
    ],
  },
  {
    fault: 'full storage at the outcome',
    expected: 'unknown: sent again or looked up, as its kind demands; told to the log',
    heldBy: [
      ...worker(
        'load/load-eviction',
        'a Load whose wake-up fails in the middle of a sending > sends again what may have left, in the same life, and is never stuck',
      ),
      ...worker(
        'load/storage-full',
        'full storage > leaves a create whose outcome cannot be written to be looked up: it is never made a second time',
      ),
    ],
  },
  {
    fault: 'the process dies between the intent and the sending',
    expected: 'unknown, then as its kind demands; a create is made once at most',
    heldBy: [
      ...killAt('intent_stored'),
      ...worker(
        'load/load-eviction',
        `${DYING} never turns a sending found in storage back into queued, and holds it when it is refused later`,
      ),
      ...simulate('crashBeforeCommit', 'crashAfterCommit'),
    ],
  },
  {
    fault: 'the process dies after the request was applied, before the outcome is stored',
    expected: 'unknown; a milestone is sent again and flagged, a create is looked up and found',
    heldBy: [
      ...killAt('answered', 'outcomes_told'),
      ...worker(
        'load/load-eviction',
        `${DYING} comes back by itself, counts the sending as unknown and sends the same bytes again after a minute`,
      ),
      ...worker(
        'load/load-traces',
        'a Load that dies while a set is on the wire > sends the same bytes again, flagged, and packs late points apart',
      ),
      ...worker(
        'order/order-crashes',
        'a process that dies > with a create on the wire leaves it to be looked up: one create, delivered',
        'a process that dies > with a check on the wire changes nothing but that attempt, and asks again',
      ),
    ],
  },
  {
    fault: 'refused connection, no such name, no TLS',
    expected: 'unknown: a throw proves nothing; a question is asked again',
    heldBy: [
      ...proof(
        'wire',
        'a milestone whose receiving system cannot be reached > because of %s may have arrived for all anybody knows: unknown, never rejected',
        'once all of them have been sent > a system that speaks no TLS has heard something, and no secret',
      ),
      ...unit(
        'delivery/classify',
        'other 5xx; any thrown fetch; timeout before headers; malformed HTTP > no answer because of %s is unknown: a throw never proves "not sent"',
      ),
      ...worker('order/order-look-ups', 'a look-up > that fails counts for nothing and is made again'),
    ],
  },
  {
    fault: 'connection reset or ended, before and after the request was applied',
    expected: 'a milestone again after a minute; a create found or held, never made twice',
    heldBy: [
      ...rowsOf(
        proof(
          'wire',
          'a milestone that is answered by > $name is sent once and $wanted.state, with the status that came',
        ),
        'reset: [',
        'fin: [',
        "'junk-status-line': [",
      ),
      ...rowsOf(
        proof('wire', 'a create that is answered by > $name is looked up and never sent again'),
        "'create-reset': [",
        "'create-fin': [",
      ),
      ...worker('load/load-answers', `${UNCLEAR} sends the same bytes again after a minute, flagged: %s`),
      ...worker(
        'order/order-reconcile',
        `${RECONCILED} and that was applied is delivered by what the look-up finds, with one create`,
        `${RECONCILED} and that was not applied is held after all checks, and never sent again`,
      ),
      ...simulate('reset_before', 'reset_after'),
      ...run('prove', '--creates'),
    ],
  },
  {
    fault: 'no headers in time; a request applied minutes later',
    expected: 'unknown; a create that is listed late is adopted, or held, never made again',
    heldBy: [
      ...worker('load/load-answers', `${UNCLEAR} gives up waiting for headers and counts that as unknown`),
      ...worker('order/order-reconcile', `${RECONCILED} and that is found only at a later check is delivered then`),
      ...simulate('hang_before', 'hang_after', 'late'),
      ...proof('creates', 'makes every order once, or holds it visibly, whatever becomes of the answers'),
    ],
  },
  {
    fault: 'an older or a cancelled order under the same reference',
    expected: 'never adopted; held',
    heldBy: [
      ...worker(
        'order/order-look-ups',
        'a look-up > never adopts an order %s',
        'a channel with a look before each create > asks first, then sends, and never adopts what was there',
      ),
      ...worker('order/order-reconcile', 'an order that was cancelled > is never adopted by its next incarnation'),
      ...unit(
        'delivery/reconcile',
        'whatever the receiving system answers, in whatever order > at most one id is adopted, and none that was known before',
      ),
    ],
  },
  {
    fault: '500, 502, 504, or 503 without a time, before and after the request was applied',
    expected: 'unknown',
    heldBy: [
      ...worker('load/load-answers', `${UNCLEAR} sends the same bytes again after a minute, flagged: %s`),
      ...worker('order/order-reconcile', `${RECONCILED} by %s is looked up as well`),
      ...unit(
        'delivery/classify',
        'other 5xx; any thrown fetch; timeout before headers; malformed HTTP > %d is unknown',
      ),
      ...simulate('error_before', 'error_after', 'unavailable_until', 'conflict', 'stuck'),
    ],
  },
  {
    fault: 'two requests of five answered 5xx for an hour, 5,000 milestones',
    expected: 'nothing is held',
    heldBy: [
      ...run('prove', '--brownout'),
      ...worker('load/load-answers', `${UNCLEAR} gives up at the deadline and says that it may have arrived`),
    ],
  },
  {
    fault: 'one partner’s SCAC is answered 403, his rows 500',
    expected: 'that SCAC and that partner are stopped, nobody else',
    heldBy: [
      ...worker(
        'load/gate-breakers',
        'one partner in trouble > is stopped alone: his SCAC answered 403, his rows 500, while another partner’s rows go through at once',
      ),
      ...unit(
        'upstream/breakers',
        'several partners > never open the channel while all failures are of one and another is active, whatever the sequence',
      ),
    ],
  },
  {
    fault: 'the upstream is down for two hours with 5,000 rows',
    expected: 'few attempts, then everything in its order, nothing held',
    heldBy: [
      ...run('prove', '--outage'),
      ...proof('outage', 'waits out two hours without the receiving system and then delivers everything in its order'),
      ...worker(
        'load/gate-outage',
        'an upstream that is down > is asked far less often than rows wait; afterwards each load drains in its order, nothing held',
      ),
    ],
  },
  {
    fault: 'a replay, a retry or a decision twice at once, or raced by a late answer',
    expected: 'one generation; what may have arrived needs a confirmation',
    heldBy: [
      ...worker(
        'ops/ops-replay',
        'a replay > that is clicked three times at once, and once more later, makes one generation',
        'a replay > of what may have arrived is begun only with the token of the plan that says so',
      ),
      ...worker(
        'load/retry',
        'a retry that is asked for > twice at once makes one generation',
        'a report of an earlier generation > that comes late changes nothing',
      ),
      ...worker('ops/ops-decisions', 'of two decisions > the answer that is awaited comes before either'),
    ],
  },
];
