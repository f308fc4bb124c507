/** `/console/partners/{name}/links`: links that let somebody without a key send files for a partner. */
import type { Answered } from '../../../http/contract/contract.ts';
import { UPLOAD_LINK_DAYS } from '../../../ops/directory/limits.ts';
import { type Action, action, type Field, type Values, WHY } from '../../actions.ts';
import type { Page } from '../../page.ts';
import { exactTime, type Look, State, Time } from '../../parts/basics.tsx';
import { Crumbs } from '../../parts/crumbs.tsx';
import { Table } from '../../parts/table.tsx';
import type { ConsolePages } from '../../routes.ts';

const pathOf = ({ partner = '' }: Values) => ({ name: partner });
const pageOf = ({ partner = '' }: Values): string => `/partners/${encodeURIComponent(partner)}/links`;
const PARTNER: Field = { name: 'partner', label: 'Partner', kind: 'hidden', isRequired: true };
const LINK: Field = { name: 'link', label: 'Link', kind: 'hidden', isRequired: true };

const kindsText = (mappings: readonly string[] | null): string => mappings?.join(', ') ?? 'all kinds of file';

const ACTIONS: readonly Action[] = [
  action({
    name: 'make-upload-link',
    route: 'POST /v1/ops/partners/{name}/upload-links',
    role: 'operator',
    title: ({ partner = 'a partner' }) => `Make an upload link for ${partner}`,
    explain:
      'Whoever has the link may send files for the partner, and see and correct what became of those files. Nothing else.',
    fields: [
      PARTNER,
      {
        name: 'mappings',
        label: 'Mappings',
        kind: 'text',
        hint: 'Separated by commas. If empty, all of the partner.',
      },
      {
        ...{ name: 'days', label: 'Days until it ends', kind: 'number', isRequired: true },
        ...{ value: String(UPLOAD_LINK_DAYS.usual), hint: `From 1 to ${UPLOAD_LINK_DAYS.most}.` },
      },
      { ...WHY, label: 'Who gets it, and why' },
    ],
    button: 'Make the link',
    call: (values) => {
      const mappings = (values.mappings ?? '').split(/[\s,]+/).filter((each) => each !== '');
      const body = { mappings: mappings.length === 0 ? null : mappings, days: Number(values.days), why: values.why };
      return { path: pathOf(values), body };
    },
    plan: ({ endsAt, mappings, scacs }) => ({
      lines: [
        `It is for ${kindsText(mappings)}, as ${scacs.join(', ')}, and ends on ${exactTime(endsAt)}.`,
        'The link is shown once. Whoever has it can use it: send it to one person, and take it back when it is not needed.',
      ],
      button: 'Make 1 link',
    }),
    done: ({ endsAt, link = '' }, values, page) => ({
      title: `The upload link of ${values.partner ?? 'the partner'}`,
      lines: [`It ends on ${exactTime(endsAt ?? '')}. It cannot be looked up later; it can be taken back at any time.`],
      secret: { label: 'The link', value: link },
      back: page.at(pageOf(values)),
    }),
  }),
  action({
    name: 'revoke-upload-link',
    route: 'POST /v1/ops/partners/{name}/upload-links/{link}/revoke',
    role: 'operator',
    title: ({ partner = 'a partner' }) => `Take an upload link of ${partner} back`,
    explain: 'It opens nothing any more, and whoever is on its page is signed out at once. What was sent is delivered.',
    fields: [PARTNER, LINK, WHY],
    button: 'Take it back',
    isDangerous: true,
    plansAtOnce: true,
    call: (values) => ({
      path: { ...pathOf(values), link: values.link ?? '' },
      body: { why: values.why },
    }),
    plan: ({ note, openedAt, state }) =>
      state === 'open'
        ? {
            lines: [
              `It was made for: ${note}.`,
              openedAt === null ? 'Nobody has opened it.' : `It was last opened on ${exactTime(openedAt)}.`,
            ],
            button: 'Take 1 link back',
            look: 'bad',
          }
        : { lines: ['It has ended already, or was taken back.'], button: '', isEmpty: true },
    done: (_, values, page) => ({ goTo: page.at(pageOf(values)) }),
  }),
];

type UploadLink = Answered<'GET /v1/ops/partners/{name}/upload-links'>['links'][number];

export const uploadLinkPages: ConsolePages = {
  get: { '/partners/:name/links': linksPage },
  reads: ['GET /v1/ops/partners/{name}', 'GET /v1/ops/partners/{name}/upload-links'],
  actions: ACTIONS,
};

const STATES: Record<UploadLink['state'], [label: string, look: Look]> = {
  open: ['Usable', 'good'],
  ended: ['Ended', 'done'],
  revoked: ['Taken back', 'done'],
};

async function linksPage(page: Page): Promise<Response> {
  const partner = page.context.req.param('name') ?? '';
  const path = { name: partner };
  const [known, found] = await Promise.all([
    page.api.call('GET /v1/ops/partners/{name}', { path }),
    page.api.call('GET /v1/ops/partners/{name}/upload-links', { path }),
  ]);
  if (!known.ok) return page.refuse(known.error);
  if (!found.ok) return page.refuse(found.error);
  const hasChannel = known.value.channel !== null;
  const from = page.at(pageOf({ partner }));
  const may = page.mayActAs('operator');
  return page.show({
    title: `Upload links of ${partner}`,
    nav: 'partners',
    isWide: true,
    body: (
      <>
        <Crumbs
          to={[
            ['Partners', page.at('/partners')],
            [partner, page.at(`/partners/${encodeURIComponent(partner)}`)],
          ]}
        />
        <div class="heading">
          <h1>Upload links of {partner}</h1>
          {may && hasChannel ? (
            <a class="button primary" href={page.at('/do/make-upload-link', { partner, from })}>
              Make a link…
            </a>
          ) : null}
        </div>
        <p class="quiet">
          For a clerk without a key: a link opens the upload page for at most {UPLOAD_LINK_DAYS.most} days.
        </p>
        <Table
          caption="Upload links, newest first"
          columns={[
            { label: 'For', kind: 'main' },
            { label: 'State', kind: 'word' },
            { label: 'Mappings' },
            { label: 'Made by' },
            { label: 'Ends', kind: 'word' },
            { label: 'Last opened', kind: 'word' },
            { label: '', kind: 'word' },
          ]}
          rows={found.value.links.map(({ linkId, note, state, mappings, madeBy, endsAt, openedAt }) => ({
            cells: [
              note,
              <State look={STATES[state][1]}>{STATES[state][0]}</State>,
              <span class="wraps">{mappings?.join(', ') ?? 'all'}</span>,
              madeBy,
              <Time at={endsAt} />,
              <Time at={openedAt} />,
              may && state === 'open' ? (
                <a href={page.at('/do/revoke-upload-link', { partner, link: linkId, from })}>Take back…</a>
              ) : (
                ''
              ),
            ],
          }))}
          empty={
            hasChannel
              ? 'There is no upload link. Make one for somebody who has a file and no key.'
              : 'There is no upload link, and none can be made: the partner has no channel in this environment.'
          }
        />
      </>
    ),
  });
}
