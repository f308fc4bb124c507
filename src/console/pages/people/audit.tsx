/** `/console/audit`: what operators did, newest first, with who and why. */
import type { FC } from 'hono/jsx';
import type { AuditEntry } from '../../../ops/directory/audit.ts';
import type { Page } from '../../page.ts';
import { CursorPager, Time } from '../../parts/basics.tsx';
import { cursorIn, type Filter, Filters, filtersSet } from '../../parts/filters.tsx';
import { Table } from '../../parts/table.tsx';
import type { ConsolePages } from '../../routes.ts';

export const auditPages: ConsolePages = { get: { '/audit': auditPage }, reads: ['GET /v1/ops/audit'] };

/** What each kind of action is called; an action of a kind that is not here shows its own name. */
const KINDS: Readonly<Record<string, string>> = {
  mapping: 'Mapping',
  code_list: 'Code list',
  request: 'Decision',
  replay: 'Replay',
  channel: 'Channel',
  feed: 'Order feed',
  order: 'Order',
  load: 'Load',
  webhook: 'Webhook',
  alert_webhook: 'Webhook for alerts',
  envelopes: 'Envelopes',
  answer_mapping: 'Answers',
  partner: 'Partner',
  key: 'Key of a partner',
  operator_key: 'Key of an operator',
  person: 'Person',
  issue: 'Issue',
  batch: 'Batch',
  batches: 'List of batches',
  upload_link: 'Upload link',
};

const FILTERS: readonly Filter[] = [
  { name: 'actor', label: 'Who' },
  { name: 'action', label: 'What', kind: 'choice', of: { '': 'Anything', ...KINDS } },
  { name: 'about', label: 'About' },
  { name: 'from', label: 'From (UTC)', kind: 'date' },
  { name: 'to', label: 'Before (UTC)', kind: 'date' },
];

async function auditPage(page: Page): Promise<Response> {
  const filters = filtersSet(
    page,
    FILTERS.map(({ name }) => name),
  );
  const cursor = page.query('cursor');
  const found = await page.api.call('GET /v1/ops/audit', {
    query: {
      ...filters,
      cursor,
    },
  });
  if (!found.ok) return page.refuse(found.error);
  const { entries, next } = found.value;
  const more = cursorIn(next);
  const isFiltered = Object.keys(filters).length > 0;
  return page.show({
    title: 'Audit',
    nav: 'audit',
    isWide: true,
    body: (
      <>
        <div class="heading">
          <div>
            <h1>Audit</h1>
            <p class="quiet">What people did, who it was, and why. Newest first.</p>
          </div>
        </div>
        <Filters page={page} path="/audit" filters={FILTERS} />
        <div class="audit">
          <Table
            caption="What people did, newest first"
            columns={[
              { label: 'When', kind: 'word' },
              { label: 'Who', kind: 'word' },
              { label: 'What', kind: 'main' },
              { label: 'Why', isMinor: true },
            ]}
            rows={entries.map((entry) => ({
              cells: [
                <Time at={entry.at} />,
                entry.actor,
                <>
                  {actionText(entry.action)} <About page={page} about={entry.about} />
                  <Detail detail={entry.detail} />
                </>,
                entry.why === '' ? <span class="quiet">no reason given</span> : entry.why,
              ],
            }))}
            empty={
              isFiltered
                ? 'Nothing like that was done. Change the filter, or clear it.'
                : 'No operator has changed anything yet. Publications, decisions, releases and keys appear here.'
            }
          />
        </div>
        <CursorPager page={page} path="/audit" filters={filters} next={more} nextLabel="Show older entries" />
      </>
    ),
  });
}

/** What was done, before the name of the thing. */
const DONE: Readonly<Record<string, string>> = {
  'mapping.publish': 'Published the mapping',
  'mapping.rollback': 'Rolled back the mapping',
  'mapping.owners': 'Set the owners of the mapping',
  'code_list.publish': 'Published the code list',
  'code_list.edit': 'Changed words of the code list',
  'code_list.rollback': 'Rolled back the code list',
  'mapping.publish_proposal': 'Published the proposed mapping',
  'mapping.decline_proposal': 'Declined the proposed mapping',
  'batch.cancel': 'Cancelled the batch',
  'batch.retry': 'Sent again what was not delivered of the batch',
  'request.decide': 'Decided about a row of',
  'request.decide_many': 'Decided about many rows:',
  'replay.begin': 'Sent rows again for',
  'replay.cancel': 'Stopped the replay',
  'channel.release': 'Released the channel',
  'channel.test': 'Tested the channel',
  'feed.set': 'Set the order feed of',
  'feed.poll': 'Asked for order news of',
  'feed.repair': 'Repaired the order feed of',
  'feed.skip': 'Skipped an order in the feed of',
  'feed.reread': 'Read an answer again in the feed of',
  'alert_webhook.set': 'Set the webhook for alerts',
  'alert_webhook.delete': 'Deleted the webhook for alerts',
  'alert_webhook.rotate': 'Renewed the secret of the webhook for alerts',
  'alert_webhook.test': 'Tested the webhook for alerts',
  'load.erase': 'Erased load',
  'order.erase': 'Erased order',
  'partner.erase': 'Erased partner',
  'load.export': 'Downloaded the record of load',
  'order.export': 'Downloaded the record of order',
  'partner.export': 'Downloaded the record of partner',
  'order.base': 'Loaded an order of',
  'upload_link.make': 'Made an upload link for',
  'upload_link.revoke': 'Revoked an upload link of',
  'webhook.set': 'Set a webhook of',
  'webhook.delete': 'Deleted a webhook of',
  'webhook.rotate': 'Renewed the secret of a webhook of',
  'webhook.send_again': 'Sent an event again to',
  'envelopes.set': 'Set the envelope rules of',
  'answer_mapping.set': 'Set how answers are read:',
  'partner.create': 'Added the partner',
  'partner.change': 'Changed the partner',
  'key.make': 'Made a key for',
  'key.rotate': 'Renewed a key of',
  'key.revoke': 'Revoked a key of',
  'operator_key.make': "Made an operator's key for",
  'operator_key.rotate': "Renewed an operator's key of",
  'operator_key.revoke': "Revoked an operator's key of",
  'person.invite': 'Invited',
  'person.change': 'Changed the role of',
  'person.remove': 'Removed',
  'person.link': 'Made a new sign-in link for',
  'person.password': 'Set the password of',
  'person.passkey.add': 'Added a passkey for',
  'person.passkey.remove': 'Removed a passkey of',
  'issue.acknowledge': 'Acknowledged the issue',
  'issue.mute': 'Muted the issue',
  'issue.resubmit': 'Sent the rows again of the issue',
  'issue.reopen': 'Opened the issue again:',
  'batches.reindex': 'Rebuilt the list of',
};

/** An action that has no words yet shows its kind and its name: `person.invite` → `Person: invite`. */
export function actionText(action: string): string {
  const [kind = '', what = ''] = action.split('.');
  return DONE[action] ?? (what === '' ? action : `${KINDS[kind] ?? kind}: ${what.replaceAll('_', ' ')}`);
}

/** Pages of what an entry can be about; the others are only named. */
const PAGES: Readonly<Record<string, string>> = {
  partner: '/partners',
  mapping: '/mappings',
  'code-list': '/code-lists',
  channel: '/channels',
  batch: '/batches',
  action: '/actions',
  issue: '/issues',
};

const About: FC<{ page: Page; about: string }> = ({ page, about }) => {
  const at = about.indexOf('/');
  const [kind, name] = [about.slice(0, Math.max(0, at)), about.slice(at + 1)];
  const path = PAGES[kind];
  if (path === undefined || name === '') return <strong>{name}</strong>;
  return <a href={page.at(`${path}/${encodeURIComponent(name)}`)}>{name}</a>;
};

/** Values that are short enough for a line; `by` is who, and said already. */
const Detail: FC<{ detail: AuditEntry['detail'] }> = ({ detail }) => {
  const shown = Object.entries(detail).filter(([name, value]) => name !== 'by' && value !== null);
  if (shown.length === 0) return null;
  return (
    <details class="more beside">
      <summary>Details</summary>
      <dl class="facts">
        {shown.map(([name, value]) => (
          <div>
            <dt>{name}</dt>
            <dd>
              <code>{typeof value === 'string' ? value : JSON.stringify(value)}</code>
            </dd>
          </div>
        ))}
      </dl>
    </details>
  );
};
