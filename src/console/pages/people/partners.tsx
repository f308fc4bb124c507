/** `/console/partners`: the partners and their keys; `/console/operator-keys`: keys of operators. */
import type { Child, FC } from 'hono/jsx';
import type { PartnerView } from '../../../http/ops/partners.ts';
import type { OpsKeyView, PartnerKeyView } from '../../../http/ops/views/keys.ts';
import { type KeyState, WORKING_STATES } from '../../../ops/directory/issued-keys.ts';
import type { Page } from '../../page.ts';
import { CursorPager, countOf, Fact, Facts, Id, type Look, Note, State, Time } from '../../parts/basics.tsx';
import { Crumbs } from '../../parts/crumbs.tsx';
import { cursorIn } from '../../parts/filters.tsx';
import { EraseLink, RECORD_FILE, RecordLink } from '../../parts/record-link.tsx';
import { Table } from '../../parts/table.tsx';
import type { ConsolePages } from '../../routes.ts';
import { OPERATOR_KEY_ACTIONS, PARTNER_ACTIONS } from './key-actions.ts';
import { beyondText } from './people.tsx';

export const partnerPages: ConsolePages = {
  get: { '/partners': partnersPage, '/partners/:name': partnerPage, '/operator-keys': operatorKeysPage },
  reads: [
    'GET /v1/ops/partners',
    'GET /v1/ops/partners/{name}',
    'GET /v1/ops/partners/{name}/keys',
    'GET /v1/ops/operator-keys',
  ],
  actions: [...PARTNER_ACTIONS, ...OPERATOR_KEY_ACTIONS],
};

async function partnersPage(page: Page): Promise<Response> {
  const after = page.query('after');
  const found = await page.api.call('GET /v1/ops/partners', { query: { after } });
  if (!found.ok) return page.refuse(found.error);
  const { partners, next } = found.value;
  const more = cursorIn(next, 'after');
  return page.show({
    title: 'Partners',
    nav: 'partners',
    isWide: true,
    body: (
      <>
        <div class="heading">
          <h1>Partners and keys</h1>
          <p class="actions">
            <a href={page.at('/operator-keys')}>Show the keys of operators</a>
            {page.mayActAs('admin') ? (
              <a class="button primary" href={page.at('/do/create-partner', { from: page.at('/partners') })}>
                Make a partner…
              </a>
            ) : null}
          </p>
        </div>
        <Table
          caption="Partners by name"
          columns={[
            { label: 'Partner', kind: 'main' },
            { label: 'Channel', kind: 'word' },
            { label: 'Keys' },
            { label: 'Next end', kind: 'word' },
            { label: 'Last used', kind: 'word' },
            { label: 'State' },
          ]}
          rows={partners.map((partner) => partnerRow(page, partner))}
          empty="There is no partner yet. Make one, then a key for it."
        />
        <CursorPager page={page} path="/partners" name="after" next={more} nextLabel="Show more partners" />
      </>
    ),
  });
}

function partnerRow(page: Page, partner: PartnerView) {
  const href = page.at(`/partners/${encodeURIComponent(partner.name)}`);
  const { live, nextEnd, lastUsedAt } = partner.keys;
  return {
    href,
    cells: [
      <>
        <a href={href}>{partner.displayName}</a>{' '}
        {partner.displayName === partner.name ? null : <span class="quiet">{partner.name}</span>}
      </>,
      partner.channel ?? <span class="quiet">none here</span>,
      live === 0 ? <span class="quiet">no key works</span> : countOf(live, 'key'),
      nextEnd === null ? <span class="quiet">{live === 0 ? '' : 'never'}</span> : <Time at={nextEnd} />,
      <Time at={lastUsedAt} />,
      <PartnerState partner={partner} />,
    ],
  };
}

const PartnerState: FC<{ partner: PartnerView }> = ({ partner: { enabled, channel, keys } }) => {
  if (!enabled) return <State look="bad">Switched off</State>;
  if (channel === null) return <State look="done">Not in this environment</State>;
  return keys.live === 0 ? <State look="wait">Needs a key</State> : <State look="good">Allowed</State>;
};

async function partnerPage(page: Page): Promise<Response> {
  const name = page.context.req.param('name') ?? '';
  const [partner, keys] = await Promise.all([
    page.api.call('GET /v1/ops/partners/{name}', { path: { name } }),
    page.api.call('GET /v1/ops/partners/{name}/keys', { path: { name } }),
  ]);
  if (!partner.ok) return page.refuse(partner.error);
  if (!keys.ok) return page.refuse(keys.error);
  const found = partner.value;
  const isHere = found.channel !== null || keys.value.keys.length > 0;
  return page.show({
    title: found.displayName,
    nav: 'partners',
    isWide: true,
    body: (
      <>
        <Crumbs to={[['Partners', page.at('/partners')]]} />
        <div class="heading">
          <div>
            <h1>{found.displayName}</h1>
            <p class="quiet">
              {found.name} · known since <Time at={found.createdAt} />
            </p>
          </div>
          <PartnerButtons page={page} partner={found} />
        </div>
        <Facts>
          <Fact name="State">
            <PartnerState partner={found} />
          </Fact>
          <Fact name={`Channel (${page.environment})`}>
            {found.channel === null ? (
              'none yet'
            ) : (
              <a href={page.at(`/channels/${encodeURIComponent(found.channel)}`)}>{found.channel}</a>
            )}
          </Fact>
          <Fact name="Allowed web pages">{found.origins.length === 0 ? 'none' : found.origins.join(', ')}</Fact>
          <Fact name="Last used">
            <Time at={found.keys.lastUsedAt} />
          </Fact>
        </Facts>
        <PartnerKeys page={page} partner={found} keys={keys.value.keys} />
        <section>
          <h2>Pages about this partner</h2>
          {isHere ? null : <p class="quiet">It is not in this environment.</p>}
          <ul class="links">
            {linksOf(page, found.name, isHere).map(([label, href]) => (
              <li>
                <a href={href}>{label}</a>
              </li>
            ))}
          </ul>
        </section>
      </>
    ),
  });
}

/** @param isHere it has a channel in the environment, or ever had a key: of another one the others know nothing. */
const linksOf = (page: Page, partner: string, isHere: boolean): [label: string, href: string][] => [
  ['Batches', page.at('/batches', { partner })],
  ...(isHere ? linksHere(page, partner) : []),
  ['What was changed, by whom', page.at('/audit', { about: `partner/${partner}` })],
];

const linksHere = (page: Page, partner: string): [label: string, href: string][] => [
  ['Rows held for a decision', page.at('/holds', { partner })],
  ['Orders', page.at('/orders', { partner })],
  ['Order feed', page.at(`/feeds/${encodeURIComponent(partner)}`)],
  ['Webhooks', page.at('/webhooks', { partner })],
  ['Upload links, for somebody without a key', page.at(`/partners/${encodeURIComponent(partner)}/links`)],
  ['Envelope rules for X12 and EDIFACT', page.at(`/partners/${encodeURIComponent(partner)}/envelopes`)],
];

const PartnerButtons: FC<{ page: Page; partner: PartnerView }> = ({ page, partner }) => (
  <p class="actions">
    <AdminButtons page={page} partner={partner} />
    <RecordLink page={page} href={page.at(`/partners/${encodeURIComponent(partner.name)}${RECORD_FILE}`)} />
    <EraseLink page={page} action="erase-partner" values={{ partner: partner.name }} />
  </p>
);

const AdminButtons: FC<{ page: Page; partner: PartnerView }> = ({ page, partner }) => {
  if (!page.mayActAs('admin')) return null;
  const { name, displayName, channel, enabled, origins } = partner;
  const from = page.at(`/partners/${encodeURIComponent(name)}`);
  return (
    <>
      <a class="button" href={page.at('/do/change-partner', { partner: name, displayName, channel, from })}>
        Change…
      </a>
      <a class="button" href={page.at('/do/set-origins', { partner: name, origins: origins.join(', '), from })}>
        Allowed web pages…
      </a>
      <a class="button" href={page.at('/do/switch-partner', { partner: name, enabled: !enabled, from })}>
        {enabled ? 'Switch off…' : 'Allow again…'}
      </a>
    </>
  );
};

const PartnerKeys: FC<{ page: Page; partner: PartnerView; keys: readonly PartnerKeyView[] }> = ({
  page,
  partner: { name, channel },
  keys,
}) => {
  const from = page.at(`/partners/${encodeURIComponent(name)}`);
  return (
    <section>
      <div class="heading">
        <h2>Keys for {page.environment}</h2>
        {page.mayActAs('admin') && channel !== null ? (
          <a class="button primary" href={page.at('/do/make-key', { partner: name, from })}>
            Make a key…
          </a>
        ) : null}
      </div>
      <Table
        caption={`Keys for ${page.environment}, newest first`}
        columns={[
          { label: 'Key', kind: 'main' },
          { label: 'Carriers' },
          { label: 'Kinds of file' },
          { label: 'Ends', kind: 'word' },
          { label: 'Last used', kind: 'word' },
          { label: 'State' },
          { label: '', kind: 'word' },
        ]}
        rows={keys.map((key) => ({
          cells: [
            <KeyId view={key} />,
            key.scacs.join(', '),
            <span class="wraps">{key.mappings?.join(', ') ?? 'all'}</span>,
            ...keyTimes(key),
            <KeyButtons page={page} view={key} names={['rotate-key', 'revoke-key']} more={{ partner: name, from }} />,
          ],
        }))}
        empty={
          channel === null
            ? 'The partner has no channel in this environment. Change it first, then make a key.'
            : 'No key yet. Make one, and hand it to the partner: with it files are sent.'
        }
      />
    </section>
  );
};

const KEY_STATES: Record<KeyState, [Look, string, string]> = {
  live: ['good', 'Works', 'It works.'],
  ending: ['wait', 'Ends soon', 'It ends within two weeks. Renew it and hand the new one over.'],
  replaced: ['wait', 'Renewed', 'Another key took its place; it works until its end.'],
  ended: ['done', 'Ended', 'Its time is over.'],
  revoked: ['bad', 'Revoked', 'An administrator ended it.'],
};

const KeyId: FC<{ view: PartnerKeyView | OpsKeyView; children?: Child }> = ({ view, children }) => (
  <>
    {children} <Id id={view.keyId} />
    <br />
    <span class="quiet">
      made <Time at={view.createdAt} />
    </span>
  </>
);

function keyTimes(view: PartnerKeyView | OpsKeyView): Child[] {
  const [look, label, meaning] = KEY_STATES[view.state];
  const end = view.revokedAt ?? view.expiresAt;
  return [
    end === null ? 'never' : <Time at={end} />,
    <Time at={view.lastUsedAt} />,
    <State look={look} title={meaning}>
      {label}
    </State>,
  ];
}

const KeyButtons: FC<{
  page: Page;
  view: PartnerKeyView | OpsKeyView;
  names: readonly [rotate: string, revoke: string];
  more: Record<string, string>;
}> = ({ page, view, names: [rotate, revoke], more }) => {
  const { keyId, state } = view;
  if (!page.mayActAs('admin') || !WORKING_STATES.has(state)) return null;
  const beyond = 'environments' in view ? beyondText(page, view.environments) : null;
  if (beyond !== null) return <span class="quiet">{beyond}</span>;
  return (
    <>
      {state === 'replaced' ? null : (
        <a class="button" href={page.at(`/do/${rotate}`, { keyId, ...more })} aria-label={`Renew ${keyId}`}>
          Renew…
        </a>
      )}{' '}
      <a class="button" href={page.at(`/do/${revoke}`, { keyId, ...more })} aria-label={`Revoke ${keyId}`}>
        Revoke…
      </a>
    </>
  );
};

async function operatorKeysPage(page: Page): Promise<Response> {
  const found = await page.api.call('GET /v1/ops/operator-keys');
  if (!found.ok) return page.refuse(found.error);
  const from = page.at('/operator-keys');
  const { visitor } = page.session;
  const own = visitor.kind === 'operator' ? visitor.operator.keyId : '';
  return page.show({
    title: 'Keys of operators',
    nav: 'partners',
    isWide: true,
    body: (
      <>
        <Crumbs to={[['Partners', page.at('/partners')]]} />
        <div class="heading">
          <div>
            <h1>Keys of operators</h1>
            <p class="quiet">For programs and scripts. Whoever uses one is in the audit under its name.</p>
          </div>
          {page.mayActAs('admin') ? (
            <a class="button primary" href={page.at('/do/make-operator-key', { from })}>
              Make a key…
            </a>
          ) : null}
        </div>
        {found.value.keys.some(({ keyId }) => keyId === own) ? (
          <Note>You are signed in with one of these keys. Revoke it, and this session ends.</Note>
        ) : null}
        <Table
          caption="Keys of operators, by name"
          columns={[
            { label: 'Name', kind: 'main' },
            { label: 'Role', kind: 'word' },
            { label: 'Environments', kind: 'word' },
            { label: 'Ends', kind: 'word' },
            { label: 'Last used', kind: 'word' },
            { label: 'State' },
            { label: '', kind: 'word' },
          ]}
          rows={found.value.keys.map((key) => ({
            cells: [
              <KeyId view={key}>
                <strong>{key.name}</strong>
                {key.keyId === own ? ' (yours)' : ''}
              </KeyId>,
              key.role,
              key.environments.join(', '),
              ...keyTimes(key),
              <KeyButtons
                page={page}
                view={key}
                names={['rotate-operator-key', 'revoke-operator-key']}
                more={{ from }}
              />,
            ],
          }))}
        />
      </>
    ),
  });
}
