/** A load's events as CSV, one line each; cells that a spreadsheet would run as formulas are neutralised as in reports. Pure. */
import { csvLine } from '../../batch/report/report-csv.ts';
import { REASON_WORDS } from '../../delivery/words.ts';
import { requestKey } from '../../kernel/names.ts';
import type { LoadEventView } from './load-view.ts';

const CELLS: Record<string, (event: LoadEventView) => string | number | null> = {
  event_time: ({ time }) => time,
  kind: ({ kind }) => kind,
  code: ({ what }) => what,
  stop: ({ stop }) => stop,
  place: ({ place }) => place,
  latitude: ({ position }) => position?.latitude ?? null,
  longitude: ({ position }) => position?.longitude ?? null,
  state: ({ state }) => state,
  reason: ({ reason }) => reason,
  problem: ({ reason }) => (reason === null ? '' : REASON_WORDS[reason]),
  status: ({ status }) => status,
  attempts: ({ attempts }) => attempts,
  answer: ({ answer }) => answer,
  late: ({ late }) => (late ? 'yes' : ''),
  possible_duplicate: ({ possibleDuplicate }) => (possibleDuplicate ? 'yes' : ''),
  warning: ({ warnings }) => [...new Set(warnings.map(({ code }) => code))].join(' | '),
  warning_words: ({ warnings }) => warnings.map(({ message, fix }) => `${message} ${fix}`).join(' | '),
  batch: ({ from }) => from.batchId,
  record: ({ from }) => from.record,
  request: ({ from }) => from.request,
  generation: ({ from }) => from.generation,
  into: ({ into }) => (into === null ? '' : requestKey(into.batchId, into.record, into.request)),
  into_state: ({ into }) => into?.state ?? null,
  received_at: ({ receivedAt }) => receivedAt,
  sent_at: ({ sentAt }) => sentAt,
  decided_at: ({ decidedAt }) => decidedAt,
  next_at: ({ nextAt }) => nextAt,
  waits_for_load_until: ({ waitsForLoadUntil }) => waitsForLoadUntil,
};

export const LOAD_COLUMNS: readonly string[] = Object.keys(CELLS);

export const loadHeader = (): string => csvLine(LOAD_COLUMNS);

export const loadLine = (event: LoadEventView): string =>
  csvLine(Object.values(CELLS).map((cell) => String(cell(event) ?? '')));
