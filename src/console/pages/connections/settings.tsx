/**
 * `/console/partners/{name}/envelopes`: what is agreed about a partner's interchanges; `/console/answer-mappings`: how
 * answers about orders are read. Both with every revision, and a plan before a change.
 */
import type { FC } from 'hono/jsx';
import { stringify } from 'yaml';
import { differenceMessage, type ShownDifference } from '../../../delivery/orders/merge-messages.ts';
import type { Answered } from '../../../http/contract/contract.ts';
import { action, type Field, type PlanMessages, WHY } from '../../actions.ts';
import { documentIn, linesIn } from '../../document-field.ts';
import type { Page } from '../../page.ts';
import { Fact, Facts, Note, Time } from '../../parts/basics.tsx';
import { Changes } from '../../parts/calls.tsx';
import { Crumbs } from '../../parts/crumbs.tsx';
import { Table } from '../../parts/table.tsx';
import type { ConsolePages } from '../../routes.ts';
import { ifSeen, seenField } from '../seen.ts';

type EnvelopeRules = Answered<typeof ENVELOPES>['rules'];
type AnswerMapping = Answered<typeof MAPPING>['mapping'];
type ShownRevision = Answered<'GET /v1/ops/partners/{name}/envelopes/history'>['revisions'][number];

const ENVELOPES = 'GET /v1/ops/partners/{name}/envelopes';
const envelopesHref = (page: Page, partner: string): string =>
  page.at(`/partners/${encodeURIComponent(partner)}/envelopes`);
const MAPPING = 'GET /v1/ops/answer-mappings/order-status';

const planOf =
  (button: string) =>
  ({ changes }: { changes: readonly ShownDifference[] }): PlanMessages => ({
    lines:
      changes.length === 0
        ? ['Nothing would change.']
        : ['This would change:', ...changes.map((each) => differenceMessage([each]))],
    button,
    isEmpty: changes.length === 0,
  });

const RULE_CHOICES = {
  controlNumbers: {
    once: 'An interchange that comes again within 30 days is refused',
    any: 'An interchange that comes again is read again',
  },
  broken: {
    set: 'The broken message (set) is left out, and the rest of its interchange is read',
    interchange: 'An interchange with a broken message (set) is refused as a whole',
  },
  counts: { strict: 'A wrong count is an error', lenient: 'A wrong count is noted, and the file is read' },
  width: {
    tolerant: 'An ISA segment of another length than the 106 characters of the standard is read',
    strict: 'An ISA segment must have the 106 characters of the standard',
  },
} as const satisfies Partial<Record<keyof EnvelopeRules, Record<string, string>>>;

const CHOICE_LABELS = {
  controlNumbers: 'Where a control number comes again',
  broken: 'Where a message is broken',
  counts: 'Counts of segments and messages',
  width: 'Length of the ISA segment',
} as const;

const ID_LISTS = {
  senders: [
    'Allowed senders',
    'The sender’s id (X12: ISA06, EDIFACT: UNB sender), one on each line; with its qualifier as in ZZ:ACME. Interchanges of others are refused. Empty: anybody may.',
  ],
  receivers: [
    'Allowed receivers',
    'The receiver’s id (X12: ISA08, EDIFACT: UNB recipient), one on each line. Empty: anybody.',
  ],
  groupSenders: [
    'Allowed senders of a group',
    'The sender of a group (X12: GS02, EDIFACT: UNG sender), one on each line. Empty: anybody.',
  ],
} as const;

const CHOICES = ['controlNumbers', 'broken', 'counts', 'width'] as const;
const LISTS = ['senders', 'receivers', 'groupSenders'] as const;

const setEnvelopes = action({
  name: 'set-envelopes',
  route: 'PUT /v1/ops/partners/{name}/envelopes',
  role: 'operator',
  title: ({ partner }) => `Envelope rules of ${partner ?? 'a partner'}`,
  explain:
    'What holds for interchanges that this partner uploads from now on. Those that came before stay as they are.',
  fields: async (values, page) => {
    const now = await page.api.call(ENVELOPES, { path: { name: values.partner ?? '' } });
    const rules = now.ok ? now.value.rules : null;
    return [
      { name: 'partner', label: 'Partner', kind: 'text', isRequired: true, isSubject: true },
      seenField(now.ok ? now.value.edition : undefined),
      ...LISTS.map(
        (name): Field => ({
          name,
          label: ID_LISTS[name][0],
          kind: 'long',
          hint: ID_LISTS[name][1],
          value: rules?.[name]?.join('\n') ?? '',
        }),
      ),
      ...CHOICES.map(
        (name): Field => ({
          name,
          label: CHOICE_LABELS[name],
          kind: 'choice',
          isRequired: true,
          of: RULE_CHOICES[name],
          areSentences: true,
          ...(rules === null ? {} : { value: rules[name] }),
        }),
      ),
      WHY,
    ];
  },
  button: 'Set the rules',
  isDangerous: true,
  call: (values) => ({
    path: { name: values.partner ?? '' },
    body: {
      rules: {
        ...Object.fromEntries(
          LISTS.flatMap((name) => {
            const ids = linesIn(values[name] ?? '');
            return ids.length === 0 ? [] : [[name, ids]];
          }),
        ),
        ...Object.fromEntries(CHOICES.map((name) => [name, values[name]])),
      },
      note: values.why,
    },
    ...ifSeen(values),
  }),
  plan: planOf('Set the rules'),
  done: (_, { partner = '' }, page) => ({ goTo: envelopesHref(page, partner) }),
});

const setAnswerMapping = action({
  name: 'set-answer-mapping',
  route: 'PUT /v1/ops/answer-mappings/order-status',
  role: 'operator',
  title: () => 'Change how answers about orders are read',
  explain:
    'From now on all feeds of this environment read their answers this way. Answers that were read before stay as they are until they are read again.',
  fields: async (_, page) => {
    const now = await page.api.call(MAPPING);
    return [
      seenField(now.ok ? now.value.edition : undefined),
      {
        name: 'mapping',
        label: 'The whole answer mapping',
        kind: 'document',
        isRequired: true,
        hint: 'YAML or JSON. A path is names joined by dots; of several paths the first with a value counts.',
        value: now.ok ? stringify(now.value.mapping) : '',
      },
      WHY,
    ];
  },
  button: 'Use this answer mapping',
  isDangerous: true,
  call: ({ mapping = '', why, ...values }) => ({
    body: { mapping: documentIn(mapping), note: why },
    ...ifSeen(values),
  }),
  plan: planOf('Use this answer mapping'),
  done: (_, __, page) => ({ goTo: page.at('/answer-mappings') }),
});

export const settingPages: ConsolePages = {
  get: { '/partners/:partner/envelopes': envelopesPage, '/answer-mappings': answerMappingPage },
  reads: [
    'GET /v1/ops/partners/{name}/envelopes',
    'GET /v1/ops/partners/{name}/envelopes/history',
    'GET /v1/ops/answer-mappings/order-status',
    'GET /v1/ops/answer-mappings/order-status/history',
  ],
  actions: [setEnvelopes, setAnswerMapping],
};

async function envelopesPage(page: Page): Promise<Response> {
  const partner = page.context.req.param('partner') ?? '';
  const [found, history] = await Promise.all([
    page.api.call(ENVELOPES, { path: { name: partner } }),
    page.api.call(`${ENVELOPES}/history`, { path: { name: partner } }),
  ]);
  if (!found.ok) return page.refuse(found.error);
  const { rules, edition } = found.value;
  return page.show({
    title: `${partner} – envelopes`,
    nav: 'partners',
    body: (
      <>
        <Crumbs
          to={[
            ['Partners', page.at('/partners')],
            [partner, page.at(`/partners/${encodeURIComponent(partner)}`)],
          ]}
        />
        <div class="heading">
          <h1>Envelopes of {partner}</h1>
          {page.mayActAs('operator') ? (
            <a class="button" href={page.at('/do/set-envelopes', { partner, from: envelopesHref(page, partner) })}>
              Change the rules…
            </a>
          ) : null}
        </div>
        <p>What is agreed about the interchanges that this partner sends as X12 or EDIFACT.</p>
        {edition === 0 ? <Note>Nothing was agreed yet. These rules hold until something is.</Note> : null}
        <Facts>
          {LISTS.map((name) => (
            <Fact name={ID_LISTS[name][0]}>{rules[name]?.map((id) => <div>{id}</div>) ?? 'anybody'}</Fact>
          ))}
        </Facts>
        <ul>
          {CHOICES.map((name) => (
            <li>{(RULE_CHOICES[name] as Record<string, string>)[rules[name]]}.</li>
          ))}
        </ul>
        <p>
          In this environment an interchange must call itself{' '}
          {page.environment === 'test'
            ? 'a test: T in ISA15, or 1 in UNB 0035'
            : 'production: P in ISA15, and no UNB 0035'}
          .
        </p>
        {history.ok ? <History revisions={history.value.revisions} /> : null}
      </>
    ),
  });
}

async function answerMappingPage(page: Page): Promise<Response> {
  const [found, history] = await Promise.all([page.api.call(MAPPING), page.api.call(`${MAPPING}/history`)]);
  if (!found.ok) return page.refuse(found.error);
  const { mapping, edition } = found.value;
  return page.show({
    title: 'How answers are read',
    nav: 'answerMappings',
    body: (
      <>
        <div class="heading">
          <h1>How answers about orders are read</h1>
          {page.mayActAs('operator') ? (
            <a class="button" href={page.at('/do/set-answer-mapping', { from: page.at('/answer-mappings') })}>
              Change how they are read…
            </a>
          ) : null}
        </div>
        <p>
          The receiving system answers with statuses of orders. This says where they are in its answer and what they
          mean. All <a href={page.at('/feeds')}>order feeds</a> of this environment use it.
        </p>
        {edition === 0 ? <Note>Nothing was changed yet: this is what Transload was shipped with.</Note> : null}
        <MappingFacts mapping={mapping} />
        <details class="more">
          <summary>The whole as YAML</summary>
          <pre>{stringify(mapping)}</pre>
        </details>
        {history.ok ? <History revisions={history.value.revisions} /> : null}
      </>
    ),
  });
}

const MappingFacts: FC<{ mapping: AnswerMapping }> = ({ mapping }) => {
  const { list, orderRef, orderId = [], code, time, level, finalCodes, x12 } = mapping;
  const renamed = Object.entries(code.codes);
  const sent = Object.entries(x12);
  return (
    <>
      <Facts>
        <Fact name="The list of statuses">
          <Paths paths={list} />
        </Fact>
        <Fact name="Which order">
          <Paths paths={orderRef} />
        </Fact>
        <Fact name="Its id">{orderId.length === 0 ? 'not read' : <Paths paths={orderId} />}</Fact>
        <Fact name="Status">
          <Paths paths={code.from} />
        </Fact>
        <Fact name="Time">
          <Paths paths={[...time.from, ...(time.clock ?? [])]} />
          {time.zone === undefined ? '' : `, in ${time.zone} where it names no zone`}
        </Fact>
        <Fact name="For an end consumer">
          {level.from === undefined ? '' : <Paths paths={level.from} />}
          {level.milestones.length === 0 ? '' : `: ${level.milestones.join(', ')}`}
          {`; otherwise ${level.otherwise === 'detail' ? 'hidden' : 'shown'}`}
        </Fact>
      </Facts>
      <h2>Statuses that end an order</h2>
      <p>{finalCodes.length === 0 ? 'None: orders stay open.' : finalCodes.join(', ')}</p>
      {renamed.length === 0 ? null : (
        <>
          <h2>Statuses that are renamed</h2>
          <CodeTable caption="Renamed statuses" columns={['As it comes', 'As it is kept']} codes={renamed} />
        </>
      )}
      <h2>Status codes sent to partners (X12 214)</h2>
      <CodeTable caption="Codes of the 214" columns={['Status', 'X12 code']} codes={sent} />
    </>
  );
};

const Paths: FC<{ paths: readonly string[] }> = ({ paths }) => (
  <>
    {paths.map((path, index) => (
      <>
        {index === 0 ? '' : ', or '}
        <code>{path}</code>
      </>
    ))}
  </>
);

const CodeTable: FC<{ caption: string; columns: readonly [string, string]; codes: readonly [string, string][] }> = ({
  caption,
  columns: [from, to],
  codes,
}) => (
  <Table
    caption={caption}
    columns={[{ label: from, kind: 'main' }, { label: to }]}
    rows={codes.map((cells) => ({ cells }))}
    empty="None."
  />
);

const History: FC<{ revisions: readonly ShownRevision[] }> = ({ revisions }) => (
  <section>
    <h2>Changes, newest first</h2>
    <Table
      caption="Changes"
      columns={[
        { label: 'Revision', kind: 'main' },
        { label: 'By' },
        { label: 'When', kind: 'word' },
        { label: 'Why' },
      ]}
      rows={revisions.map(({ edition, changedBy, changedAt, note, changes }) => ({
        cells: [`Revision ${edition}`, changedBy ?? '', changedAt === null ? '' : <Time at={changedAt} />, note],
        ...(changes === null || changes.length === 0 ? {} : { detail: <Changes changes={changes} /> }),
      }))}
      empty="It was never changed."
    />
  </section>
);
