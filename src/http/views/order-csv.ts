/** What became of one order as CSV: a line per status, in the order in which they happened. Pure. */
import { csvLine } from '../../batch/report/report-csv.ts';
import type { OrderView, TrackView } from './order-view.ts';

const PLACE = ['city', 'state', 'postalCode', 'country'] as const;

const placeCells = (place: OrderView['statuses'][number]['place']): string[] => PLACE.map((name) => place[name] ?? '');

const STATUS_COLUMNS = [
  'orderRef',
  'orderId',
  'seq',
  'code',
  'at',
  'level',
  ...PLACE,
  'learnedAt',
  'corrects',
  'correctedBy',
];

export const orderCsv = ({ orderRef, statuses }: Pick<OrderView, 'orderRef' | 'statuses'>): string =>
  [
    csvLine(STATUS_COLUMNS),
    ...statuses.map(({ seq, orderId, code, at, level, place, learnedAt, corrects, correctedBy }) =>
      csvLine([
        ...[orderRef, orderId ?? '', String(seq), code, at ?? '', level, ...placeCells(place)],
        ...[learnedAt ?? '', ...[corrects, correctedBy].map((other) => (other === null ? '' : String(other)))],
      ]),
    ),
  ].join('');

export const tracksCsv = (orderRef: string, tracks: readonly TrackView[]): string =>
  [
    csvLine(['orderRef', 'code', 'at', ...PLACE, 'orderId']),
    ...tracks.map(({ code, at, place, orderId }) =>
      csvLine([orderRef, code, at ?? '', ...placeCells(place), orderId ?? '']),
    ),
  ].join('');
