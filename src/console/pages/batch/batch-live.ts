/**
 * `/console/batches/{id}/events`: what changes on the page of a batch while it is under way, as server-sent events. Each
 * stream ends after a while, and the browser connects again; an event is known by what it says.
 */
import { sha256Hex } from '../../../kernel/secret.ts';
import { LIVE_LOOK_MS, LIVE_RECONNECT_MS, LIVE_SIGN_MS, LIVE_STREAM_MS } from '../../limits.ts';
import type { Page } from '../../page.ts';
import { segmentsOf, segmentsText } from '../../parts/bar.tsx';
import { countOf, inText, type Look, shapeOf } from '../../parts/basics.tsx';
import {
  countIn,
  isOpen,
  nameOf,
  progressText,
  rowState,
  rowText,
  type ShownBatch,
  stateLook,
  stateMessage,
  stopText,
} from './batch-messages.ts';
import type { RowsAnswer } from './batch-rows.tsx';

interface ShownLook {
  look: Look;
  shape: string;
}

/** What the script of the pages reads. @property shown parts of the page that come and go. */
interface Progress {
  title: string;
  texts: Record<string, string>;
  looks: Record<string, ShownLook>;
  shown: Record<string, boolean>;
  counts: Record<string, string>;
  segments: Record<Look, number>;
  barText: string;
  rows: Record<string, ShownLook & { label: string; meaning: string; why: string }>;
}

const lookOf = (look: Look): ShownLook => ({ look, shape: shapeOf(look) });

/** What the page shows that listens. @property count of rows that were like those shown, when it was made; null: not known. */
interface Listening {
  records: readonly number[];
  states: readonly string[] | null;
  count: number | null;
}

export const liveAddress = (page: Page, batchId: string, { records, states, count }: Listening): string =>
  page.at(`/batches/${batchId}/events`, { records: records.join(','), states: states?.join(',') ?? '', count });

const listeningOf = (page: Page): Listening => ({
  records: page
    .query('records')
    .split(',')
    .map(Number)
    .filter((record) => record > 0),
  states: page.query('states') === '' ? null : page.query('states').split(','),
  count: page.query('count') === '' ? null : Number(page.query('count')) || 0,
});

function progressOf(batch: ShownBatch, rows: RowsAnswer['rows'], { states, count }: Listening): Progress {
  const words = stateMessage(batch);
  const segments = segmentsOf(batch.rowStates, batch.resolvedStates);
  const more = count === null ? 0 : countIn(batch, states) - count;
  const stop = stopText(batch.stops);
  return {
    title: `${nameOf(batch)} – ${words.label} – Transload`,
    texts: {
      state: words.label,
      progress: progressText(batch),
      ...(stop === '' ? {} : { stop }),
      new: more > 0 ? `${countOf(more, 'row')} more.` : '',
    },
    looks: { state: lookOf(stateLook(words)) },
    shown: { new: more > 0, stop: stop !== '', calm: stop === '' },
    counts: {
      all: inText(batch.rows),
      ...Object.fromEntries(Object.entries(segments).map(([look, rows]) => [look, inText(rows)])),
    },
    segments,
    barText: segmentsText(segments, batch.dryRun),
    rows: Object.fromEntries(
      rows.map((row) => {
        const { label, look, meaning } = rowState(row);
        return [`row-${row.record}`, { label, meaning, why: rowText(row, batch.stops), ...lookOf(look) }];
      }),
    ),
  };
}

export async function batchEvents(page: Page): Promise<Response> {
  const batchId = page.context.req.param('id') ?? '';
  const listening = listeningOf(page);
  const look = async (): Promise<{ progress: Progress; isOver: boolean } | null> => {
    const [batch, rows] = await Promise.all([
      page.api.call(page.own('GET /v1/batches/{id}'), { path: { id: batchId } }),
      listening.records.length === 0
        ? null
        : page.api.call(page.own('GET /v1/batches/{id}/rows'), {
            path: { id: batchId },
            query: { records: listening.records.join(',') },
          }),
    ]);
    if (!batch.ok) return null;
    const seen = rows?.ok ? rows.value.rows : [];
    return { progress: progressOf(batch.value, seen, listening), isOver: !isOpen(batch.value) };
  };
  const first = await page.api.call(page.own('GET /v1/batches/{id}'), { path: { id: batchId } });
  if (!first.ok) return page.refuse(first.error);
  const known = page.context.req.header('Last-Event-ID') ?? '';
  return new Response(streamOf(look, known), {
    headers: { 'Content-Type': 'text/event-stream; charset=utf-8', 'Cache-Control': 'no-store' },
  });
}

/** @param known id of the event that the browser had last. */
function streamOf(
  look: () => Promise<{ progress: Progress; isOver: boolean } | null>,
  known: string,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const untilMs = Date.now() + LIVE_STREAM_MS;
  let last = known;
  let signMs = Date.now();
  let isFirst = true;
  return new ReadableStream({
    async pull(controller) {
      const send = (text: string): void => {
        controller.enqueue(encoder.encode(text));
        signMs = Date.now();
      };
      if (isFirst) send(`retry: ${LIVE_RECONNECT_MS}\n\n`);
      while (Date.now() < untilMs) {
        if (!isFirst) await scheduler.wait(LIVE_LOOK_MS);
        isFirst = false;
        const now = await look();
        if (now === null) break;
        const data = JSON.stringify(now.progress);
        const id = sha256Hex(data).slice(0, 16);
        if (id !== last) send(`id: ${id}\nevent: progress\ndata: ${data}\n\n`);
        if (now.isOver) {
          send('event: end\ndata: {}\n\n');
          break;
        }
        const isNew = id !== last;
        last = id;
        if (isNew) return; // the browser takes it before the next look
        if (Date.now() - signMs > LIVE_SIGN_MS) return send(': still here\n\n');
      }
      controller.close();
    },
  });
}
