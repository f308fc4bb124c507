/** `/console/proposals`: mappings that partners propose. A partner sees its own and what became of them; an operator decides. */
import type { FC } from 'hono/jsx';
import type { Answered } from '../../../http/contract/contract.ts';
import { action, type Field, type Values, WHY } from '../../actions.ts';
import type { Page } from '../../page.ts';
import { Fact, Facts, Note, State, Time } from '../../parts/basics.tsx';
import { Crumbs } from '../../parts/crumbs.tsx';
import { SourceText } from '../../parts/source-text.tsx';
import { Table } from '../../parts/table.tsx';
import type { ConsolePages } from '../../routes.ts';
import { changePlan } from '../mappings/versions.tsx';

type Proposal = Answered<'GET /v1/mapping-proposals/{id}'>;

const STATES = {
  open: { look: 'wait', text: 'waits for an operator' },
  published: { look: 'good', text: 'published' },
  declined: { look: 'bad', text: 'declined' },
  withdrawn: { look: 'done', text: 'withdrawn' },
} as const;

const pathOf = ({ id = '' }: Values) => ({ id });
const ID_HIDDEN: Field = { name: 'id', label: 'Proposal', kind: 'hidden', isRequired: true };

/** With the version that the plan shows, so that nobody's change in between is overwritten. */
async function publishFields({ name = '' }: Values, page: Page): Promise<readonly Field[]> {
  const now = name === '' ? null : await page.api.call('GET /v1/ops/mappings/{name}', { path: { name } });
  const seen = now?.ok ? now.value.sha256 : '';
  return [ID_HIDDEN, { name: 'seen', label: 'Version seen', kind: 'hidden', value: seen }, WHY];
}

const publish = action({
  name: 'publish-proposal',
  route: 'POST /v1/ops/mapping-proposals/{id}/publish',
  role: 'operator',
  title: ({ name = 'a proposed mapping' }) => `Publish ${name} as proposed`,
  explain: 'New files are read with it from then on. A new mapping is for the partner that proposed it.',
  fields: publishFields,
  button: 'Publish',
  call: ({ seen = '', why, ...values }) => ({
    ...{ path: pathOf(values), body: { why } },
    ...(seen === '' ? {} : { ifMatch: seen }),
  }),
  plan: (answer) => changePlan(answer, 'Publish as proposed'),
  plansAtOnce: true,
  done: ({ name }, _, page) => ({ goTo: page.at(`/mappings/${name}`) }),
});

const decline = action({
  name: 'decline-proposal',
  route: 'POST /v1/ops/mapping-proposals/{id}/decline',
  role: 'operator',
  title: ({ name = 'a proposed mapping' }) => `Decline ${name}`,
  explain: 'Nothing is published. The partner reads your reason.',
  fields: [ID_HIDDEN, { ...WHY, hint: 'The partner reads it. Say what to change.' }],
  button: 'Decline',
  call: (values) => ({ path: pathOf(values), body: { why: values.why } }),
  done: (_, { id }, page) => ({ goTo: page.at(`/proposals/${id}`) }),
});

const withdraw = action({
  name: 'withdraw-proposal',
  route: 'POST /v1/mapping-proposals/{id}/withdraw',
  role: 'partner',
  title: ({ name = 'a proposed mapping' }) => `Take ${name} back`,
  explain: 'No operator will look at it any more. You can propose it again.',
  fields: [ID_HIDDEN],
  button: 'Take it back',
  call: (values) => ({ path: pathOf(values) }),
  done: (_, { id }, page) => ({ goTo: page.at(`/proposals/${id}`) }),
});

/** The workbench hands over its document. @property codeLists their texts as JSON. */
export const PROPOSE_MAPPING = action({
  name: 'propose-mapping',
  route: 'POST /v1/mapping-proposals',
  role: 'partner',
  title: ({ name = '' }) => (name === '' ? 'Propose a mapping' : `Propose ${name}`),
  explain: 'An operator looks at it and publishes it, or says what to change. Until then nothing is read with it.',
  fields: [
    { name: 'name', label: 'Name', kind: 'text', isRequired: true, hint: 'As inside the document.' },
    { name: 'document', label: 'Document (YAML)', kind: 'document', isRequired: true },
    { name: 'note', label: 'What it is for', kind: 'text', isRequired: true, hint: 'An operator reads it.' },
  ],
  button: 'Propose it',
  call: ({ name, document, note, codeLists = '[]' }) => ({
    body: { name, mapping: document, note, codeLists: JSON.parse(codeLists) },
  }),
  done: ({ id }, _, page) => ({ goTo: page.at(`/proposals/${id}`) }),
});

export const proposalPages: ConsolePages = {
  get: { '/proposals': listPage, '/proposals/:id': proposalPage },
  reads: ['GET /v1/ops/mapping-proposals', 'GET /v1/ops/mapping-proposals/{id}'],
  actions: [publish, decline, PROPOSE_MAPPING, withdraw],
};

async function listPage(page: Page): Promise<Response> {
  const found = await page.api.call(page.own('GET /v1/mapping-proposals'));
  if (!found.ok) return page.refuse(found.error);
  const open = found.value.proposals.filter(({ state }) => state === 'open').length;
  return page.show({
    title: page.isOps && open > 0 ? `Proposals – ${open} to decide` : 'Proposals',
    nav: 'proposals',
    isWide: true,
    body: (
      <>
        <h1>Proposals</h1>
        <p class="quiet">
          {page.isOps
            ? 'Mappings that partners wrote. Nothing is read with them until you publish.'
            : 'Mappings that you proposed. An operator publishes them, or says what to change.'}
        </p>
        <Table
          caption="Proposed mappings, those to decide first"
          columns={[
            { label: 'Mapping', kind: 'main' },
            ...(page.isOps ? [{ label: 'From' } as const] : []),
            { label: 'For' },
            { label: 'State', kind: 'word' },
            { label: 'Proposed', kind: 'word' },
          ]}
          rows={found.value.proposals.map(({ id, name, partner, note, state, proposedAt }) => {
            const href = page.at(`/proposals/${id}`);
            return {
              href,
              cells: [
                <a href={href}>{name}</a>,
                ...(page.isOps ? [partner] : []),
                note,
                <State look={STATES[state].look}>{STATES[state].text}</State>,
                <Time at={proposedAt} />,
              ],
            };
          })}
          empty={
            page.isOps
              ? 'No partner has proposed a mapping yet.'
              : 'You have proposed nothing yet. Write a mapping in the workbench, and propose it there.'
          }
        />
        {found.value.isCut ? <p class="quiet">Older ones that are decided are not listed.</p> : null}
      </>
    ),
  });
}

async function proposalPage(page: Page): Promise<Response> {
  const id = page.context.req.param('id') ?? '';
  const found = await page.api.call(page.own('GET /v1/mapping-proposals/{id}'), { path: { id } });
  if (!found.ok) return page.refuse(found.error);
  const proposal = found.value;
  return page.show({
    title: `${proposal.name} – ${STATES[proposal.state].text}`,
    nav: 'proposals',
    isWide: true,
    body: (
      <>
        <Crumbs to={[['Proposals', page.at('/proposals')]]} />
        <Head page={page} proposal={proposal} />
        <section>
          <h2>Document</h2>
          <SourceText text={proposal.mapping} label={`Document of ${proposal.name}`} />
        </section>
        {proposal.codeLists.map((list, index) => (
          <section>
            <h2>{`Code list ${index + 1}`}</h2>
            <p class="quiet">
              {page.isOps ? 'Publish it first if the mapping uses it: open the proposal in the workbench.' : ''}
            </p>
            <SourceText text={list} label={`Code list ${index + 1}`} />
          </section>
        ))}
      </>
    ),
  });
}

const Head: FC<{ page: Page; proposal: Proposal }> = ({ page, proposal }) => {
  const { id, name, partner, note, state, proposedAt, decidedBy, decidedAt, reason } = proposal;
  return (
    <>
      <div class="heading">
        <div>
          <h1>{name}</h1>
          <p>{note}</p>
        </div>
        <div class="actions">
          <a class="button" href={page.at('/workbench', { proposal: id })}>
            Open in the workbench
          </a>
          {!page.isOps && state === 'open' ? (
            <a class="button" href={page.at('/do/withdraw-proposal', { id, name })}>
              Take it back…
            </a>
          ) : null}
          {page.mayActAs('operator') && state === 'open' ? (
            <>
              <a class="button primary" href={page.at('/do/publish-proposal', { id, name })}>
                Publish…
              </a>
              <a class="button danger" href={page.at('/do/decline-proposal', { id, name })}>
                Decline…
              </a>
            </>
          ) : null}
        </div>
      </div>
      {reason === null || reason === '' ? null : (
        <Note look={STATES[state].look}>
          <strong>{`${decidedBy} ${state === 'declined' ? 'declined it' : 'published it'}.`}</strong> {reason}
        </Note>
      )}
      <Facts>
        <Fact name="State">
          <State look={STATES[state].look}>{STATES[state].text}</State>
        </Fact>
        <Fact name="Proposed by">
          {partner} <Time at={proposedAt} />
        </Fact>
        {decidedAt === null ? null : (
          <Fact name="Decided">
            {decidedBy} <Time at={decidedAt} />
          </Fact>
        )}
      </Facts>
    </>
  );
};
