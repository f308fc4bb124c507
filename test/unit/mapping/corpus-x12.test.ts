/** Real X12 files through the shipped mappings: counted, compared with their own text, and with what was read off by hand. */
import { describe, expect } from 'vitest';
import type { MappedRequest, OrderFields, RequestBody } from '../../../src/mapping/request.ts';
import { itReads } from '../../corpus.ts';
import { CORPUS, type CorpusFile, type CorpusRecord, countSets, knownFaults, mapCorpusFile } from './corpus-x12.ts';
import { GOLDENS, type Golden } from './corpus-x12-goldens.ts';

/** Their ISA leaves open what the delimiters are: nothing behind it can be told. */
const REFUSED: Record<string, string> = {
  dynamic_segment_terminator_detection: 'isa_end_unclear ISA16',
  'edge_cases_valid.1': 'isa_end_unclear ISA16',
  invalid_isa_missing_fields: 'isa_incomplete ISA',
  invalid_isa_wrong_element_separator: 'isa_incomplete ISA',
  isa_too_many_fields: 'isa_end_unclear ISA16',
  same_component_and_segment_separator: 'delimiters_equal ISA',
  special_characters_as_separators: 'isa_end_unclear ISA16',
  unicode_component_separator: 'isa_end_unclear ISA16',
};
const refusalOf = ({ path }: CorpusFile) =>
  Object.entries(REFUSED).find(([name]) => path.endsWith(`_${name}.edi`))?.[1];
const named = (files: readonly CorpusFile[]) => files.map((file) => [file.path, file] as const);
const READABLE = named(CORPUS.filter((file) => refusalOf(file) === undefined));

/** Envelopes are records of their own, with nothing but a problem. */
const ofSets = (records: readonly CorpusRecord[]) =>
  records.filter(({ position }) => position.place?.includes(', ST '));
const ofEnvelopes = (records: readonly CorpusRecord[]) => records.filter((record) => !ofSets([record]).length);
const codesOf = ({ errors }: CorpusRecord) => errors.map(({ code, path }) => `${code} ${path}`);

describe('real X12 files', () => {
  itReads('are all there that hold a set of a mapping', () => {
    const sets = Object.groupBy(CORPUS, ({ id }) => id);
    expect(Object.entries(sets).map(([id, files = []]) => [id, files.length])).toEqual([
      ['204', 4],
      ['214', 4],
      ['850', 18],
      ['940', 32],
    ]);
  });

  itReads.each(READABLE)('give a request or an error for each AT7, or each set, as counted: %s', async (_, file) => {
    const wanted = countSets(file.text).flatMap(({ segments, isWhole }) => {
      if (!isWhole) return ['broken'];
      return file.id === '214' ? segments.filter(([tag]) => tag === 'AT7').map(() => 'AT7') : ['set'];
    });
    const records = ofSets(await mapCorpusFile(file));
    expect(wanted.length).toBeGreaterThan(0);
    expect(records).toHaveLength(wanted.length);
    for (const [index, { requests, errors }] of records.entries()) {
      // One or the other, never both; a broken set is never sent.
      expect(requests.length === 0).toBe(errors.length > 0);
      if (wanted[index] === 'broken') expect(errors.length).toBeGreaterThan(0);
    }
  });

  itReads.each(READABLE)('say what their own segments say: %s', async (_, file) => {
    for (const { position, requests } of ofSets(await mapCorpusFile(file))) {
      const own = file.text.slice(position.byteFrom, position.byteTo);
      const from = file.text.lastIndexOf(`ST${file.text[file.text.indexOf('ISA') + 3]}`, position.byteFrom);
      for (const request of requests) expectVerbatim(request, own, file.text.slice(from, position.byteTo));
    }
  });

  itReads.each(READABLE.filter(([, { id }]) => id !== '214'))(
    'have the purpose, the lines and the stops that their segments have: %s',
    async (_, file) => {
      const sets = countSets(file.text);
      for (const [index, { requests }] of ofSets(await mapCorpusFile(file)).entries()) {
        const [request] = requests;
        if (request === undefined) continue;
        const rows = (tag: string) => sets[index]?.segments.filter(([own]) => own === tag) ?? [];
        const purpose = PURPOSES[file.id]?.[rows(PURPOSE_TAG[file.id] ?? '')[0]?.[1] ?? ''];
        expect(request.kind).toBe(purpose);
        if (purpose === 'order.cancel') continue;
        const { skus = [], stops = [], dates = [], totals } = membersOf(request.body);
        const quantities = [...rows('PO1').map(([, , each]) => each), ...rows('W01').map(([, each]) => each)];
        expect(skus.map(({ quantity }) => quantity)).toEqual(quantities.map(Number));
        expect(stops.map(({ sequence }) => sequence)).toEqual(rows('S5').map(([, each]) => Number(each)));
        const shipments = stops.flatMap((stop) => stop.shipments ?? []);
        expect(shipments.map(({ quantity }) => quantity)).toEqual(rows('OID').map((row) => Number(row[5])));
        if (file.id !== '204') continue;
        // Those of the heading come first.
        const read = [...dates, ...stops.flatMap((stop) => stop.dates ?? [])];
        expect(read.map(({ qualifier, localTime }) => [qualifier, localTime])).toEqual(
          rows('G62').map((row) => [row[1], row[4]]),
        );
        expect(totals?.weight?.value).toEqual(
          rows('L3')[0]?.[1] === undefined ? undefined : Number(rows('L3')[0]?.[1]),
        );
        const items = stops.flatMap((stop) => [
          ...(stop.items ?? []),
          ...(stop.shipments ?? []).flatMap((shipment) => shipment.items ?? []),
        ]);
        expect(items.map(({ packaging, commodityCode }) => packaging ?? commodityCode)).toEqual(
          rows('L5').map((row) => row[5] || row[3]),
        );
        const segments = sets[index]?.segments ?? [];
        const behind = segments.filter((_, at) => segments[at - 1]?.[0] === 'L5');
        expect(items.map(({ weight }) => weight?.value)).toEqual(
          behind.map(([tag, , , weight]) => (tag === 'AT8' ? Number(weight) : undefined)),
        );
      }
    },
  );

  itReads.each(named(CORPUS.filter((file) => refusalOf(file) !== undefined)))(
    'whose delimiters cannot be told are one error at their ISA: %s',
    async (_, file) => {
      const records = await mapCorpusFile(file);
      expect(records.flatMap(codesOf)).toEqual([refusalOf(file)]);
      expect(records.flatMap(({ requests }) => requests)).toEqual([]);
    },
  );

  /** `SE01 12!=9`, `GE02 575103!=GS06 3317`. */
  itReads.each(READABLE)('have the faults of envelopes that are known of them, and no others: %s', async (_, file) => {
    const known = knownFaults(file.path).flatMap((reason) => {
      const [, path = '', found = '', wanted = ''] = /^(\w+) (.*)!=(?:\w+ )?(.*)$/.exec(reason) ?? [];
      // Control numbers are compared as numbers here; the index counts a `~` before a line break to the number.
      const value = found.replace('~', '');
      const isSame = path.endsWith('02') && Number(value) === Number(wanted);
      return path === '' || isSame ? [] : [`${path} ${value}`];
    });
    const told = (await mapCorpusFile(file)).flatMap(({ errors }) =>
      errors.map(({ path, value }) => `${path} ${value}`),
    );
    const ofTrailers = told.filter((fault) => /^(?:SE|GE|IEA)0/.test(fault));
    expect(ofTrailers).toEqual(expect.arrayContaining(known));
    // The index knows nothing of files whose ISA is not of fixed width.
    const isIndexed = !knownFaults(file.path).some((reason) => /not fixed width|=0$/.test(reason));
    if (isIndexed && !file.path.endsWith('issue135.edi')) expect(ofTrailers.toSorted()).toEqual(known.toSorted());
  });

  itReads('have a lost terminator told where it is lost, and a repeated number of a set', async () => {
    const file = CORPUS.find(({ path }) => path.endsWith('issue135.edi'));
    const records = file === undefined ? [] : await mapCorpusFile(file);
    expect(records.map(codesOf)).toEqual([
      ['terminator_missing DTM', 'count_differs SE01'],
      ['set_number_repeated ST02'],
    ]);
  });

  itReads('have errors of content only where a value is missing, or a code is in no list', async () => {
    const errors: Record<string, string[]> = {};
    for (const [path, file] of READABLE) {
      const codes = ofSets(await mapCorpusFile(file)).flatMap(codesOf);
      const ofContent = codes.filter((code) => !/^(?:count_|control_|terminator_|set_number)/.test(code));
      if (ofContent.length > 0) errors[path] = [...new Set(ofContent)];
    }
    expect(errors).toEqual({
      'apimeister__x12-types/test_204.test_2.edi': ['code_unknown S5[1].S5-02'], // DT
      'apimeister__x12-types/test_204.test_3.edi': [
        'value_missing B2-04',
        'code_unknown S5[0].S5-02', // PA
        'code_unknown S5[1].S5-02', // DT
      ],
      'aws-samples__aws-b2b-data-interchange-toolkit/214.edi': ['code_unknown AT7-01, AT7-03'], // LY, RD
      'indice-co__EDI.Net/214-MGCTLYST-SAMPLE.EDI': ['time_zone_missing AT7-07'], // LT
      'indice-co__EDI.Net/x12.214.edi': ['time_zone_missing AT7-07'],
      'olmelabs__EdiEngine/940.W05.Only.edi': ['list_empty skus'],
    });
  });

  itReads.each(Object.entries(GOLDENS))('become what was read off by hand: %s', async (path, wanted) => {
    const file = CORPUS.find((one) => one.path === path);
    const records = file === undefined ? [] : await mapCorpusFile(file);
    expect(ofSets(records).flatMap(goldensOf)).toEqual(wanted);
  });

  itReads('have envelopes at fault beside sets that are sent', async () => {
    const file = CORPUS.find(({ path }) => path.endsWith('WrongGroupsAndTranCount.edi'));
    const records = file === undefined ? [] : await mapCorpusFile(file);
    expect(ofSets(records).flatMap(({ requests }) => requests.map(({ subject }) => subject))).toEqual(['order:538686']);
    expect(ofEnvelopes(records).map(codesOf)).toEqual([['count_differs GE01'], ['count_differs IEA01']]);
  });
});

function expectVerbatim(request: MappedRequest, own: string, set: string): void {
  const { body } = request;
  if ('eventCode' in body) {
    const [day, clock = ''] = body.time.dateTime.split('T');
    expect(set).toContain(body.loadNumber);
    for (const text of [body.eventCode, day?.replaceAll('-', '') ?? '', clock.slice(0, 5).replace(':', '')]) {
      expect(own.split(/[*~$\n]/)).toContain(text);
    }
    if (body.eventCity !== undefined) expect(own).toContain(body.eventCity);
    return;
  }
  const order = body as OrderFields;
  const words = own.split(/[*~$\n]/).map((word) => word.trim());
  expect(words).toContain(order.orderRef);
  for (const text of textsOf(order)) expect(words).toContain(text);
}

/** The texts of an order that nothing was done to. */
function textsOf(value: unknown, name = ''): string[] {
  if (Array.isArray(value)) return value.flatMap((item) => textsOf(item, name));
  if (typeof value === 'object' && value !== null) {
    return Object.entries(value).flatMap(([member, inner]) => textsOf(inner, member));
  }
  if (typeof value !== 'string') return [];
  if (/^\d{4}-\d\d-\d\d$/.test(value)) return [value.replaceAll('-', '')];
  return /^(?:sku|street|street2|city|postalCode|phone|number|localTime|description)$/.test(name) ? [value] : [];
}

function goldensOf({ requests, errors }: CorpusRecord): Golden[] {
  if (errors.length > 0) return errors.map(({ code, path }) => ({ error: `${code} ${path}` }));
  return requests.map(({ kind, body }): Golden => {
    if ('eventCode' in body) {
      const { loadNumber, eventCode, reasonCode = '', time, eventCity } = body;
      const place = eventCity === undefined ? {} : { eventCity };
      return { loadNumber, eventCode, reasonCode, dateTime: time.dateTime, ...place };
    }
    return orderGolden(kind, membersOf(body));
  });
}

/** Of an order, or of one that a change holds. */
const membersOf = (body: RequestBody): OrderFields & RealOrder =>
  ('complete' in body ? { orderRef: body.orderRef, ...body.order } : body) as OrderFields & RealOrder;

/** Purposes that the files have, and the segment whose first element holds them. */
const PURPOSE_TAG: Record<string, string> = { '204': 'B2A', '850': 'BEG', '940': 'W05' };
const PURPOSES: Record<string, Record<string, string>> = {
  '204': { '00': 'order.create' },
  '850': { '00': 'order.create' },
  '940': { N: 'order.create', R: 'order.update', F: 'order.cancel' },
};

interface Place {
  street?: string;
  city?: string;
  state?: string;
}
/** What is read of an order here, of whichever of the mappings. */
interface RealOrder {
  requestedDate?: string;
  consignee?: { address?: Place };
  skus?: { sku: string; quantity: number }[];
  dates?: RealDate[];
  totals?: { weight?: { value: number } };
  stops?: {
    sequence: number;
    dates?: RealDate[];
    parties?: { address?: Place }[];
    items?: RealItem[];
    shipments?: { number: string; quantity: number; weight: { value: number }; items?: RealItem[] }[];
  }[];
}
interface RealDate {
  qualifier: string;
  localTime?: string;
  time?: { dateTime: string };
}
interface RealItem {
  commodityCode?: string;
  packaging?: string;
  weight?: { value: number };
}

function orderGolden(
  kind: string,
  { orderRef, requestedDate, consignee, skus, dates = [], stops }: OrderFields & RealOrder,
): Golden {
  const { street, city, state } = consignee?.address ?? stops?.[0]?.parties?.[0]?.address ?? {};
  const shipments = stops?.flatMap((stop) => stop.shipments ?? []) ?? [];
  const ofStops = stops?.flatMap((stop) => stop.dates ?? []);
  const times = ofStops && [...dates, ...ofStops].map(({ time }) => time?.dateTime ?? '');
  return {
    kind,
    orderRef,
    ...(requestedDate === undefined ? {} : { requestedDate }),
    ...(city === undefined ? {} : { city }),
    ...(state === undefined ? {} : { state }),
    ...(street === undefined ? {} : { street }),
    ...(times === undefined ? {} : { times }),
    lines: [
      ...(skus ?? []).map(({ sku, quantity }) => [sku, quantity] as const),
      ...shipments.map(({ number, weight }) => [number, weight.value] as const),
    ],
  };
}
