/**
 * Problem messages for refused ops requests about deliveries. Exhaustive: a new code does not compile until it has one.
 */

import { DAY_MS } from '../../kernel/clock.ts';
import { ISSUE_MUTED_MS_MAX, REPLAY_BATCHES_MAX } from '../../kernel/limits.ts';
import { messagesFor, type RefusalMessages, type RefusalTable } from '../../kernel/refusals.ts';
import { headOf } from '../../kernel/text.ts';
import type { DeadLettersRefusal } from '../../ops/dead-letters/dead-letters.ts';
import type { ManyDecisionsRefusal } from '../../ops/dead-letters/decide-many.ts';
import type { ConfirmRefusal, ReplayPlanRefusal } from '../../ops/dead-letters/replays.ts';
import type { KeyRefusal } from '../../ops/directory/key-store.ts';
import type { PartnerRefusal } from '../../ops/directory/partners.ts';
import type { RevisionRefusal } from '../../ops/directory/settings.ts';
import type { FeedRefusal } from '../../ops/feeds/order-feeds.ts';
import type { IssueRefusal } from '../../ops/index/issues.ts';
import { PEOPLE_MAX } from '../../ops/people/limits.ts';
import type { PeopleRefusal } from '../../ops/people/people.ts';
import type { WebhooksRefusal } from '../../ops/webhooks/webhooks.ts';
import type { DecisionRefusal } from '../../tracking/decisions.ts';
import { WEBHOOK_KEY_CHARACTERS_MIN } from '../../webhooks/limits.ts';
import type { OpsContext } from '../edge/context.ts';
import { problem } from '../edge/problem.ts';
import { mayHaveChanged, OUTCOME_UNKNOWN } from './request.ts';

export type OpsRefusal =
  | DeadLettersRefusal
  | DecisionRefusal
  | ReplayPlanRefusal
  | ConfirmRefusal
  | RevisionRefusal
  | WebhooksRefusal
  | FeedRefusal
  | KeyRefusal
  | PartnerRefusal
  | { code: 'key_end_invalid'; why: 'not_a_day' | 'in_the_past' }
  | { code: 'partner_channel_missing'; partner: string }
  | { code: 'key_environment_not_yours'; environments: readonly string[] }
  | IssueRefusal
  | { code: 'mute_out_of_range' | 'resubmit_unseen' | 'nothing_to_resubmit' }
  | PeopleRefusal
  | { code: 'poll_unknown' | 'poll_not_kept' }
  | { code: 'poll_unreadable'; why: string }
  | { code: 'orders_unknown'; orderRefs: readonly string[] }
  | { code: 'order_not_due'; orderRef: string }
  | { code: 'not_comparable'; why: string }
  | { code: 'order_unknown' | 'order_busy' }
  | { code: 'order_ambiguous'; orderRef: string }
  | { code: 'partner_required'; partners: number }
  | { code: 'order_base_invalid'; why: string }
  | { code: 'base_known'; orderId: string | null; since: string }
  | ManyDecisionsRefusal
  | { code: 'letter_unknown' | 'no_request' | 'action_unknown' | 'key_reused' };

/** @param more further members, such as the plan to be confirmed. */
export function refusedByOps(context: OpsContext, refusal: OpsRefusal, more: Record<string, unknown> = {}): Response {
  if (refusal.code === 'directory_unavailable' && mayHaveChanged(context)) return problem(context, OUTCOME_UNKNOWN);
  const words = messagesFor(MESSAGES, refusal);
  const { code: _, ...facts } = refusal;
  return problem(context, { ...words, code: refusal.code }, { ...facts, ...more });
}

const keyInUse = (): RefusalMessages => ({
  status: 422,
  title: 'Idempotency-Key in use',
  detail: 'You have used this Idempotency-Key for something else. Nothing was done.',
  fix: 'Use a new key for a new action; repeat one only with the same content.',
});

const MESSAGES: RefusalTable<OpsRefusal> = {
  directory_unavailable: {
    status: 503,
    title: 'Directory unavailable',
    detail: 'Which partners there are cannot be read at the moment. Nothing was done.',
    fix: 'Send the request again: a repeat is safe.',
  },
  not_comparable: ({ why }) => ({
    status: 409,
    title: 'Nothing to compare with',
    detail: `${why} Nothing was done.`,
    fix: 'Wait until it is read; or take another batch, or the map command with the file itself.',
  }),
  changed_meanwhile: ({ edition }) => ({
    status: edition === undefined ? 409 : 412,
    title: 'Changed meanwhile',
    detail:
      edition === undefined
        ? 'Somebody else set the same at this moment. Nothing was changed by this request.'
        : edition === 0
          ? 'Nothing is set now, and If-Match names an edition of it. Nothing was changed by this request.'
          : `It is set, and its edition is "${edition}", which If-Match does not name. Nothing was changed by this request.`,
    fix: 'Read what is agreed now, and send the change again.',
  }),
  partner_unknown: ({ partner }) => ({
    status: 404,
    title: 'Unknown partner',
    detail: `No partner "${partner.slice(0, 64)}" is known in this environment.`,
    fix: 'Check the name and the environment.',
  }),
  partner_exists: ({ partner }) => ({
    status: 409,
    title: 'Partner exists',
    detail: `There is a partner "${partner.slice(0, 64)}" already. Nothing was changed.`,
    fix: 'Take another name; or PATCH /v1/ops/partners/{name} with the channel of this environment.',
  }),
  partner_channel_missing: ({ partner }) => ({
    status: 409,
    title: 'No channel',
    detail: `The partner "${partner.slice(0, 64)}" has no channel in this environment, so that a key could send nothing. Nothing was changed.`,
    fix: 'PATCH /v1/ops/partners/{name} with "channel" first.',
  }),
  key_unknown: ({ keyId }) => ({
    status: 404,
    title: 'Unknown key',
    detail: `There is no key "${keyId.slice(0, 40)}" of this holder in this environment. Nothing was changed.`,
    fix: 'GET the list of keys; an id is the 16 digits between the first two "_" of a key.',
  }),
  key_ended: ({ keyId }) => ({
    status: 409,
    title: 'Key not in use',
    detail: `The key ${keyId} has ended, was revoked, or was rotated already. Nothing was changed.`,
    fix: 'Make a new key instead.',
  }),
  too_many_keys: ({ most }) => ({
    status: 409,
    title: 'Too many keys',
    detail: `${most} keys of this holder work at the moment, which is all there may be. Nothing was changed.`,
    fix: 'Revoke the one that nobody uses ("lastUsedAt" helps to tell), or rotate one with "overlapHours": 0.',
  }),
  key_made_already: ({ keyId }) => ({
    status: 409,
    title: 'Key was made already',
    detail: `A request with this Idempotency-Key made the key ${keyId}, and showed it once. Nothing was changed.`,
    fix: 'If that answer was lost, revoke this key and make another with a new Idempotency-Key.',
  }),
  key_end_invalid: ({ why }) => ({
    status: 422,
    title: 'End of the key not usable',
    detail: `"expires" is ${why === 'in_the_past' ? 'in the past' : 'no day'}. Nothing was changed.`,
    fix: 'Give a day to come, such as 2027-01-31, or "never". Left out, the key ends in a year.',
  }),
  key_environment_not_yours: ({ environments }) => ({
    status: 403,
    title: 'Environment not allowed',
    detail: `The key is for ${environments.join(' and ')}, and yours is not for all of them. Nothing was changed.`,
    fix: 'Have it done by an administrator of these environments.',
  }),
  order_unknown: {
    status: 404,
    title: 'Unknown order',
    detail: 'This partner has no such order in this environment, or it is no longer kept.',
    fix: 'Check the reference; the rows of a batch name the orders they became.',
  },
  order_ambiguous: ({ orderRef }) => ({
    status: 409,
    title: 'Order of several partners',
    detail: `Several partners have an order "${orderRef.slice(0, 80)}"; "among" names them.`,
    fix: 'Add partner= and the one that is meant.',
  }),
  partner_required: ({ partners }) => ({
    status: 400,
    title: 'Partner required',
    detail: `There are ${partners} partners, too many to ask each.`,
    fix: 'Add partner= and the one that is meant.',
  }),
  order_base_invalid: ({ why }) => ({
    status: 422,
    title: 'Order not usable',
    detail: `The order cannot be taken: ${why}. Nothing was changed.`,
    fix: 'Send the whole order as the receiving system has it, as the body of a create would be.',
  }),
  base_known: {
    status: 409,
    title: 'Order is known',
    detail: 'What this order holds is known, since the time given as "since". Nothing was changed.',
    fix: 'Look at it; if it is not what the receiving system has, send the same with "replace": true.',
  },
  order_busy: {
    status: 409,
    title: 'Operation under way',
    detail: 'An operation of this order is not decided yet, and would write it as it was before. Nothing was changed.',
    fix: 'Look at the order: wait until nothing of it is open, or decide what is held; then send this again.',
  },
  no_feed: {
    status: 404,
    title: 'No order feed',
    detail: 'No feed follows the orders of this partner in this environment.',
    fix: 'PUT /v1/ops/partners/{name}/feed sets one.',
  },
  pair_taken: {
    status: 409,
    title: 'Pair taken',
    detail: 'These partnerId and clientId belong to another partner. Nothing was changed.',
    fix: 'Check both; a pair belongs to exactly one partner.',
  },
  feed_has_events: {
    status: 409,
    title: 'Pair in use',
    detail: 'The feed of this partner has logged events under another pair. Nothing was changed.',
    fix: 'Keep partnerId and clientId as they are; channel, scac, pollMinutes and repairsPerMinute may change.',
  },
  unknown_channel: ({ name, known }) => ({
    status: 422,
    title: 'Channel unknown',
    detail: `There is no channel "${name.slice(0, 40)}" in this environment. Nothing was changed.`,
    fix: `Use one of ${known.join(', ')}.`,
  }),
  scac_not_of_channel: ({ scac, known }) => ({
    status: 422,
    title: 'SCAC not of this channel',
    detail: `The channel may not ask as ${scac.slice(0, 10)}. Nothing was changed.`,
    fix: `Use one of ${known.join(', ')}.`,
  }),
  feed_unavailable: {
    status: 503,
    title: 'Feed not reached',
    detail: 'The feed did not answer.',
    fix: 'Send the request again: a repeat is safe.',
  },
  poll_unknown: {
    status: 404,
    title: 'Unknown poll',
    detail: 'The feed has no such poll, or keeps it no more.',
    fix: 'GET /v1/ops/feeds lists the latest polls and all gaps.',
  },
  poll_not_kept: {
    status: 409,
    title: 'Answer not there',
    detail: 'No whole answer of this poll is stored, so there is nothing to read again.',
    fix: 'A repair asks for every open order instead: POST /v1/ops/feeds/{name}/repair.',
  },
  orders_unknown: ({ orderRefs }) => ({
    status: 404,
    title: 'Orders unknown',
    detail: `No order was made here for this partner under ${orderRefs.length} of the references: ${headOf(orderRefs.join(', '), 200)}. None was asked for.`,
    fix: 'Leave them out, or load the order as it stands there first: PUT /v1/ops/orders/{name}/{orderRef}/base.',
  }),
  order_not_due: ({ orderRef }) => ({
    status: 409,
    title: 'Not waited for',
    detail: `No repair waits for the order "${headOf(orderRef, 200)}". Nothing was changed.`,
    fix: 'GET /v1/ops/feeds lists the orders that a repair asks for in vain.',
  }),
  poll_unreadable: ({ why }) => ({
    status: 422,
    title: 'Answer not readable',
    detail: `The stored answer cannot be read under the answer mapping as it is: ${why}. Nothing was changed.`,
    fix: 'Correct the mapping at /v1/ops/answer-mappings/order-status, and read it again.',
  }),
  issue_unknown: {
    status: 404,
    title: 'Unknown issue',
    detail: 'Nothing failed like that in this environment, or it is kept no longer.',
    fix: 'GET /v1/ops/issues lists what fails now; `state=resolved` what failed before.',
  },
  mute_out_of_range: {
    status: 422,
    title: 'Time not usable',
    detail: `An issue is muted until a time within the next ${ISSUE_MUTED_MS_MAX / DAY_MS} days. Nothing was changed.`,
    fix: 'Name a later day, or a sooner one.',
  },
  resubmit_unseen: {
    status: 409,
    title: 'Plan not seen',
    detail: 'The request does not say which rows are to be sent. Nothing was done.',
    fix: 'Send it with dryRun=true first, read the plan, and send its "confirm" along.',
  },
  nothing_to_resubmit: {
    status: 409,
    title: 'Nothing to send',
    detail: 'Of the rows that were looked at none can be sent from here. Nothing was done.',
    fix: 'The plan says why: what is wrong with them still is for the mapping or its code list, and some are for their partner to send.',
  },
  issue_resolved: {
    status: 409,
    title: 'Issue resolved',
    detail: 'No batch has rows of it any more, so there is nothing to say about it. Nothing was changed.',
    fix: 'Nothing: it opens again by itself when it comes back.',
  },
  letter_unknown: {
    status: 404,
    title: 'Unknown request',
    detail: 'There is no such batch in this environment, or no such row or request in it.',
    fix: 'GET /v1/ops/letters lists what did not arrive, with an address for each.',
  },
  request_unknown: {
    status: 409,
    title: 'Not handed over',
    detail: 'The request is not with its load or order yet, or the life of that one has ended. Nothing was changed.',
    fix: 'Look at it again; what is queued in its batch goes out by itself.',
  },
  no_request: {
    status: 409,
    title: 'Nothing to decide',
    detail: 'This row never became a request, so there is nothing to decide about.',
    fix: 'Have the row corrected and sent in a new file.',
  },
  not_held: ({ state }) => ({
    status: 409,
    title: 'No longer held',
    detail: `The request is ${state} now: an answer or another decision came first. Nothing was changed.`,
    fix: 'Look at it again before you decide anything else.',
  }),
  moved_since: ({ version }) => ({
    status: 412,
    title: 'Changed since',
    detail: 'The request has changed since the version that If-Match names. Nothing was changed.',
    fix: `Look at it again; its version is "${version}" now.`,
  }),
  decision_not_open: ({ open }) => ({
    status: 409,
    title: 'Decision not open',
    detail: 'This may not be decided about a request of this kind that is held for this reason. Nothing was changed.',
    fix: `Choose one of ${open.join(', ')}.`,
  }),
  order_id_wanted: {
    status: 422,
    title: 'Order id not usable',
    detail: 'adopt_id needs the id of the order at the receiving system, in the form of a UUID. Nothing was changed.',
    fix: 'Look the order up by its reference and give its id as orderId.',
  },
  outcome_wanted: {
    status: 422,
    title: 'Outcome missing',
    detail: 'close needs to say what came of it. Nothing was changed.',
    fix: 'Give outcome as not_applied if it certainly did not arrive, else as unknown.',
  },
  decision_id_reused: () => keyInUse(),
  key_reused: () => keyInUse(),
  batch_unknown: ({ batchId }) => ({
    status: 404,
    title: 'Unknown batch',
    detail: `This partner has no batch "${batchId.slice(0, 40)}" in this environment. Nothing was done.`,
    fix: 'Check the id, the partner and the environment.',
  }),
  too_many_batches: {
    status: 422,
    title: 'Too many batches',
    detail: `More than ${REPLAY_BATCHES_MAX} batches are concerned. Nothing was done.`,
    fix: 'Name the batches, or narrow the filter, and replay them in several parts.',
  },
  nothing_to_replay: {
    status: 409,
    title: 'Nothing to replay',
    detail: 'Nothing that was asked for has ended and can be sent again.',
    fix: 'The plan says what was left out and why.',
  },
  nothing_to_decide: {
    status: 409,
    title: 'Nothing to decide',
    detail: 'Nothing that was asked for is held and may be decided so.',
    fix: 'The plan says what was left out and why.',
  },
  too_many_held: ({ requestsMax }) => ({
    status: 422,
    title: 'Too many held requests',
    detail: `More than ${requestsMax} held requests match, or they are in too many batches. Nothing was done.`,
    fix: 'Narrow the filter, and decide in several parts.',
  }),
  confirm_required: {
    status: 409,
    title: 'Confirmation required',
    detail: 'Some of these requests may have arrived, and what is done about them is not undone. Nothing was done.',
    fix: 'Read the plan; to go on, send the same again with its "confirm".',
  },
  plan_changed: {
    status: 409,
    title: 'Plan changed',
    detail: 'What would be sent again is no longer what "confirm" stands for. Nothing was done.',
    fix: 'Read the plan as it is now; to go on, send the same again with its "confirm".',
  },
  webhook_key_missing: {
    status: 409,
    title: 'No signing key',
    detail:
      'This deployment has no secret WEBHOOK_KEY, or one that is too short, so nothing could be signed. Nothing was changed.',
    fix: `Set it to at least ${WEBHOOK_KEY_CHARACTERS_MIN} random characters (npx wrangler secret put WEBHOOK_KEY --env NAME), and send the request again.`,
  },
  webhook_url_refused: ({ why }) => ({
    status: 422,
    title: 'Address not usable',
    detail: `The address ${why}. Nothing was changed.`,
    fix: 'Give a public https address by name, such as https://hooks.example.com/transload.',
  }),
  too_many_webhooks: ({ targetsMax }) => ({
    status: 422,
    title: 'Too many webhooks',
    detail: `This partner has ${targetsMax} webhooks in this environment, which is all there may be. Nothing was changed.`,
    fix: 'Delete one that is not needed any more, or change one of them.',
  }),
  webhook_unknown: ({ target }) => ({
    status: 404,
    title: 'Unknown webhook',
    detail: `There is no webhook "${target.slice(0, 40)}" in this environment.`,
    fix: 'GET the list of webhooks; an id has 1 to 40 lower-case letters, digits and hyphens.',
  }),
  webhook_disabled: {
    status: 409,
    title: 'Webhook switched off',
    detail: 'The webhook is switched off, so nothing is sent to it. Nothing was changed.',
    fix: 'Mend what is wrong at its address, PUT the webhook again with "enabled": true, and send this again.',
  },
  delivery_unknown: {
    status: 404,
    title: 'Unknown delivery',
    detail: 'This webhook was not told of such an event, or its life has ended.',
    fix: 'GET the deliveries of the webhook; each has its eventId.',
  },
  person_unknown: {
    status: 404,
    title: 'Unknown person',
    detail: 'There is no such person, or they were removed. Nothing was changed.',
    fix: 'GET /v1/ops/people lists those who may sign in.',
  },
  person_exists: ({ name }) => ({
    status: 409,
    title: 'Name taken',
    detail: `Somebody called "${headOf(name, 80)}" may sign in already. Nothing was changed.`,
    fix: 'Choose another name; for the same person, make a new link.',
  }),
  person_beyond: ({ environments }) => ({
    status: 403,
    title: 'Beyond your environments',
    detail: `This concerns ${environments.join(' and ')}, which you may not act on yourself. Nothing was changed.`,
    fix: 'Ask an admin who may.',
  }),
  own_account: {
    status: 409,
    title: 'Your own account',
    detail: 'Nobody changes or removes themselves, so that an admin always remains. Nothing was changed.',
    fix: 'Ask another admin.',
  },
  too_many_people: {
    status: 422,
    title: 'Too many people',
    detail: `${PEOPLE_MAX} people may sign in, which is all there may be. Nothing was changed.`,
    fix: 'Remove those who are gone.',
  },
  action_unknown: {
    status: 404,
    title: 'Unknown action',
    detail: 'There is no such action in this environment.',
    fix: 'Check the id and the environment.',
  },
};
