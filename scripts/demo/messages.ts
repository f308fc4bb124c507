/** What the demo says: what became of the rows, and what to try next. Pure. */
import type { BatchRow } from '../../src/batch/report/summary.ts';
import { ENDPOINTS } from '../../src/upstream/contracts/endpoints.ts';
import type { LoggedEvent } from '../lives/followed-orders.ts';
import type { JournalEntry } from '../local/stack.ts';
import type { SeenBatch } from './partner.ts';

/** e.g. `  SO-2001  picked_up  2026-03-02T08:00:00Z` */
export const statusLine = ({ orderRef, code, at }: LoggedEvent): string => `  ${orderRef}  ${code}  ${at}`;

export function wrongRows(batch: SeenBatch, rows: readonly BatchRow[]): string {
  if (rows.length === 0) return `\n${batch.file}: no wrong rows.`;
  const lines = rows.flatMap((row) => {
    const at = `  row ${row.record} (line ${row.position.line})`;
    const problems = row.errors.map(
      ({ code, path, message, fix }) => `${at} ${code}${path === '' ? '' : ` in ${path}`}: ${message}\n      → ${fix}`,
    );
    const refusals = row.requests
      .filter(({ state }) => state !== 'delivered')
      .map(({ state, status, answer }) => `${at} ${state}, status ${status ?? '–'}: ${answer ?? ''}`);
    return [...problems, ...refusals];
  });
  return `\n${batch.file}: rows to correct\n${lines.join('\n')}`;
}

interface ShownDemo {
  bridgeUrl: string;
  /** Where a browser opens the pages; link: the path that signs in once. */
  consoleUrl: string;
  link: string;
  sandboxUrl: string;
  keys: ReadonlyMap<string, string>;
  operatorKey: string;
  batches: readonly SeenBatch[];
  /** Of the partner whose orders are followed; '': none was heard of. */
  orderRef: string;
  /** Of the file with all that is not shown, and of the folder with the profiles of the command, as a shell has them. */
  storyPath: string;
  profilesFolder: string;
}

const commandLine = (folder: string, args: string): string =>
  `  XDG_CONFIG_HOME=${folder} npm run --silent transload -- ${args}`;

/** What stays on the screen. */
export function invitation({
  consoleUrl,
  link,
  keys,
  operatorKey,
  bridgeUrl,
  orderRef,
  storyPath,
  profilesFolder,
}: ShownDemo): string {
  const shown = [...keys, ['operator', operatorKey] as const].map(([who, key]) => `  ${who.padEnd(13)} ${key}`);
  const carrier = keys.get('demo-carrier') ?? '';
  return [
    `Every file, the rows to correct, and more to try: ${storyPath}`,
    '',
    `Console, signed in once by this link: ${consoleUrl}${link}`,
    ...shown,
    '',
    'Try: send a file with wrong rows; the same with curl; see what became of an order',
    commandLine(profilesFolder, 'upload fixtures/carrier-status-csv/mixed/input.csv -m carrier-status-csv --watch'),
    `  curl -T fixtures/carrier-status-csv/clean/input.csv -u any:${carrier} "${bridgeUrl}/v1/batches?mapping=carrier-status-csv"`,
    commandLine(profilesFolder, `orders ${orderRef} --profile acme-freight`),
    'Running. Press Ctrl-C to stop.',
  ].join('\n');
}

/** Everything else to try, for the file. */
export function curlLines(shown: ShownDemo): string {
  const { bridgeUrl, consoleUrl, sandboxUrl, keys, operatorKey, batches, orderRef, profilesFolder } = shown;
  const key = keys.get('demo-carrier') ?? '';
  const shipper = keys.get('acme-freight') ?? '';
  const own = batches.filter(({ partner }) => partner === 'demo-carrier');
  const last = own.at(-1)?.batchId ?? '';
  const bearer = `-H "Authorization: Bearer ${key}"`;
  return `
As a partner, in another browser window of its own: sign in with a key
  ${consoleUrl}/console

Try
  curl -T fixtures/carrier-status-csv/mixed/input.csv ${bearer} "${bridgeUrl}/v1/batches?mapping=carrier-status-csv"
  cat fixtures/carrier-events-ndjson/clean/input.ndjson | curl -T - ${bearer} "${bridgeUrl}/v1/batches?mapping=carrier-events-ndjson"
  curl --data-binary @fixtures/carrier-status-csv/clean/input.csv ${bearer} "${bridgeUrl}/v1/batches?mapping=carrier-status-csv"
  curl -u any:${key} "${bridgeUrl}/v1/batches"
  curl -u any:${key} "${bridgeUrl}/v1/batches/${last}"
  curl -u any:${key} "${bridgeUrl}/v1/batches/${last}/rows?state=invalid"
  curl -u any:${key} "${bridgeUrl}/v1/batches/${last}/report.csv"
  curl -u any:${operatorKey} "${bridgeUrl}/v1/ops/alerts?environment=test"
  curl -u any:${operatorKey} "${bridgeUrl}/v1/ops/batches?environment=test&needs=refused"
  curl -u any:${shipper} "${bridgeUrl}/v1/order-events?limit=5"
  curl -u any:${shipper} "${bridgeUrl}/v1/orders/${encodeURIComponent(orderRef)}/tracks"
  curl -u any:${key} "${bridgeUrl}/v1/vehicles/700001"
  curl -u any:${key} "${bridgeUrl}/v1/locations.csv?state=TX"
  curl "${sandboxUrl}/_sandbox/journal?limit=5"
${commandLine(profilesFolder, 'batches')}
${commandLine(profilesFolder, `report ${last}`)}
${commandLine(profilesFolder, 'events --profile acme-freight --limit 5')}
${commandLine(profilesFolder, 'batches --profile operator')}
`;
}

type Counted = 'milestone' | 'trace' | 'loadMilestoneEvent' | 'orderCreate';

/** What the receiving system took, in the nouns of its interfaces. */
export function arrivedLine(journal: readonly JournalEntry[]): string {
  const took = (name: Counted) => {
    const { method, path } = ENDPOINTS[name];
    return journal.filter((entry) => entry.applied && entry.method === method && entry.path.endsWith(path));
  };
  const traces = took('trace');
  const points = traces.reduce((sum, { body }) => sum + pointsIn(body), 0);
  const words = [
    counted(took('milestone').length, 'milestone'),
    `${counted(points, 'position')} in ${counted(traces.length, 'request')}`,
    `${counted(took('loadMilestoneEvent').length, 'plain milestone')} by the interface that wants a token`,
    counted(took('orderCreate').length, 'order'),
  ];
  return `The receiving system took ${words.slice(0, -1).join(', ')}, and ${words.at(-1)}.`;
}

const pointsIn = (body: string): number => (JSON.parse(body) as { traces: unknown[] }).traces.length;

const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;
