/** One operation, version or status of an order, for a person. */
import type { FC } from 'hono/jsx';
import { differenceWords, type ShownDifference } from '../delivery/orders/merge/shown.ts';
import { isFinal } from '../delivery/states.ts';
import { EVIDENCE_WORDS, REASON_WORDS, ROW_WORDS } from '../delivery/words.ts';
import type { OrderView } from '../http/views/order-view.ts';
import { KIND_WORDS, PURPOSE_WORDS } from './order-words.ts';
import { rowPath } from './paths.ts';
import { shortTime } from './row-line.tsx';

type Operation = OrderView['operations'][number];
type Version = OrderView['versions'][number];
type Status = OrderView['statuses'][number];

/** Characters of an answer that are shown: the whole one is in the API. */
const ANSWER_CHARACTERS_SHOWN = 500;

const RowWords: FC<{ batchId: string; record: number }> = ({ batchId, record }) => (
  <a href={rowPath({ batchId, record })}>{`row ${record} of batch ${batchId}`}</a>
);

const Changes: FC<{ changes: ShownDifference[] | null }> = ({ changes }) =>
  changes === null || changes.length === 0 ? null : (
    <ul class="changes">
      {changes.map((each) => (
        <li>{differenceWords([each])}</li>
      ))}
    </ul>
  );

export const OperationLine: FC<{ operation: Operation }> = ({ operation }) => {
  const { state, reason, evidence, attempts, decidedAt, nextAt } = operation;
  const words = ROW_WORDS[state];
  const facts = [
    `taken ${operation.acceptedAt === null ? '' : shortTime(operation.acceptedAt)}`,
    ...(operation.status === null ? [] : [`status ${operation.status}`]),
    ...(operation.generation === 1 ? [] : [`generation ${operation.generation}`]),
    ...(decidedAt === null ? [] : [`${isFinal(state) ? 'decided' : 'since'} ${shortTime(decidedAt)}`]),
    ...(nextAt === null || isFinal(state) ? [] : [`again at ${shortTime(nextAt)}`]),
  ];
  return (
    <li class="row">
      <div class="where">
        <b>{KIND_WORDS[operation.kind]}</b>
        <span class="quiet">{operation.scac}</span>
      </div>
      <div class="what">
        <p>
          <span class={`state tone-${words.tone}`}>{words.label}</span>
          {evidence === null ? '' : EVIDENCE_WORDS[evidence]}
        </p>
        <p class="quiet">{facts.join(' · ')}</p>
        <p class="quiet">
          From <RowWords batchId={operation.batchId} record={operation.record} />
        </p>
        <Changes changes={operation.changes} />
        {operation.action === null ? null : <p class="quiet">{`The receiving system says: ${operation.action}`}</p>}
        {reason === null ? null : (
          <p class="fix">{`${REASON_WORDS[reason]}${operation.outcome === 'unknown' ? ' It may have arrived.' : ''}`}</p>
        )}
        {attempts.length === 0 ? null : <Attempts attempts={attempts} />}
      </div>
    </li>
  );
};

const Attempts: FC<{ attempts: Operation['attempts'] }> = ({ attempts }) => (
  <details>
    <summary class="quiet">{attempts.length === 1 ? 'The one call' : `All ${attempts.length} calls`}</summary>
    <ol class="tries">
      {attempts.map((each) => (
        <li value={String(each.attempt)}>
          <span class="quiet">
            {PURPOSE_WORDS[each.purpose]}
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

export const VersionLine: FC<{ version: Version }> = ({ version }) => (
  <li class="row">
    <div class="where">
      <b>Version {version.version}</b>
      {version.incarnation === 1 ? null : <span class="quiet">order {version.incarnation} of this number</span>}
    </div>
    <div class="what">
      <p>
        {KIND_WORDS[version.kind]}
        {version.acceptedAt === null ? '' : ` · ${shortTime(version.acceptedAt)}`}
      </p>
      {version.batchId === null || version.record === null ? null : (
        <p class="quiet">
          From <RowWords batchId={version.batchId} record={version.record} />
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
    </div>
  </li>
);

export const StatusLine: FC<{ status: Status }> = ({ status }) => {
  const { correctedBy } = status;
  const { city, state, postalCode, country } = status.place;
  const place = [city, state, postalCode, country].filter((part) => part !== undefined && part !== '').join(', ');
  return (
    <li class="row">
      <div class="where">
        <b>{shortTime(status.at ?? '')}</b>
      </div>
      <div class="what">
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
      </div>
    </li>
  );
};
