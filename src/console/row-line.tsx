/** One row of a batch, for a person: its location in the file, its outcome, what is wrong and how to fix it. */
import type { FC } from 'hono/jsx';
import {
  asSentence,
  type BatchRow,
  type EarlierOutcome,
  type RowRequest,
  requestMessage,
} from '../batch/report/summary.ts';
import { type AnomalyMessages, EVIDENCE_MESSAGES, REASON_MESSAGES, ROW_MESSAGES } from '../delivery/messages.ts';
import { differenceMessage } from '../delivery/orders/merge-messages.ts';
import { followedState } from '../delivery/outcome.ts';
import { loadPagePath, orderPagePath, type Reader } from '../http/edge/reader.ts';
import type { Problem } from '../kernel/problem.ts';
import { isOrderKind } from '../mapping/document/targets.ts';
import { loadNumberOf, orderRefOf } from '../mapping/request.ts';
import { Entry, rowPath, State } from './frame.tsx';

export const RowLine: FC<{ row: BatchRow; batchId: string; reader: Reader }> = ({ row, batchId, reader }) => {
  const words = ROW_MESSAGES[row.state];
  const { file, line, place } = row.position;
  return (
    <Entry
      head={`Row ${row.record}`}
      note={`${file === undefined ? '' : `${file}, `}line ${line}${place === undefined ? '' : `: ${place}`}`}
    >
      <p>
        <State words={words} />
        {row.group === null ? null : <span class="quiet"> together with row {row.group}</span>}
      </p>
      {row.replacedBy === null ? null : (
        <p>
          Corrected: <a href={rowPath(row.replacedBy)}>row {row.replacedBy.record} of a later upload</a> was delivered
          in its place.
        </p>
      )}
      {row.errors.map((problem) => (
        <ProblemLine problem={problem} />
      ))}
      {row.requests.map((request) => (
        <RequestLine request={request} batchId={batchId} reader={reader} />
      ))}
      {row.lookedUp.map(({ words }) => (
        <p class="quiet">Looked up: {words}</p>
      ))}
    </Entry>
  );
};

const ProblemLine: FC<{ problem: Problem }> = ({ problem }) => (
  <div class="problem">
    <p>
      {problem.path === '' ? null : <b>{problem.path}: </b>}
      {problem.message} <code>{problem.code}</code>
    </p>
    {problem.value === '' ? null : (
      <p>
        Received <code class="value">{problem.value}</code>
      </p>
    )}
    <p class="fix">{problem.fix}</p>
  </div>
);

const RequestLine: FC<{ request: RowRequest; batchId: string; reader: Reader }> = ({ request, batchId, reader }) => {
  const { what, time } = requestMessage(request);
  const into = asSentence(request, batchId);
  return (
    <div class="request">
      <p>
        <Subject request={request} reader={reader} /> ·{' '}
        {isOrderKind(request.kind) ? request.kind : `${request.kind} ${what}`} · {request.scac}
        {time === null ? null : <span class="quiet"> · {shortTime(time)}</span>}
      </p>
      <p class="quiet">
        {ROW_MESSAGES[request.state].label}
        {request.evidence === null ? '' : EVIDENCE_MESSAGES[request.evidence]}
        {request.status === null ? '' : ` · status ${request.status}`}
        {request.attempts === 0 ? '' : ` · ${request.attempts} ${request.attempts === 1 ? 'attempt' : 'attempts'}`}
        {request.possibleDuplicate ? ' · possible duplicate' : ''}
        {request.late ? ' · late' : ''}
        {request.generation === 1 ? '' : ` · ${ordinal(request.generation)} time`}
        {request.nextAt === null ? '' : ` · ${nextWord(request)} at ${request.nextAt.slice(11, 19)} UTC`}
      </p>
      {into === null ? null : <p class="quiet">{into}</p>}
      {request.action === null ? null : <p class="quiet">{`The receiving system says: ${request.action}`}</p>}
      {request.diff?.map((each) => (
        <p class="quiet">{differenceMessage([each])}</p>
      ))}
      {request.earlier.map((met) => (
        <p class="quiet">{earlierMessage(met)}</p>
      ))}
      {request.reason === null ? null : (
        <p class="fix">{`${REASON_MESSAGES[request.reason]}${EFFECT_MESSAGES[request.outcome ?? 'none']}`}</p>
      )}
      {request.warnings.map((warning) => (
        <WarningLine warning={warning} />
      ))}
      {request.answer && followedState(request.state, request.intoState) !== 'delivered' ? (
        <code class="value">{request.answer}</code>
      ) : null}
    </div>
  );
};

/** Loads and orders have pages of their own. */
const Subject: FC<{ request: RowRequest; reader: Reader }> = ({ request: { subject, scac, kind }, reader }) => {
  const words = subject.replace(':', ' ');
  const path = isOrderKind(kind)
    ? orderPagePath(reader, orderRefOf(subject))
    : loadPagePath(reader, { loadNumber: loadNumberOf(subject), scac });
  return <a href={path}>{words}</a>;
};

export const WarningLine: FC<{ warning: AnomalyMessages }> = ({ warning }) => (
  <p class="fix">
    <b>Odd: </b>
    {warning.message} <code>{warning.code}</code> {warning.fix}
  </p>
);

/** A create without a clear answer is not sent again. */
const nextWord = ({ kind, state }: RowRequest): string =>
  kind === 'order.create' && state === 'unknown' ? 'looked up' : 'again';

/** e.g. `1st time: Refused · status 422` */
const earlierMessage = ({ generation, state, status, outcome }: EarlierOutcome): string =>
  `${ordinal(generation)} time: ${ROW_MESSAGES[state].label}${status === null ? '' : ` · status ${status}`}${outcome === null ? '' : `.${EFFECT_MESSAGES[outcome]}`}`;

/** The teens end in `th`. */
const ordinal = (count: number): string => {
  const isTeen = Math.floor(count / 10) % 10 === 1;
  return `${count}${(isTeen ? undefined : ['', 'st', 'nd', 'rd'][count % 10]) || 'th'}`;
};

/** For what was given up: whether it may have arrived. */
const EFFECT_MESSAGES = { none: '', not_applied: ' It was not applied.', unknown: ' It may have arrived.' } as const;

/** `2026-03-02T08:00:00.0000000-05:00` → `2026-03-02 08:00:00 -05:00`, `2026-03-02T08:00:00.000Z` → `2026-03-02 08:00:00 UTC` */
export const shortTime = (dateTime: string): string =>
  dateTime.replace('T', ' ').replace(/\.\d+/, ' ').replace(/ ?Z$/, ' UTC');
