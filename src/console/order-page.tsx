/** The page of one order: its statuses, every operation, every version. Plain text; nothing is decided here. */
import type { FC } from 'hono/jsx';
import { EVIDENCE_MESSAGES, ROW_MESSAGES } from '../delivery/messages.ts';
import { differenceMessage, type ShownDifference } from '../delivery/orders/merge-messages.ts';
import { isFinal } from '../delivery/states.ts';
import { withParameters } from '../http/edge/reader.ts';
import type { OrderPageView } from '../http/pages/views.ts';
import type { OrderView } from '../http/views/order.ts';
import {
  document,
  Entry,
  Fact,
  inText,
  LinkLine,
  OPS_PAGES,
  orderPath,
  PARTNER_PAGES,
  ReasonLine,
  rowPath,
  State,
} from './frame.tsx';
import { KIND_MESSAGES, orderPhase, PHASE_MESSAGES, PURPOSE_MESSAGES } from './messages.ts';
import { shortTime } from './row-line.tsx';

type Operation = OrderView['operations'][number];
type Version = OrderView['versions'][number];
type Status = OrderView['statuses'][number];

/** Characters shown of an answer: the whole one is in the API. */
const ANSWER_CHARACTERS_SHOWN = 500;

const RowMessages: FC<{ batchId: string; record: number }> = ({ batchId, record }) => (
  <a href={rowPath({ batchId, record })}>{`row ${record} of batch ${batchId}`}</a>
);

const Changes: FC<{ changes: ShownDifference[] | null }> = ({ changes }) =>
  changes === null || changes.length === 0 ? null : (
    <ul class="changes">
      {changes.map((each) => (
        <li>{differenceMessage([each])}</li>
      ))}
    </ul>
  );

const OperationLine: FC<{ operation: Operation }> = ({ operation }) => {
  const { state, reason, evidence, attempts, decidedAt, nextAt } = operation;
  const words = ROW_MESSAGES[state];
  const facts = [
    `taken ${operation.acceptedAt === null ? '' : shortTime(operation.acceptedAt)}`,
    ...(operation.status === null ? [] : [`status ${operation.status}`]),
    ...(operation.generation === 1 ? [] : [`generation ${operation.generation}`]),
    ...(decidedAt === null ? [] : [`${isFinal(state) ? 'decided' : 'since'} ${shortTime(decidedAt)}`]),
    ...(nextAt === null || isFinal(state) ? [] : [`again at ${shortTime(nextAt)}`]),
  ];
  return (
    <Entry head={KIND_MESSAGES[operation.kind]} note={operation.scac}>
      <p>
        <State words={words} />
        {evidence === null ? '' : EVIDENCE_MESSAGES[evidence]}
      </p>
      <p class="quiet">{facts.join(' · ')}</p>
      <p class="quiet">
        From <RowMessages batchId={operation.batchId} record={operation.record} />
      </p>
      <Changes changes={operation.changes} />
      {operation.action === null ? null : <p class="quiet">{`The receiving system says: ${operation.action}`}</p>}
      <ReasonLine reason={reason} outcome={operation.outcome} />
      {attempts.length === 0 ? null : <Attempts attempts={attempts} />}
    </Entry>
  );
};

const Attempts: FC<{ attempts: Operation['attempts'] }> = ({ attempts }) => (
  <details>
    <summary class="quiet">{attempts.length === 1 ? 'The one call' : `All ${attempts.length} calls`}</summary>
    <ol class="tries">
      {attempts.map((each) => (
        <li value={String(each.attempt)}>
          <span class="quiet">
            {PURPOSE_MESSAGES[each.purpose]}
            {each.startedAt === null ? '' : ` ${shortTime(each.startedAt)}`}
            {each.status === null ? '' : ` · status ${each.status}`}
            {each.effect === null ? ' · an answer is awaited' : ''}
          </span>
          {each.answer === null || each.answer === '' ? null : <code class="value">{headOf(each.answer)}</code>}
        </li>
      ))}
    </ol>
  </details>
);

const headOf = (text: string): string =>
  text.length <= ANSWER_CHARACTERS_SHOWN ? text : `${text.slice(0, ANSWER_CHARACTERS_SHOWN)}…`.toWellFormed();

const VersionLine: FC<{ version: Version }> = ({ version }) => (
  <Entry
    head={`Version ${version.version}`}
    note={version.incarnation === 1 ? null : `order ${version.incarnation} of this number`}
  >
    <p>
      {KIND_MESSAGES[version.kind]}
      {version.acceptedAt === null ? '' : ` · ${shortTime(version.acceptedAt)}`}
    </p>
    {version.batchId === null || version.record === null ? null : (
      <p class="quiet">
        From <RowMessages batchId={version.batchId} record={version.record} />
        {version.uploadedBy === null ? '' : `, with key ${version.uploadedBy}`}
      </p>
    )}
    {version.stated === null ? null : (
      <p class="quiet">
        By {version.stated.by}
        {version.stated.why === null ? '' : `: ${version.stated.why}`}
      </p>
    )}
    {version.orderId === null ? <p class="quiet">without an id in the receiving system</p> : null}
    <Changes changes={version.changes} />
  </Entry>
);

const StatusLine: FC<{ status: Status }> = ({ status }) => {
  const { correctedBy } = status;
  const { city, state, postalCode, country } = status.place;
  const place = [city, state, postalCode, country].filter((part) => part !== undefined && part !== '').join(', ');
  return (
    <Entry head={shortTime(status.at ?? '')}>
      <p>
        <span class={correctedBy === null ? 'state' : 'state tone-quiet'}>{status.code}</span>
        {place === '' ? '' : ` · ${place}`}
      </p>
      <p class="quiet">
        event {status.seq} of the log
        {status.learnedAt === null ? '' : ` · learned ${shortTime(status.learnedAt)}`}
        {status.level === 'detail' ? ' · a detail' : ''}
      </p>
      {correctedBy === null ? null : <p class="fix">It was read wrongly: event {correctedBy} stands in its place.</p>}
    </Entry>
  );
};

/** Statuses on a page that was opened without requesting all. */
const LATEST_STATUSES = 50;

export function orderPage(view: OrderPageView): string {
  const { environment, partner, order } = view;
  const isOwn = partner === null;
  return document({
    title: `Order ${order.orderRef}`,
    environment,
    links: isOwn ? PARTNER_PAGES : OPS_PAGES(environment),
    body: (
      <main data-order={order.orderRef}>
        <Heading view={view} />
        <Statuses view={view} />
        <section>
          <h2>Operations, in their order</h2>
          {order.counts.operations === 0 ? <p class="empty">Nothing was sent for this order from here.</p> : null}
          <ol class="rows">
            {order.operations.map((operation) => (
              <OperationLine operation={operation} />
            ))}
          </ol>
        </section>
        <section>
          <h2>Versions, the newest first</h2>
          {order.counts.versions === 0 ? <p class="empty">No version of it was accepted yet.</p> : null}
          <ol class="rows">
            {order.versions.toReversed().map((version) => (
              <VersionLine version={version} />
            ))}
          </ol>
        </section>
        <Pages view={view} />
      </main>
    ),
  });
}

/** Links between the pages of its operations and versions. */
const Pages: FC<{ view: OrderPageView }> = ({ view: { environment, partner, order, isLatest } }) => {
  if (isLatest && order.next === null) return null;
  const latest = orderPath(environment, partner, order.orderRef);
  return (
    <p class="links">
      {isLatest ? null : <a href={latest}>The latest operations and versions</a>}
      {order.next === null ? null : <a href={order.next}>Earlier ones</a>}
    </p>
  );
};

const Heading: FC<{ view: OrderPageView }> = ({ view: { partner, order } }) => {
  const words = PHASE_MESSAGES[orderPhase(order)];
  return (
    <section class="heading">
      <h1>Order {order.orderRef}</h1>
      <p>
        <strong class={`tone-${words.tone}`}>{words.label}</strong> {words.meaning}
      </p>
      <dl class="facts">
        {partner === null ? null : <Fact name="Partner">{partner}</Fact>}
        <Fact name="Id in the receiving system">{order.orderId ?? 'none is known'}</Fact>
        {order.incarnation === null || order.incarnation === 1 ? null : (
          <Fact name="Order of this number">{order.incarnation}</Fact>
        )}
        {order.latestStatus === null ? null : <Fact name="Latest status">{order.latestStatus}</Fact>}
        {order.latestStatusAt === null ? null : <Fact name="That was">{shortTime(order.latestStatusAt)}</Fact>}
        <Fact name="Versions">{inText(order.counts.versions)}</Fact>
        {order.pair === null ? null : (
          <Fact name="Belongs to">
            {order.pair.partnerId} / {order.pair.clientId}
          </Fact>
        )}
      </dl>
      {order.document === null ? null : (
        <details>
          <summary>The document as it stands</summary>
          <code class="value document">{JSON.stringify(order.document, null, 2)}</code>
        </details>
      )}
    </section>
  );
};

const Statuses: FC<{ view: OrderPageView }> = ({ view: { environment, partner, order, isWhole } }) => {
  const { statuses, orderRef } = order;
  const shown = (isWhole ? statuses : statuses.slice(-LATEST_STATUSES)).toReversed();
  const page = orderPath(environment, partner, orderRef);
  return (
    <section>
      <h2>What became of it, the latest first</h2>
      {statuses.length > 0 ? null : (
        <p class="empty">Nothing has been told of this order. A feed asks for its status every 30 minutes.</p>
      )}
      <ol class="rows">
        {shown.map((status) => (
          <StatusLine status={status} />
        ))}
      </ol>
      <LinkLine href={shown.length === statuses.length ? null : withParameters(page, { statuses: 'all' })}>
        All {inText(statuses.length)} of them
      </LinkLine>
    </section>
  );
};
