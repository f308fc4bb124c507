/**
 * Mistakes that the simulator must find: each is a patch of the bridge's source as it is loaded, and a seed that catches it
 * at once. What none of these seeds can catch, no million of others would.
 */
import { FEED_BUGS } from './feed-bugs.ts';
import type { PlantedBug } from './patches.ts';

export const BUGS: Readonly<Record<string, PlantedBug>> = {
  create_resent: {
    about: 'A create without a clear answer is sent again.',
    seed: 3,
    patches: [
      {
        in: 'OrderLane.createStep',
        find: `if (request.state === 'unknown' && this.#lookups.isUnsure(request)) return this.#lookUp(request, 'check');`,
        replace: '',
      },
    ],
  },
  restart_forgets_sending: {
    about: 'What a dead process left on the wire counts as not sent.',
    seed: 38,
    patches: [
      { in: 'Subject.endInterrupted', find: 'class: INTERRUPTED', replace: `class: { effect: 'not_applied' }` },
    ],
  },
  intent_after_sending: {
    about: 'The attempt is written when the answer is there, not before the request leaves.',
    seed: 1,
    patches: [
      { in: 'attempt', find: '  port.log?.begin(tokenFingerprint);\n', replace: '' },
      {
        in: 'attempt',
        find: '  port.log?.end(observed);\n',
        replace: '  port.log?.begin(tokenFingerprint);\n  port.log?.end(observed);\n',
      },
    ],
  },
  key_not_unique: {
    about: 'A request that is handed over twice is taken twice.',
    seed: 1,
    patches: [
      {
        in: 'SubjectStore.add',
        find: 'if (this.isKnown(key) || known.has(key)) return false;',
        replace: '',
      },
    ],
  },
  rejected_after_unknown: {
    about: 'A refusal ends a request whose earlier try may have arrived.',
    seed: 64,
    patches: [
      {
        in: 'afterRefusal',
        find: `if (past.hadUnknown) return { state: 'held', reason: 'unknown_then_refused' };`,
        replace: '',
      },
    ],
  },
  retry_after_ignored: {
    about: 'The next try comes before the time the upstream named.',
    seed: 1,
    patches: [
      {
        in: 'nextStep',
        find: 'Math.max(scheduledWaitMs(past.tries, random), seen.retryAfterMs ?? 0)',
        replace: 'scheduledWaitMs(past.tries, random)',
      },
    ],
  },
  two_on_the_wire: {
    about: 'A lane sends the next request before the answer to the last one.',
    seed: 1,
    patches: [
      {
        in: 'nextMove',
        find: `if (open.some(({ state }) => state === 'sending')) return { move: 'busy' };`,
        replace: '',
      },
      {
        in: 'Subject.sendOrDefer',
        find: 'await this.#send(lane, sending,',
        replace: 'void this.#send(lane, sending,',
      },
    ],
  },
  mark_before_hand_over: {
    about: 'The hand-over mark moves before the visits have ended.',
    seed: 83,
    patches: [{ in: 'LookAhead.endedUpTo', find: `state !== 'ended'`, replace: `state === 'waiting'` }],
  },
  visit_forgotten: {
    about: 'A load whose visit failed is not visited again.',
    seed: 100,
    patches: [
      {
        in: 'LookAhead.failed',
        find: 'if (emptied !== this.#emptied) return;',
        replace: "for (const each of inLine) each.state = 'ended';\n    if (emptied <= this.#emptied) return;",
      },
    ],
  },
  visits_overtake: {
    about: 'A load is visited again before its last visit has ended.',
    seed: 3,
    patches: [{ in: 'LookAhead.next', find: '!this.#visited.has(name) && ', replace: '' }],
  },
  confirmed_before_stored: {
    about: 'A load is told that what its visit brought is stored before it is.',
    seed: 69,
    patches: [
      {
        in: 'Visits.store',
        find: 'if (!this.#storeNow(arrived)) continue;',
        replace:
          'for (const each of arrived) this.#confirm(each);\n      await pause(1);\n      if (!this.#storeNow(arrived)) continue;',
      },
    ],
  },
  answered_is_confirmed: {
    about: 'A load takes what it answered a visit for stored, though the answer may be lost.',
    seed: 1,
    patches: [
      {
        in: 'OutcomeReports.answer',
        find: 'const receipt = crypto.randomUUID();',
        replace: 'this.#store.reported(rows);\n    const receipt = crypto.randomUUID();',
      },
    ],
  },
  outbox_forgets_early: {
    about: 'An outcome is forgotten before its batch has confirmed it.',
    seed: 38,
    patches: [
      {
        in: 'OutcomeReports.notifyBatch',
        find: 'await this.#report(this.#receiver(name), rows);',
        replace:
          'this.#store.commit(() => this.#store.reported(rows));\n        await this.#report(this.#receiver(name), rows);',
      },
    ],
  },
  old_report_counts: {
    about: 'A report changes a row though a newer one was there before it.',
    seed: 208,
    patches: [{ in: 'isReportable', find: ' && told.revision > known.revision', replace: '' }],
  },
  redirect_is_success: {
    about: 'A redirect counts as delivered.',
    seed: 40,
    patches: [
      {
        in: 'classifyStatus',
        find: `return { effect: 'redirected' }`,
        replace: `return { effect: 'applied' }`,
      },
    ],
  },
  open_group_forgotten: {
    about: 'The rest of an order that goes on in the next slice becomes an order of its own.',
    seed: 1,
    patches: [{ in: 'readNextSlice', find: 'open: groups.open(),', replace: 'open: null,' }],
  },
  deadline_ignored: {
    about: 'A request is tried for ever.',
    seed: 628,
    patches: [
      {
        in: 'retry',
        find: `if (atMs > past.deadlineMs) return { state: 'dead', outcome: giveUp(past), reason: 'deadline' };`,
        replace: '',
      },
      {
        in: 'nextMove',
        find: `if (nowMs > request.deadlineMs) return { move: 'expire', key: request.key };`,
        replace: '',
      },
    ],
  },
  sending_withdrawn: {
    about: 'A cancel takes back what is on the wire.',
    seed: 10,
    patches: [
      {
        in: 'WITHDRAWABLE_STATES',
        find: `['queued', 'waiting'];`,
        replace: `['queued', 'waiting', 'sending'];`,
      },
    ],
  },
  half_of_a_set_lost: {
    about: 'When a refused set is halved, the younger half stays in the older one.',
    seed: 81,
    patches: [{ in: 'TraceStore.split', find: 'this.#join(younger);', replace: '' }],
  },
  alarm_not_armed: {
    about: 'What a visit could not send waits for an alarm that nobody set.',
    seed: 5_526,
    patches: [{ in: 'Subject.drainOnce', find: 'if (nextMs !== null) await this.wakeAt(nextMs);', replace: '' }],
  },
  every_upload_is_new: {
    about: 'The same file sent again becomes another batch.',
    seed: 1,
    patches: [
      {
        in: 'IntakeRegister.decide',
        find: 'const isNew = known === undefined || ticket.dryRun || ticket.forced === true || ticket.message === true;',
        replace: 'const isNew = true;',
      },
    ],
  },
  claim_without_batch: {
    about: 'A batch that was claimed by a process that died is never created.',
    seed: 38,
    patches: [{ in: 'createUnfinished', find: 'WHERE created = 0', replace: 'WHERE created = 9' }],
  },
  attempt_overwritten: {
    about: 'The outcome of the last attempt is written over all earlier ones.',
    seed: 3,
    patches: [
      {
        in: 'SubjectStore.endAttempt',
        find: 'if (effect === null) ',
        replace: '',
      },
    ],
  },
  lost_alarm_of_a_batch: {
    about: 'Nobody arms the alarm again that a batch has lost.',
    seed: 14,
    patches: [
      {
        in: 'Batch.watch',
        find: 'if (armedMs === null || armedMs > latestMs) await this.storage.setAlarm(Date.now());',
        replace: '',
      },
    ],
  },
  lost_alarm_of_a_load: {
    about: 'A load or an order that is woken does not see that its alarm was lost.',
    seed: 74,
    patches: [
      {
        in: 'Subject.ensureAlarm',
        find: 'if (wakesAtMs !== armedMs) await this.wakeAt(wakesAtMs);',
        replace: 'if (armedMs !== null && wakesAtMs !== armedMs) await this.wakeAt(wakesAtMs);',
      },
    ],
  },
  told_at_the_end: {
    about: 'A load or an order that is asked after tells what was not confirmed only at the end of its retention.',
    seed: 83437,
    patches: [
      {
        in: 'Subject.ensureAlarm',
        find: 'const isUntold = this.#store.tables.outbox.size > 0;',
        replace: 'const isUntold = false;',
      },
    ],
  },
  breaker_ignored: {
    about: 'Where the upstream refused credentials or SCAC, or failed, the next request is risked all the same.',
    seed: 103,
    patches: [
      {
        in: 'GateCore.lease',
        find: `if (passage.may === 'wait') return this.#defer(asked, breaker.scope, passage.untilMs);`,
        replace: '',
      },
    ],
  },
  breaker_forgotten: {
    about: 'A gate that starts anew lets everything pass that an open breaker held back.',
    seed: 25,
    patches: [{ in: 'UpstreamGate.coreOf', find: 'clock, this.#store.breakers(), ', replace: 'clock, [], ' }],
  },
  two_probes: {
    about: 'A second probe leaves while the first is on its way.',
    seed: 56,
    patches: [
      {
        in: 'passageAt',
        find: 'if (probe !== null && nowMs < probe.untilMs) {',
        replace: 'if (probe !== null && nowMs < 0) {',
      },
    ],
  },
  withdrawn_while_waiting_for_a_token: {
    about: 'What was withdrawn while a token was fetched is sent all the same.',
    seed: 273,
    patches: [
      {
        in: 'Subject.send',
        find: 'mayBegin: () => this.#mayLeave(sending)',
        replace: 'mayBegin: () => true',
      },
    ],
  },
  late_update_overtakes: {
    about: 'The next operation of an order leaves though an earlier update may still arrive, and overwrite it.',
    seed: 1803,
    patches: [
      {
        in: 'quietUntilMs',
        find: 'lastAmbiguousMs === null ? 0 : lastAmbiguousMs + scaledMs(ORDER_QUIET_MS, clock)',
        replace: '0',
      },
    ],
  },
  difference_counted_twice: {
    about: 'Three more that come again become six more.',
    seed: 3,
    patches: [
      {
        in: 'counted',
        find: 'const known = earlier(name);',
        replace: 'const known = undefined;',
      },
    ],
  },
  merged_with_an_old_document: {
    about: 'A change is merged with what the order came into being with, not with what was accepted last.',
    seed: 38,
    patches: [
      {
        in: 'OrderStore.accepted',
        find: 'this.#current().at(-1)',
        replace: 'this.#current().at(0)',
      },
    ],
  },
  cancel_forgotten: {
    about: 'An order whose cancel was accepted lives on.',
    seed: 3,
    patches: [
      {
        in: 'OrderLane.applied',
        find: `if (does === 'cancel') this.#order.end(seq, accepted_at_ms);`,
        replace: `if (does === 'cancel') return;`,
      },
    ],
  },
  message_without_batch: {
    about: 'A message that was claimed by a process that died is never placed.',
    seed: 27,
    patches: [{ in: 'messagesSince', find: 'WHERE upload_id >= ? ORDER', replace: 'WHERE upload_id = ? ORDER' }],
  },
  message_opens_unwatched: {
    about: 'A settled batch takes a message without its register knowing that it moves again.',
    seed: 310,
    patches: [{ in: 'appendMessage', find: 'await openAgain(port);', replace: '' }],
  },
  message_breaks_in: {
    about: 'A message that comes has its turn at once, whatever is being read.',
    seed: 10,
    patches: [{ in: 'beginUnread', find: '!progress?.readingFinished', replace: 'progress === undefined' }],
  },
  messages_share_groups: {
    about: 'A key of a group that one message closed counts as closed in the next.',
    seed: 27,
    patches: [
      {
        in: 'fileNumber',
        find: '  message * (ARCHIVE_FILES_MAX + 1) + fileInReading',
        replace: '  0 * message + fileInReading',
      },
    ],
  },
  outcome_entry_twice: {
    about: 'Entries of the outcome log that their slices have already are added once more, over later ones.',
    seed: 31,
    patches: [
      {
        in: 'RowStore.loadLog',
        find: 'this.#sql.exec<LogEntry>(sql, stored.written)',
        replace: 'this.#sql.exec<LogEntry>(sql, -1)',
      },
      { in: 'addLater', find: 'if (other === undefined || isLater(outcome, other)) ', replace: '' },
    ],
  },
  outcome_lost_when_written: {
    about: 'An outcome is lost when the log is written to the slices.',
    seed: 3,
    patches: [
      {
        in: 'RowStore.writeLog',
        find: 'addLater(outcomes, later.values());',
        replace: 'addLater(outcomes, [...later.values()].slice(1));',
      },
    ],
  },
  log_overwritten_early: {
    about: 'A row of the outcome log is used again though its slices do not have its outcomes.',
    seed: 3,
    patches: [
      {
        in: 'RowStore.append',
        find: 'if (unwritten > LOG_ENTRIES_MAX ||',
        replace: 'if (unwritten > LOG_ENTRIES_MAX + 1 ||',
      },
    ],
  },
  counts_without_log: {
    about: 'The counts of a batch are those before the last reports, once its object has begun anew.',
    seed: 1,
    patches: [
      {
        in: 'RowStore.loadLog',
        find: 'now = { ...now, tally, minutes:',
        replace: 'now = { ...now, minutes:',
      },
    ],
  },
  minutes_counted_twice: {
    about: 'What an entry of the log adds to its minutes is added again once the object has begun anew.',
    seed: 7,
    patches: [
      {
        in: 'RowStore.loadLog',
        find: 'if (n > stored.logged) now',
        replace:
          'if (n <= stored.logged) now = { ...now, minutes: withMinutes(now.minutes, minutes) };\n      else now',
      },
    ],
  },
  slice_forgets_rows: {
    about: 'A small slice that takes in further rows forgets those it had.',
    seed: 1,
    patches: [
      { in: 'RowStore.addSlice', find: 'inOrder(this.#rowsOf(slices, before), rows)', replace: 'inOrder([], rows)' },
    ],
  },
  undelivered_left_behind: {
    about: 'A request that is sent again is still found among what was not delivered.',
    seed: 75,
    patches: [
      {
        in: 'BatchStore.move',
        find: 'writeUndelivered(this.#sql, was,',
        replace: 'writeUndelivered(this.#sql, [],',
      },
    ],
  },
  undelivered_missing: {
    about: 'A row that could not become a request is not found among what was not delivered.',
    seed: 3,
    patches: [{ in: 'BatchStore.addRows', find: 'read.rows.flatMap(undeliveredIn)', replace: '[]' }],
  },
  intent_left_for_later: {
    about: 'An intent is left for the next entry of the journal, and its request leaves before that is written.',
    seed: 1,
    patches: [
      {
        in: 'Subject.send',
        find: 'this.#store.commit(() =>\n            this.#store.beginAttempt(',
        replace: 'this.#store.commitSoon(() =>\n            this.#store.beginAttempt(',
      },
    ],
  },
  outcome_left_behind: {
    about: 'An outcome that was left for the next entry is not written when a lane comes to rest.',
    seed: 1,
    patches: [
      { in: 'Subject.run', find: '        this.#beforeWaiting();\n', replace: '' },
      { in: 'OutcomeReports.notifyBatch', find: 'this.#store.flush();', replace: '' },
    ],
  },
  parcel_left_behind: {
    about: 'A visit that sent nothing is answered before what it brought is stored.',
    seed: 3,
    patches: [
      { in: 'Subject.drainOnce', find: '      this.#store.flush();', replace: '' },
      { in: 'OutcomeReports.answer', find: 'this.#store.flush();', replace: '' },
    ],
  },
  change_of_an_entry_lost: {
    about: 'The last change of a long entry is not read again.',
    seed: 16,
    patches: [
      {
        in: 'RowJournal.read',
        find: 'for (const change of JSON.parse(entry) as StoredChange[]) ',
        replace: 'for (const change of (JSON.parse(entry) as StoredChange[]).slice(0, 6)) ',
      },
    ],
  },
  journal_written_anew_without_outbox: {
    about: 'A journal that is written anew forgets which outcomes were not told.',
    seed: 58,
    patches: [
      { in: 'REWRITE_CHARACTERS', find: '1_000_000', replace: '1_000' },
      {
        in: 'RowJournal.rewrite',
        find: 'this.#tables.flatMap(',
        replace: 'this.#tables.filter((_, at) => at !== 3).flatMap(',
      },
    ],
  },
  withdrawn_sent_beside_its_retry: {
    about: 'What waited for a visit as its batch was cancelled is visited after a retry that comes at once.',
    seed: 1_945,
    patches: [{ in: 'withdrawAhead', find: '    emptyAhead();\n', replace: '' }],
  },
  half_a_commit: {
    about: 'Where a statement of a batch fails, those before it in the same step stay.',
    seed: 37,
    patches: [
      {
        in: 'StoredValues.commit',
        find: 'this.#storage.transactionSync(() => this.#written(work()))',
        replace: 'this.#written(work())',
      },
    ],
  },
  half_an_outcome: {
    about: 'Where a row cannot be listed as undelivered, its outcome stays without that.',
    seed: 1_925,
    patches: [
      {
        in: 'moveOutcomes',
        find: 'store.commit(() => {',
        replace: '(<T>(work: () => T): T => work())(() => {',
      },
    ],
  },
  left_for_later_dropped: {
    about: 'What a visit left for later is dropped where another call cannot store its own.',
    seed: 6_213,
    patches: [
      {
        in: 'RowJournal.undo',
        find: 'for (const rows of',
        replace: 'this.#pending.length = 0;\n    for (const rows of',
      },
    ],
  },
  asleep_with_work: {
    about: 'A visit that found nothing due as it ended sets the alarm of the end of a life, though something came in.',
    seed: 8_105_937,
    patches: [
      { in: 'Retention.endsMs', find: 'if (this.#isMoving())', replace: 'if (false)' },
      { in: 'Subject.ensureAlarm', find: 'Math.min(armedMs, latestMs)', replace: 'armedMs' },
    ],
  },
  order_alarm_throws: {
    about: 'An order whose storage fails as it tells its feed has no alarm any more.',
    seed: 3_749,
    patches: [
      {
        in: 'SubjectObject.alarm',
        find: 'this.parts.subject.wakeUp((work) => this.around(work))',
        replace: 'this.around(() => this.parts.subject.wakeUp())',
      },
      {
        in: 'Order.notifyFeed',
        find: '    try {\n      const toldAtMs = store.commit(() => statuses.beginNotifying(upstreamOf(this.env).clock.nowMs()));\n',
        replace:
          '    const toldAtMs = store.commit(() => statuses.beginNotifying(upstreamOf(this.env).clock.nowMs()));\n    try {\n',
      },
    ],
  },
  later_alarm_hides_a_lost_one: {
    about: 'After a wake-up the later of two alarms is set last: where the earlier one was lost, nobody sees that.',
    seed: 9_015_579,
    patches: [
      {
        in: 'Subject.work',
        find: '    if (atMs !== null) await this.wakeAt(atMs);\n    return null;',
        replace: '    return atMs as null;',
      },
    ],
  },
  breaker_not_stored: {
    about: 'A breaker that could not be stored is not stored later either.',
    seed: 19_877,
    patches: [
      {
        in: 'Breakers.storeChanged',
        find: 'store(scope, this.get(scope));\n      this.#changed.delete(scope);',
        replace: 'this.#changed.delete(scope);\n      store(scope, this.get(scope));',
      },
    ],
  },
  ...FEED_BUGS,
};
