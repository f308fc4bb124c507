/**
 * Mistakes that the simulator must find: each is a patch of the bridge's source as it is loaded, and a seed that catches it
 * at once. What none of these seeds can catch, no million of others would.
 */
import { FEED_BUGS } from './feed-bugs.ts';
import type { PlantedBug } from './patches.ts';

export const BUGS: Readonly<Record<string, PlantedBug>> = {
  create_resent: {
    about: 'A create without a clear answer is sent again.',
    seed: 5,
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
    patches: [{ in: 'Subject.recover', find: 'class: INTERRUPTED', replace: `class: { effect: 'not_applied' }` }],
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
    seed: 11,
    patches: [
      {
        in: 'SUBJECT_TABLES',
        find: 'key TEXT NOT NULL UNIQUE',
        replace: 'key TEXT NOT NULL',
      },
      { in: 'SubjectStore.add', find: ' ON CONFLICT (key) DO NOTHING', replace: '' },
    ],
  },
  rejected_after_unknown: {
    about: 'A refusal ends a request whose earlier try may have arrived.',
    seed: 2,
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
    seed: 6,
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
    about: 'The hand-over mark moves before the subjects have taken their part.',
    seed: 1,
    patches: [
      {
        in: 'Batch.dispatch',
        find: 'const last = await dispatch(requests, ticket,',
        replace: `const end = requests.at(-1);
    if (end) this.#keep({ handedOver: { record: end.record, request: end.request } });
    const last = await dispatch(requests, ticket,`,
      },
    ],
  },
  outbox_forgets_early: {
    about: 'An outcome is forgotten before its batch has confirmed it.',
    seed: 45,
    patches: [
      {
        in: 'OutcomeReports.notifyBatch',
        find: 'await receiver.recordOutcomes(this.#outcomesOf(rows));',
        replace: 'this.#store.reported(rows);\n        await receiver.recordOutcomes(this.#outcomesOf(rows));',
      },
    ],
  },
  old_report_counts: {
    about: 'A report changes a row though a newer one was there before it.',
    seed: 930,
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
    seed: 230,
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
    about: 'What is handed over waits for an alarm that nobody set.',
    seed: 2,
    patches: [
      {
        in: 'Subject.take',
        find: 'this.#store.add(requests);\n    await this.wakeAt(Date.now());',
        replace: 'this.#store.add(requests);',
      },
    ],
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
    patches: [{ in: 'IntakeRegister.createUnfinished', find: 'WHERE created = 0', replace: 'WHERE created = 9' }],
  },
  token_asked_for_twice: {
    about: 'A token is renewed for a refusal of the one before it.',
    seed: 1730,
    patches: [
      {
        in: 'mustMint',
        find: ' && failedFingerprint === current.fingerprint',
        replace: '',
      },
    ],
  },
  attempt_overwritten: {
    about: 'The outcome of the last attempt is written over all earlier ones.',
    seed: 3,
    patches: [
      {
        in: 'SubjectStore.endAttempt',
        find: 'body_encoding = ?9 WHERE seq = ?1 AND effect IS NULL',
        replace: 'body_encoding = ?9 WHERE seq = ?1',
      },
    ],
  },
  lost_alarm_of_a_batch: {
    about: 'Nobody arms the alarm again that a batch has lost.',
    seed: 14,
    patches: [
      {
        in: 'Batch.watch',
        find: 'if (armedMs === null || armedMs > latestMs) await this.ctx.storage.setAlarm(Date.now());',
        replace: '',
      },
    ],
  },
  lost_alarm_of_a_load: {
    about: 'A load or an order that is woken does not see that its alarm was lost.',
    seed: 15,
    patches: [
      {
        in: 'Subject.ensureAlarm',
        find: 'if (armedMs === null) await this.wakeAt(Date.now());',
        replace: '',
      },
    ],
  },
  breaker_ignored: {
    about: 'Where the upstream refused credentials or SCAC, or failed, the next request is risked all the same.',
    seed: 52,
    patches: [
      {
        in: 'GateCore.lease',
        find: `if (passage.may === 'wait') return this.#defer(breaker.scope, passage.untilMs);`,
        replace: '',
      },
    ],
  },
  breaker_forgotten: {
    about: 'A gate that starts anew lets everything pass that an open breaker held back.',
    seed: 1,
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
    seed: 88,
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
    seed: 5,
    patches: [
      {
        in: 'OrderStore.accepted',
        find: 'ORDER BY seq DESC, base DESC LIMIT 1',
        replace: 'ORDER BY seq LIMIT 1',
      },
    ],
  },
  cancel_forgotten: {
    about: 'An order whose cancel was accepted lives on.',
    seed: 5,
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
    seed: 10,
    patches: [{ in: 'unplacedMessages', find: 'WHERE part IS NOT NULL ORDER', replace: 'WHERE part = 9 ORDER' }],
  },
  message_opens_unwatched: {
    about: 'A settled batch takes a message without its register knowing that it moves again.',
    seed: 1076,
    patches: [{ in: 'appendMessage', find: 'await openAgain(port);', replace: '' }],
  },
  message_breaks_in: {
    about: 'A message that comes has its turn at once, whatever is being read.',
    seed: 10,
    patches: [{ in: 'add', find: 'if (!readingFinished) return;', replace: '' }],
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
  ...FEED_BUGS,
};
