/** One row, opened: what it was made from, what was sent for it, and every attempt with its answer, side by side. */

import type { FC } from 'hono/jsx';
import { asSentence, requestMessage } from '../../../batch/report/summary.ts';
import { type AnomalyMessages, REASON_MESSAGES } from '../../../delivery/messages.ts';
import { differenceMessage } from '../../../delivery/orders/merge-messages.ts';
import type { RowDetail } from '../../../http/views/row-detail.ts';
import type { SendingStop } from '../../../http/views/stops.ts';
import type { Problem } from '../../../kernel/problem.ts';
import { capital } from '../../../kernel/text.ts';
import { isOrderKind } from '../../../mapping/document/targets.ts';
import { ofOtherRows } from '../../../mapping/groups/map-group.ts';
import { withSpokenColumns } from '../../../mapping/values/element-names.ts';
import { spokenPath, spokenTexts } from '../../../mapping/values/fault.ts';
import { eventMessage, withEventNames } from '../../event-messages.ts';
import { attemptText, KIND_MESSAGES, PURPOSE_MESSAGES } from '../../messages.ts';
import type { Page } from '../../page.ts';
import { inText, Note, State } from '../../parts/basics.tsx';
import { OtherRows, rowHref, rowName, rowWhere } from '../../parts/row-link.tsx';
import { Spoken } from '../../parts/spoken.tsx';
import { nextTryOf, rowLook, rowState, rowStateMessage, rowsWaitedFor } from './batch-messages.ts';

/** Characters of a text that are shown at once. Ours: about a screen. */
const SHOWN_CHARACTERS = 1_500;

type RequestDetail = RowDetail['requests'][number];

interface Opened {
  page: Page;
  row: RowDetail;
  stops: readonly SendingStop[];
}

/** @param stops what keeps its batch from being sent. */
export const RowDetails: FC<Opened & { close: string }> = ({ page, row, close, stops }) => {
  const [first, ...others] = row.requests;
  return (
    <div id={`detail-${row.record}`}>
      <p class="actions">
        <strong>
          Row {inText(row.record)} · {rowWhere(row.position)}
        </strong>
        <a href={close} data-close>
          Close
        </a>
      </p>
      <RowNotes page={page} row={row} />
      <div class="columns three">
        <Original row={row} />
        {first === undefined ? (
          <NothingSent page={page} row={row} />
        ) : (
          <RequestColumns page={page} row={row} request={first} stops={stops} />
        )}
      </div>
      {others.map((request) => (
        <div class="columns two">
          <RequestColumns page={page} row={row} request={request} stops={stops} />
        </div>
      ))}
    </div>
  );
};

const RowNotes: FC<{ page: Page; row: RowDetail }> = ({
  page,
  row: { batchId, record, replacedBy, group, errors, lookedUp },
}) => (
  <>
    {replacedBy === null ? null : (
      <Note look="good">
        Corrected:{' '}
        <a href={page.at(`/batches/${replacedBy.batchId}`, { row: replacedBy.record })}>
          {rowName(replacedBy.record)} of a later upload
        </a>{' '}
        was delivered in its place.
      </Note>
    )}
    {group === null || group === record ? null : (
      <p class="quiet">
        Makes one request together with <a href={rowHref(page, { batchId, record: group })}>{rowName(group)}</a>.
      </p>
    )}
    {errors.map((problem) => (
      <ProblemNote page={page} batchId={batchId} problem={problem} />
    ))}
    {lookedUp.map(({ words }) => (
      <p class="quiet">Looked up: {words}</p>
    ))}
  </>
);

const ProblemNote: FC<{ page: Page; batchId: string; problem: Problem }> = ({ page, batchId, problem }) => {
  const { path, message, value, code } = problem;
  const said = spokenTexts(problem);
  return (
    <Note look={ofOtherRows(problem) === null ? 'bad' : 'wait'}>
      <p>
        {path === '' ? null : (
          <strong>
            <Spoken text={capital(spokenPath(problem))} />:{' '}
          </strong>
        )}
        <OtherRows problem={problem} to={(record) => rowHref(page, { batchId, record })}>
          <Spoken text={page.isOps ? withSpokenColumns(message, path) : said.message} />
        </OtherRows>{' '}
        <code>{code}</code>
      </p>
      {value === '' ? null : (
        <p>
          Received <code class="value">{value}</code>
        </p>
      )}
      <p>
        {page.isOps ? <span class="quiet">For its sender: </span> : null}
        <Spoken text={said.fix} />
      </p>
    </Note>
  );
};

const Original: FC<{ row: RowDetail }> = ({ row: { original, errors } }) => (
  <section>
    <h3>Original row</h3>
    {original === null ? (
      <p class="quiet">The file is kept no longer.</p>
    ) : original.cells === null ? (
      <>
        <LongText text={original.text} what="the row" />
        {original.isCut ? <p class="quiet">The row is longer; the file as received has all of it.</p> : null}
      </>
    ) : (
      <table class="cells">
        <tbody>
          {original.cells.map(({ column, text }, at) => {
            const wrong = errors.some(({ path }) => path === column || path.split(', ').includes(column));
            return (
              <tr class={wrong ? 'wrong' : ''}>
                <th scope="row">{column === '' ? `column ${at + 1}` : column}</th>
                <td>{wrong ? <State look="bad">{text === '' ? '(empty)' : text}</State> : text}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
    )}
  </section>
);

const INVALID_ROW = {
  operator: 'It is sent when its sender has corrected it.',
  partner: 'Correct it and send it again in a new file.',
} as const;

const NothingSent: FC<{ page: Page; row: RowDetail }> = ({ page, row }) => (
  <section>
    <h3>Request</h3>
    <p class="quiet">
      Nothing was sent for this row.{' '}
      {row.state === 'invalid' && rowsWaitedFor(row.errors) === null
        ? INVALID_ROW[page.isOps ? 'operator' : 'partner']
        : rowState(row).meaning}
    </p>
  </section>
);

const RequestColumns: FC<Opened & { request: RequestDetail }> = ({ page, row, request, stops }) => (
  <>
    <section>
      <h3>Request</h3>
      <p>
        <Subject page={page} request={request} /> · {whatText(request)} · {request.scac}
      </p>
      <RequestFacts row={row} request={request} />
      <LongText text={JSON.stringify(request.body, null, 2)} what="the request" />
    </section>
    <section>
      <h3>Answers</h3>
      <p>
        <State look={rowLook(request.state)} title={rowStateMessage(request.state).meaning}>
          {rowStateMessage(request.state).label}
        </State>
        {request.nextAt === null ? null : <span class="quiet"> · {nextText(request, stops)}</span>}
      </p>
      {request.reason === null ? null : <p>{REASON_MESSAGES[request.reason]}</p>}
      <Attempts request={request} />
    </section>
  </>
);

export const whatText = (request: Parameters<typeof requestMessage>[0]): string => {
  const { what, time } = requestMessage(request);
  const kind = KIND_MESSAGES[request.kind];
  if (isOrderKind(request.kind)) return kind;
  const event = kind === 'Position' ? kind : `${eventMessage(what) ?? kind} ${what}`;
  return `${event}${time === null ? '' : ` · ${eventTime(time)}`}`;
};

/** In the zone that the file has it in, without seconds that are none: `2026-03-02 08:00 -05:00` */
export const eventTime = (dateTime: string): string =>
  dateTime
    .replace('T', ' ')
    .replace(/\.\d+/, '')
    .replace(/(\d\d:\d\d):00(?!:)/, '$1')
    .replace(/Z$/, ' UTC')
    .replace(/(\d)([+-]\d\d:\d\d)$/, '$1 $2');

/** A create without a clear answer is not sent again. */
const nextText = (request: RequestDetail, stops: readonly SendingStop[]): string =>
  `${request.kind === 'order.create' && request.state === 'unknown' ? 'looked up' : 'next attempt'} at ${nextTryOf(request, stops)?.slice(11, 19)} UTC`;

/** Whoever came by an upload link sees no loads and no orders. */
const Subject: FC<{ page: Page; request: RequestDetail }> = ({ page, request: { subject, links } }) => {
  const name = subject.slice(subject.indexOf(':') + 1);
  return page.isLink ? <span>{name}</span> : <a href={links.console}>{name}</a>;
};

const RequestFacts: FC<{ row: RowDetail; request: RequestDetail }> = ({ row: { batchId }, request }) => {
  const into = asSentence(request, batchId);
  return (
    <>
      {into === null ? null : <p class="quiet">{into}</p>}
      {request.possibleDuplicate ? <p class="quiet">May arrive twice: it is marked as a possible duplicate.</p> : null}
      {request.late ? <p class="quiet">Sent later than its time.</p> : null}
      {request.action === null ? null : <p class="quiet">The receiving system says: {request.action}</p>}
      {request.diff?.map((each) => (
        <p class="quiet">{differenceMessage([each])}</p>
      ))}
      {request.warnings.map((warning) => (
        <Warning warning={warning} />
      ))}
    </>
  );
};

const Warning: FC<{ warning: AnomalyMessages }> = ({ warning: { message, code, fix } }) => (
  <Note look="wait">
    <strong>Odd: </strong>
    {withEventNames(message)} {fix} <span class="quiet">({code})</span>
  </Note>
);

const Attempts: FC<{ request: RequestDetail }> = ({ request }) => {
  const { generations, attempts } = request;
  if (generations === null || generations.every((each) => each.attempts.length === 0)) {
    return (
      <>
        {request.answer === null ? null : <LongText text={request.answer} what="the answer" />}
        <p class="quiet">
          {attempts === 0
            ? 'No attempt yet.'
            : `${inText(attempts)} ${attempts === 1 ? 'attempt was' : 'attempts were'} made; its load or order keeps them.`}
        </p>
      </>
    );
  }
  return (
    <>
      {generations.map(({ generation, attempts: made, travelsIn }) => (
        <>
          {generations.length === 1 ? null : <p class="quiet">Sent for the {ordinal(generation)} time</p>}
          {travelsIn === null ? null : <p class="quiet">Travelled with {rowName(travelsIn.record)}.</p>}
          {made.map((attempt) => (
            <Attempt attempt={attempt} />
          ))}
        </>
      ))}
    </>
  );
};

type AttemptDetail = NonNullable<RequestDetail['generations']>[number]['attempts'][number];

const Attempt: FC<{ attempt: AttemptDetail }> = ({ attempt }) => {
  const { purpose, startedAt, status, answer, answerEnd, detail, latencyMs } = attempt;
  return (
    <div class="attempt">
      <p>
        <strong>{status === null ? 'No answer' : attemptText(status)}</strong> {PURPOSE_MESSAGES[purpose]}{' '}
        <time datetime={startedAt} title={startedAt}>
          {startedAt.slice(0, 23).replace('T', ' ')} UTC
        </time>
        {latencyMs === null ? null : <span class="quiet">, answered after {(latencyMs / 1_000).toFixed(2)} s</span>}
      </p>
      {detail === null || detail === '' ? null : <p class="quiet">{detail}</p>}
      {answer === null || answer === '' ? null : <LongText text={answer} what="the answer" />}
      {answerEnd === 'capped' ? <p class="quiet">The answer is longer than what is read.</p> : null}
      {answerEnd === 'cut' ? <p class="quiet">The answer broke off.</p> : null}
    </div>
  );
};

/** The teens end in `th`. */
const ordinal = (count: number): string => {
  const isTeen = Math.floor(count / 10) % 10 === 1;
  return `${count}${(isTeen ? undefined : ['', 'st', 'nd', 'rd'][count % 10]) || 'th'}`;
};

const LongText: FC<{ text: string; what: string }> = ({ text, what }) =>
  text.length <= SHOWN_CHARACTERS ? (
    <pre tabindex={0}>{text}</pre>
  ) : (
    <>
      <pre tabindex={0}>{`${text.slice(0, SHOWN_CHARACTERS)} …`}</pre>
      <details>
        <summary>
          Show all of {what} ({inText(text.length)} characters)
        </summary>
        <pre tabindex={0}>{text}</pre>
      </details>
    </>
  );
