/** The demo's words: progress, table, wrong rows, and what to try next. Pure. */
import type { BatchRow, BatchSummary } from '../../src/batch/summary.ts';
import { SHOWN_ORDER } from '../../src/console/words.ts';
import { ROW_WORDS } from '../../src/delivery/words.ts';
import type { SeenBatch } from './partner.ts';

export function progressLine(batch: BatchSummary): string {
  const counts = SHOWN_ORDER.flatMap((state) => {
    const count = batch.rowStates[state];
    return count ? [`${ROW_WORDS[state].label.toLowerCase()} ${count}`] : [];
  });
  return `${batch.state}: ${batch.rows} rows – ${counts.join(', ') || 'none yet'}`;
}

export function summaryTable(batches: readonly SeenBatch[]): string {
  const head = ['mapping', 'rows', 'delivered', 'rejected', 'wrong rows', 'skipped', 'requests', 'state'];
  const lines = batches.map(({ mapping, rows, rowStates, requests, state }) =>
    [
      mapping,
      rows,
      rowStates.delivered ?? 0,
      (rowStates.rejected ?? 0) + (rowStates.dead ?? 0) + (rowStates.held ?? 0),
      rowStates.invalid ?? 0,
      rowStates.skipped ?? 0,
      requests,
      state,
    ].map(String),
  );
  const widths = head.map((title, at) => Math.max(title.length, ...lines.map((line) => line[at]?.length ?? 0)));
  const row = (cells: readonly string[]): string =>
    cells
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join('  ')
      .trimEnd();
  return [row(head), row(widths.map((width) => '-'.repeat(width))), ...lines.map(row)].join('\n');
}

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

export function curlLines(shown: {
  bridgeUrl: string;
  sandboxUrl: string;
  keys: ReadonlyMap<string, string>;
  batches: readonly SeenBatch[];
}): string {
  const { bridgeUrl, sandboxUrl, keys, batches } = shown;
  const key = keys.get('demo-carrier') ?? '';
  const own = batches.filter(({ partner }) => partner === 'demo-carrier');
  const last = own.at(-1)?.batchId ?? '';
  const bearer = `-H "Authorization: Bearer ${key}"`;
  return `
Keys
${[...keys].map(([partner, text]) => `  ${partner.padEnd(14)} ${text}`).join('\n')}

Open in a browser (any user name, the key as password)
${batches.map(({ partner, batchId }) => `  ${bridgeUrl}/console/batches/${batchId}   ${partner}`).join('\n')}

Try
  curl -T fixtures/carrier-status-csv/mixed/input.csv ${bearer} "${bridgeUrl}/v1/batches?mapping=carrier-status-csv"
  cat fixtures/carrier-events-ndjson/clean/input.ndjson | curl -T - ${bearer} "${bridgeUrl}/v1/batches?mapping=carrier-events-ndjson"
  curl --data-binary @fixtures/carrier-status-csv/clean/input.csv ${bearer} "${bridgeUrl}/v1/batches?mapping=carrier-status-csv"
  curl -u any:${key} "${bridgeUrl}/v1/batches"
  curl -u any:${key} "${bridgeUrl}/v1/batches/${last}"
  curl -u any:${key} "${bridgeUrl}/v1/batches/${last}/rows?state=invalid"
  curl -u any:${key} "${bridgeUrl}/v1/batches/${last}/report.csv"
  curl -u any:${key} "${bridgeUrl}/v1/vehicles/700001"
  curl -u any:${key} "${bridgeUrl}/v1/locations.csv?state=TX"
  curl "${sandboxUrl}/_sandbox/journal?limit=5"
`;
}
