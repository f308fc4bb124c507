/**
 * Suggestions for files of other people, compared with what the files are: written down here by reading each of them.
 * What is said with confidence must be so; what is not so must be marked as unsure, or asked.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { Confidence, Suggestion } from '../../../../src/mapping/suggest/suggestion.ts';
import { CORPUS, isInCorpus, itReads } from '../../../corpus.ts';
import { suggestFor } from './samples.ts';

/** `target`, `extends` null: nothing that we know. `load`: the path of the load number, or that no element names it. */
interface Truth {
  format: string;
  delimiter?: string;
  encoding?: string;
  header?: 'yes' | 'no';
  message?: string;
  records?: string;
  extends?: string | null;
  target?: string | null;
  load?: string;
  times?: string;
  moments?: readonly string[];
  places?: readonly string[];
}

const csv = (delimiter: string, header: 'yes' | 'no', more: Partial<Truth> = {}): Truth => ({
  ...{ format: 'csv', delimiter, encoding: 'utf-8', header, target: null },
  ...more,
});
const sheet = (header: 'yes' | 'no', more: Partial<Truth> = {}): Truth => ({
  format: 'xlsx',
  header,
  target: null,
  ...more,
});
const set = (message: string, base: string | null, more: Partial<Truth> = {}): Truth => ({
  format: 'x12',
  message,
  extends: base,
  ...more,
});
const edifact = (message: string, base: string | null, more: Partial<Truth> = {}): Truth => ({
  format: 'edifact',
  message,
  extends: base,
  ...more,
});
const STATUS = { target: 'milestone', load: 'B10-02', times: 'AT7-05+AT7-06' };

const TRUTHS: readonly (readonly [file: string, truth: Truth])[] = [
  ['csv/BurntSushi__rust-csv/gtfs-mbta-stop-times.first600.csv', csv(',', 'yes')],
  ['csv/BurntSushi__rust-csv/smallpop-colon.csv', csv(':', 'yes')],
  ['csv/BurntSushi__rust-csv/smallpop-no-headers.csv', csv(',', 'no')],
  ['csv/BurntSushi__rust-csv/smallpop.csv', csv(',', 'yes')],
  ['csv/BurntSushi__rust-csv/strange.csv', csv(';', 'no')],
  ['csv/BurntSushi__rust-csv/uspop-latin1.csv', csv(',', 'yes', { encoding: 'windows-1252' })],
  ['csv/BurntSushi__rust-csv/uspop-null.csv', csv(',', 'yes')],
  ['csv/BurntSushi__rust-csv/uspop.csv', csv(',', 'yes')],
  ['csv/mholt__PapaParse/long-sample.csv', csv(',', 'no', { moments: ['column 4', 'column 5'] })],
  ['csv/mholt__PapaParse/sample-header.csv', csv(',', 'yes')],
  ['csv/mholt__PapaParse/sample.csv', csv(',', 'yes')],
  ['csv/mholt__PapaParse/utf-8-bom-sample.csv', csv(',', 'yes')],
  ['csv/mholt__PapaParse/verylong-sample.csv', csv(',', 'yes')],
  ['csv/npm__csv-spectrum-2.0.0/csvs__comma_in_quotes.csv', csv(',', 'yes')],
  ['csv/npm__csv-spectrum-2.0.0/csvs__empty.csv', csv(',', 'yes')],
  ['csv/npm__csv-spectrum-2.0.0/csvs__escaped_quotes.csv', csv(',', 'yes')],
  ['csv/npm__csv-spectrum-2.0.0/csvs__json.csv', csv(',', 'yes')],
  ['csv/npm__csv-spectrum-2.0.0/csvs__location_coordinates.csv', csv(',', 'yes')],
  ['csv/npm__csv-spectrum-2.0.0/csvs__newlines.csv', csv(',', 'yes')],
  ['csv/npm__csv-spectrum-2.0.0/csvs__simple_crlf.csv', csv(',', 'yes')],
  ['csv/npm__csv-spectrum-2.0.0/csvs__utf8.csv', csv(',', 'yes')],
  ['fixed/beanio__beanio/f1_valid.txt', { format: 'fixed', target: null }],
  ['fixed/beanio__beanio/f2_valid.txt', { format: 'fixed', target: null }],
  ['fixed/beanio__beanio/f7.txt', { format: 'fixed', target: null }],
  ['fixed/moov-io__ach/ppd-debit.ach', { format: 'fixed', target: null }],
  ['xlsx/exceljs__exceljs/dateIssue.xlsx', sheet('yes')],
  ['xlsx/exceljs__exceljs/fibonacci.xlsx', sheet('no')],
  ['xlsx/exceljs__exceljs/gold.xlsx', sheet('no')],
  ['xlsx/exceljs__exceljs/many-columns.xlsx', sheet('no')],
  ['x12/aws-samples__aws-b2b-data-interchange-toolkit/214.edi', set('214 004010', 'x12-214', STATUS)],
  ['x12/indice-co__EDI.Net/214-MGCTLYST-SAMPLE.EDI', set('214 004030', 'x12-214', STATUS)],
  ['x12/indice-co__EDI.Net/x12.214.edi', set('214 004030', 'x12-214', STATUS)],
  ['x12/apimeister__x12-types/test_214.parse_214_1.edi', set('214 004010', 'x12-214', STATUS)],
  ['x12/apimeister__x12-types/test_204.test_2.edi', set('204 004010', 'x12-204', { target: 'order.create' })],
  ['x12/kputnam__stupidedi/SM204__case__1.edi', set('204 004010', 'x12-204', { target: 'order.create' })],
  ['x12/olmelabs__EdiEngine/940.OK.edi', set('940 004010', 'x12-940', { target: 'order.create' })],
  ['x12/indice-co__EDI.Net/x12.850.edi', set('850 004010', 'x12-850', { target: 'order.create' })],
  ['x12/apimeister__x12-types/004060_856.edi', set('856 004060', null, { target: null })],
  [
    'edifact/apimeister__edifact-types/d00b_iftsta.edi',
    edifact('IFTSTA D.00B', 'edifact-iftsta', { target: 'milestone', load: 'none' }),
  ],
  [
    'edifact/apimeister__edifact-types/test_iftsta.parse_iftsta.edi',
    edifact('IFTSTA D.00B', 'edifact-iftsta', { target: 'milestone', load: 'none' }),
  ],
  [
    'edifact/RovoMe__ts-edifact/spec_doc2_IFTMIN_01B.edi',
    edifact('IFTMIN D.01B', 'edifact-iftmin', { target: 'order.create' }),
  ],
  ['edifact/apimeister__edifact-types/d04b_baplie.edi', edifact('BAPLIE D.04B', null, { target: null })],
  ['edifact/nerdocs__pydifact/order.edi', edifact('ORDERS D.96A', null, { target: null })],
  ['x12/aws-samples__aws-b2b-data-interchange-toolkit/214.json', { format: 'json', records: 'Transactions' }],
];

interface Claim {
  kind: string;
  said: string | null;
  is: string | null;
  confidence: Confidence;
}

const join2 = (columns: readonly string[] | undefined): string | null => columns?.join('+') ?? null;

function claimsOf({ format, questions, target, extends: base, fields, columns }: Suggestion, truth: Truth): Claim[] {
  const open = new Set(questions.filter(({ answer }) => answer === null).map(({ id }) => id));
  const facts = (['format', 'delimiter', 'encoding', 'header', 'message', 'records'] as const).flatMap(
    (what): Claim[] => {
      const is = truth[what];
      const found = format.find((fact) => fact.what === what);
      if (is === undefined) return [];
      const confidence = open.has(what) || found === undefined ? 'unsure' : found.confidence;
      return [{ kind: what, said: found?.value ?? null, is, confidence }];
    },
  );
  const field = (kind: string, name: string, is: string | undefined): Claim[] => {
    const found = fields.find((each) => each.field === name);
    return is === undefined
      ? []
      : [{ kind, said: join2(found?.columns), is, confidence: found?.confidence ?? 'unsure' }];
  };
  const moments = (truth.moments ?? []).map(
    (name): Claim => ({
      kind: 'moment',
      said: columns.find((each) => each.name === name)?.kind ?? null,
      is: 'date and time',
      confidence: 'sure',
    }),
  );
  return [
    ...facts,
    ...(truth.extends === undefined
      ? []
      : [{ kind: 'extends', said: base, is: truth.extends, confidence: 'sure' } as const]),
    // Nothing that we know: no kind is then the right answer.
    ...(truth.target === undefined
      ? []
      : [{ kind: 'target', said: target.kind, is: truth.target, confidence: target.confidence }]),
    ...field('load', 'fields.loadNumber', truth.load),
    ...field('time', 'fields.time', truth.times),
    ...moments,
  ];
}

const verdictOf = ({ said, is, confidence }: Claim): 'right' | 'unsure' | 'wrong' =>
  said === is ? 'right' : confidence === 'unsure' ? 'unsure' : 'wrong';

const tracked = (records: string, more: Partial<Truth> = {}): Truth => ({
  ...{ format: 'xml', encoding: 'utf-8', records, target: 'milestone' },
  ...more,
});
const OCCURRENCE = 'tracking-detail/significant-events/occurrence';
const CARRIER_XML = 'xml/Shopify__active_shipping';

const XML_TRUTHS: typeof TRUTHS = [
  ...['dnc_tracking_details_en', 'tracking_details_en', 'tracking_details_en_undelivered'].map(
    (name) =>
      [
        `${CARRIER_XML}/canadapost_pws__${name}.xml`,
        tracked(OCCURRENCE, { load: '/tracking-detail/pin', times: 'event-date+event-time' }),
      ] as const,
  ),
  [`${CARRIER_XML}/canadapost_pws__tracking_details_no_expected_delivery_date.xml`, tracked(OCCURRENCE)],
  [`${CARRIER_XML}/canadapost_pws__tracking_details_en_error.xml`, { format: 'xml', target: null }],
  [
    `${CARRIER_XML}/stamps__track_shipment_response.xml`,
    tracked('Envelope/Body/TrackShipmentResponse/TrackingEvents/TrackingEvent', { load: 'none', times: 'Timestamp' }),
  ],
  ['xml/NaturalIntelligence__fast-xml-parser/sample.xml', { format: 'xml', records: 'any_name/person', target: null }],
];

const ALL = [...TRUTHS, ...XML_TRUTHS];
const present = ALL.filter(([file]) => isInCorpus(file === '' ? '' : join(CORPUS, file)));

itReads(`what is suggested for ${ALL.length} real files is right or marked as unsure`, async () => {
  const counts: Record<string, { right: number; unsure: number; wrong: number }> = {};
  const wrong: string[] = [];
  for (const [file, truth] of present) {
    const found = await suggestFor(readFileSync(join(CORPUS, file)), { fileName: file });
    for (const claim of claimsOf(found, truth)) {
      const verdict = verdictOf(claim);
      counts[claim.kind] ??= { right: 0, unsure: 0, wrong: 0 };
      const own = counts[claim.kind];
      if (own !== undefined) own[verdict] += 1;
      if (verdict === 'wrong')
        wrong.push(`${file}: ${claim.kind} is ${claim.is}, said ${claim.said} (${claim.confidence})`);
    }
  }
  if (process.env.SUGGEST_FIGURES !== undefined) console.log(counts);
  expect(wrong).toEqual([]);
  const all = Object.values(counts);
  const sum = (of: 'right' | 'unsure'): number => all.reduce((total, each) => total + each[of], 0);
  // That all is unsure would be no suggestion.
  expect(sum('right')).toBeGreaterThan(4 * sum('unsure'));
});
