/** What is asked about the things of partner A, and what tells a refusal from nothing there; for the tests of who may what. */
import { env } from 'cloudflare:workers';

export type Known = Readonly<Record<string, string>>;

/** @param template with its parameters as `{name}`. @param stranger stands for every id of the path: nobody has such a thing. */
export function addressOf(known: Known, template: string, stranger?: (id: string) => string): string {
  const parts = template.split('/');
  const id = template.endsWith('{id}/acknowledgment') ? known.edi : known['messages/id'];
  const own: Readonly<Record<string, string | undefined>> = /\{id\}\/(?:acknowledgment$|messages\/\{message\})/.test(
    template,
  )
    ? { 'batches/id': id }
    : {};
  return parts
    .map((part, at) => {
      const parameter = /^\{(\w+)\}$/.exec(part)?.[1];
      if (parameter === undefined) return part;
      const value =
        own[`${parts[at - 1]}/${parameter}`] ?? known[`${parts[at - 1]}/${parameter}`] ?? known[parameter] ?? '';
      return encodeURIComponent(stranger === undefined ? value : stranger(value));
    })
    .join('/');
}

/** Of the same form, and nobody's. Numbers within a thing stay. */
export const notThere = (id: string): string =>
  id.length <= 3
    ? id
    : `${id.slice(0, -1)}${id.endsWith('0') ? '1' : /\d$/.test(id) ? '0' : id.endsWith('a') ? 'b' : 'a'}`;

/** Whatever the caller itself said is taken out. */
export const without = (text: string, said: readonly string[]): string =>
  said.filter((each) => each.length > 3).reduce((left, each) => left.replaceAll(each, '…'), text);

const TABLES = [
  ...['partner', 'partner_key', 'partner_channel', 'partner_envelope', 'partner_webhook', 'alert_webhook'],
  ...['order_feed', 'upload_link'],
  ...['person', 'ops_key', 'mapping_proposal', 'publication', 'publication_current', 'mapping_owner'],
];

/** All that the directory holds; times at which somebody was there are left out. */
export async function directoryNow(): Promise<string[]> {
  const rows = await env.DIRECTORY.batch(TABLES.map((table) => env.DIRECTORY.prepare(`SELECT * FROM ${table}`)));
  return rows.map(({ results }, at) =>
    `${TABLES[at]} ${JSON.stringify(results)}`.replace(/"last_(?:used_at|seen_at_ms)":(?:"[^"]*"|\d+|null)/g, ''),
  );
}

/** Whoever may is told that the thing is in no state for it. */
export const OUT_OF_STATE: Readonly<Record<string, string>> = {
  'POST /v1/batches/{id}/cancel': 'batch_settled',
  'POST /v1/ops/batches/{id}/cancel': 'batch_settled',
  'GET /v1/messages/{id}/{message}/acknowledgment': 'acknowledgment_not_offered',
  'GET /v1/ops/batches/{id}/messages/{message}/acknowledgment': 'acknowledgment_not_offered',
  'POST /v1/mapping-proposals/{id}/withdraw': 'proposal_decided',
  'PUT /v1/ops/orders/{name}/{ref}/base': 'base_known',
  'GET /v1/ops/actions/{id}/requests': 'action_unknown',
  'GET /v1/ops/mappings/{name}/diff': 'unknown_version',
  'POST /v1/ops/mappings/{name}/rollback': 'unknown_version',
  'POST /v1/ops/partners/{name}/keys': 'too_many_keys',
  'POST /v1/ops/letters/{batch}/{record}/{request}/decisions': 'not_held',
};
