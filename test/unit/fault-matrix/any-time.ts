/** Faults that may come at any moment, and what is not built yet. */
import { type Cell, killAt, proof, run, simulate, type Unbuilt, unit, worker } from './proofs.ts';

export const ANY_TIME: Cell[] = [
  {
    fault: 'eviction, deploy or abort',
    expected: 'what stands in storage decides; nothing is lost or sent twice',
    heldBy: [
      ...worker(
        'load/object-states',
        'a load with milestones that are > $name is left as it is',
        'a load with positions that are > $name is left as it is',
        'an order with operations that are > $name is left as it is',
        'the cases above > have every state of %s',
      ),
      ...worker(
        'batch/batch-states',
        'a batch that is > $name comes to the same end, through evictions and doubled alarms',
      ),
      ...worker(
        'load/gate-states',
        'a gate that knows > that %s still knows it after evictions and doubled alarms, and asks nothing for them',
      ),
      ...worker('load/load-eviction', 'a Load that dies while it sends > keeps its order when it dies in the middle'),
      ...worker('batch/batch', 'outcomes told to a Batch > survive an eviction'),
      ...worker(
        'http/intake',
        'the register > remembers claims and keys when it is evicted, and forgets them after their life',
      ),
      ...worker('load/upstream-gate', 'the gate > still has its token after an eviction'),
      ...worker('ops/ops-replay', 'a replay > goes on after its object has died at any step'),
      ...simulate('evicted', 'callLost', 'callLate', 'callSlow', 'replyLost'),
    ],
  },
  {
    fault: 'an alarm comes twice, a minute late, or while a request is on its way',
    expected: 'at most one sending',
    heldBy: [
      ...worker(
        'batch/double-alarm',
        'a %s whose first request is %s > sends nothing for %s',
        'a %s whose first request is %s > sends it once for two alarms that come a minute late',
        'a %s with a request on its way > sends nothing more for alarms that come meanwhile, and goes on with the answer',
        'a batch > that is %s hands nothing over twice for two alarms at once',
        'a register > creates a batch once for two alarms at once, late, and after an eviction',
      ),
      ...simulate('alarmLate', 'alarmTwice'),
    ],
  },
  {
    fault: 'a wake-up throws seven times',
    expected: 'the alarm is set again by what watches it',
    heldBy: [
      ...worker(
        'batch/failing-alarms',
        'a wake-up that throws seven times > of a load or order is set again by its batch; what waited goes out once',
        'a wake-up that throws seven times > of a batch is set again by its register, and of a register by the cron',
      ),
      ...worker(
        'load/gate-states',
        'a gate whose wake-up was dropped > after throwing seven times is armed again by who asks it for permits, and all drains',
      ),
    ],
  },
  {
    fault: 'alarms are deleted, and the index is empty',
    expected: 'armed again within five minutes',
    heldBy: [
      ...worker(
        'ops/watch-chain',
        'a lost alarm > of a load or order, and of its batch too, is set again though D1 is empty; what waited goes out once',
        'a lost alarm > of a load or order, its batch and its register is set again by the cron',
      ),
      ...simulate('alarmLost'),
    ],
  },
  {
    fault: 'D1 is down',
    expected: 'sign-in answers 503 and never 401; delivery goes on',
    heldBy: [
      ...worker(
        'people/sign-in',
        'while the directory is down > a right key is told to come again, never that it is wrong: %s %s',
        'while the directory is down > delivery goes on',
      ),
      ...worker('ops/watch-calls', 'the watch > does not fail when D1 is down, and says so'),
    ],
  },
  {
    fault: 'the clock goes an hour back or forward, or repeats a second',
    expected: 'order is by hand-over; what is due goes at once',
    heldBy: [
      ...worker(
        'load/clocks',
        'a clock that is put > %s while a milestone is on the wire changes no order and loses nothing',
        'a clock that is put > %s between two operations of an order keeps them in hand-over order',
        'a clock that is put > forward makes what waits due at once, and it goes once',
        'a clock that is put > back lets what waits wait that much longer, and never lose its alarm',
        'an alarm that lies in the past > comes at once, without anybody asking',
      ),
      ...unit('upstream/bucket', 'a bucket > neither gains nor loses by a clock that goes back'),
    ],
  },
  {
    fault: 'events of equal times, and of a leap second',
    expected: 'the order of the file; a second that no form has is an error of its row',
    heldBy: worker(
      'load/clocks',
      'events of one time > go in the order of their file, and across batches in the order of hand-over',
      'events of one time > of a leap second are an error of their row alone',
    ),
  },
  {
    fault: 'the answer of a poll is lost after the server’s cursor moved',
    expected: 'a gap that is shown, until the history of every order it may concern was asked for',
    heldBy: [
      ...worker(
        'order/order-feed-gaps',
        'a poll that is answered with > %s leaves a gap, which the history of each open order closes',
        'a process that dies > with a poll on the wire leaves a gap; the poll is not repeated',
      ),
      ...run('prove', '--orders'),
    ],
  },
  {
    fault: 'the process dies in a poll, in its reading, in a repair, or while orders are told',
    expected: 'a gap where the answer is lost, else nothing is; every status once',
    heldBy: [
      ...worker(
        'order/order-feed-gaps',
        'a process that dies > between the stored answer and its commit has lost nothing',
        'a process that dies > in the middle of a repair goes on with what is left of it',
      ),
      ...killAt('poll_begun', 'poll_answered', 'poll_put', 'poll_stored', 'poll_read'),
      ...killAt('order_told', 'repair_answered', 'feed_registered'),
    ],
  },
  {
    fault: 'the process dies behind the plan of a change, before it is sent',
    expected: 'the plan stands: the same bytes go out, once per try',
    heldBy: [
      ...killAt('turn_decided'),
      ...worker('order/order-changes', 'an update > is merged once: the same bytes on every try, and after a restart'),
    ],
  },
  {
    fault: 'a feed dies between learning the status of an order and telling its partner, or is not able to tell',
    expected: 'every event of the log is told once it can be, under one name each; the feed goes on meanwhile',
    heldBy: worker(
      'order/order-news',
      'a feed whose partner has a webhook for the status of orders > dies between learning and telling, and tells it when it comes back',
      'a feed whose partner has a webhook for the status of orders > dies between telling and noting it, and its target hears nothing twice',
      'a feed whose partner cannot be told > goes on polling and repairing, and tells all once it can, in order',
    ),
  },
  {
    fault: 'order updates A → B → A',
    expected: 'ends at A',
    heldBy: [
      ...worker('order/order-changes', 'an update > from A to B and back ends at A, in three calls'),
      ...unit('delivery/merge', 'whatever order and change > merged again, nothing changes'),
    ],
  },
  {
    fault: 'a file of quantity changes, corrected and uploaded again',
    expected: 'quantities change once',
    heldBy: [
      ...worker(
        'order/order-changes',
        'a difference of a quantity > counts once, though the file is corrected and comes again',
        'a difference of a quantity > counts once when the process dies behind it',
      ),
      ...unit('delivery/merge', 'a difference > counts once, and says who counted it'),
    ],
  },
  {
    fault: 'a PUT or DELETE that is reset, applied late, or cannot reach the upstream',
    expected: 'the same again; a late one overwrites nothing',
    heldBy: [
      ...worker(
        'order/order-changes',
        'an update > is merged once: the same bytes on every try, and after a restart',
        'an update > whose answer is lost is sent again and marked; the next operation waits until it can no longer come late',
        'a cancel > whose answer is lost is sent again: what is gone then is cancelled',
        'a cancel > behind two updates in one file, the answer to the first of them lost: all three end right',
      ),
      ...simulate('error_after', 'reset_after', 'hang_after'),
    ],
  },
  {
    fault: 'the fleet or locations API fails while partners read it',
    expected: 'what was read within a day is shown with its age; else a clear error; deliveries go on',
    heldBy: [
      ...unit(
        'fleet/read',
        'what is stale > is shown with its age and the trouble where the upstream does not answer, for a day and no longer',
      ),
      ...worker(
        'http/fleet-reads',
        'a stale answer > is shown though its renewal behind fails in every way, and then says so',
        'where the upstream gives no answer > that it %s is told with what it said, and not kept',
        'where the upstream gives no answer > the health of its channel names the API alone that fails, and forgets it with the first answer',
      ),
      ...proof(
        'fleet-reads',
        'while the fleet API fails, what was read is shown with its age, and nothing else; health names it until it answers',
      ),
    ],
  },
  {
    fault: 'the cache of vehicles and locations is down',
    expected: 'the upstream is asked; nobody is stopped',
    heldBy: unit(
      'fleet/cache',
      'the cache of vehicles and locations > that is down keeps nothing and stops nobody, and the log says so',
    ),
  },
];

export const UNBUILT: Unbuilt[] = [
  {
    fault: 'a nudge is lost, doubled or reordered',
    why: 'There are no nudges: an object wakes by its own alarm, which the calls that bring it work arm.',
  },
];
