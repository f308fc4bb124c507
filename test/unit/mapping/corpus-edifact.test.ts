/** Interchanges of other people under the mappings for IFTSTA and IFTMIN; counted and copied from the files by hand, not by our reader. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { stringify } from 'yaml';
import { bytesInMemory } from '../../../src/formats/slices.ts';
import { checkMapping } from '../../../src/mapping/check/check.ts';
import { type CompiledMapping, compileMapping, recordLine } from '../../../src/mapping/compile/compile.ts';
import { mapFile } from '../../../src/mapping/compile/map-file.ts';
import { CodeList } from '../../../src/mapping/document/code-list.ts';
import { CORPUS, isInCorpus, itReads } from '../../corpus.ts';
import { SHIPPED, SHIPPED_LISTS, SHIPPED_TEXTS } from './shipped.ts';

const FOLDER = join(CORPUS, 'edifact');

type Name = 'edifact-iftsta' | 'edifact-iftmin';
const FILES: readonly [file: string, mapping: Name][] = [
  ['apimeister__edifact-types/d00b_iftsta.edi', 'edifact-iftsta'],
  ['apimeister__edifact-types/test_iftsta.parse_iftsta.edi', 'edifact-iftsta'],
  ['apimeister__edifact-types/test_iftsta.parse_iftsta_with_unb.edi', 'edifact-iftsta'],
  ['apimeister__edifact-types/test_iftsta.build_iftsta.edi', 'edifact-iftsta'],
  ['apimeister__edifact-types/test_iftmin.parse_iftmin.edi', 'edifact-iftmin'],
  ['apimeister__edifact-types/test_iftmin.unb_test.edi', 'edifact-iftmin'],
  ['RovoMe__ts-edifact/spec_doc2_IFTMIN_01B.edi', 'edifact-iftmin'],
  ['Chemaclass__edifact-parser/edifact-sample.edi', 'edifact-iftmin'],
  ['indice-co__EDI.Net/edifact.Issue188.edi', 'edifact-iftmin'],
];
const present = FILES.filter(([file]) => isInCorpus(join(FOLDER, file)));
const isBare = (text: string): boolean => !text.includes('UNB+');

interface Line {
  record: number;
  position: { byteFrom: number; byteTo: number };
  requests: { kind: string; subject: string; scac?: string; body: Record<string, unknown> }[];
  errors: { code: string; path: string; value: string }[];
}

/** What differs at the partner: its codes pass, its times have a zone, no UNB is wanted. */
const DIALECTS = {
  'edifact-iftsta': {
    zone: { const: 'America/New_York' },
    fields: { eventCode: { from: 'STS-02.1', lookup: 'edifact-event-example', onMiss: 'keep' } },
  },
  'edifact-iftmin': { zone: { const: 'America/New_York' } },
};

/** Code lists of a partner's own: data, as the dialect is. */
const listOf = (list: string, codes: Record<string, string>) =>
  new CodeList({ list, description: 'Of the carrier.', codes });
const LISTS = new Map([
  ...SHIPPED_LISTS,
  ...[
    listOf('words-of-the-carrier', { 'Rail Departed from In-Transit Locat': 'AF' }),
    listOf('zones-of-countries', { US: 'America/New_York' }),
    listOf('forms-of-the-carrier', { '201': 'yyMMddHHmm' }),
  ].map((list) => [list.name, list] as const),
]);

function partnersOwn(name: Name, dialect: object = DIALECTS[name]): CompiledMapping {
  const own = { mapping: 'partners-own', extends: name, description: 'A dialect.', source: { bare: 'accept' } };
  const examples = [{ input: 'x', records: [] }];
  const document = checkMapping(stringify({ ...own, ...dialect, examples }), LISTS, { bases: SHIPPED_TEXTS });
  if (!document.ok) throw new Error(JSON.stringify(document.error));
  return compileMapping(document.value, LISTS);
}

function shipped(name: Name): CompiledMapping {
  const found = SHIPPED.get(name);
  if (found === undefined) throw new Error(`no mapping ${name}`);
  return found.mapping;
}

async function map(mapping: CompiledMapping, file: string): Promise<{ lines: Line[]; codes: string[] }> {
  const lines: Line[] = [];
  for await (const step of mapFile(mapping, bytesInMemory(bytesOf(file)))) {
    if (step.outcome === 'unreadable') return { lines, codes: step.problems.map(({ code }) => code) };
    if (step.outcome === 'ends_early') return { lines, codes: [step.problem.code] };
    lines.push(...step.records.map((record) => JSON.parse(recordLine(record))));
  }
  return { lines, codes: [] };
}

const bytesOf = (file: string): Uint8Array => Uint8Array.from(readFileSync(join(FOLDER, file)));
const textOf = (file: string): string => Buffer.from(bytesOf(file)).toString('latin1');

/** Segments by the simplest rule: cut at each `'` that no `?` stands before; elements at each `+`. */
const segmentsOf = (text: string): string[][] =>
  text
    .split(/(?<!\?)'/)
    .map((segment) => segment.replace(/[\r\n]/g, '').split(/(?<!\?)\+/))
    .filter(([tag = '']) => /^[A-Z]{3}$/.test(tag));

/** Records that the file must give: each event or order of a sound message, each broken message, each fault of the envelope. */
function countedByHand(text: string, perEvent: boolean): { sound: number; broken: number } {
  const counts = { sound: 0, broken: 0 };
  let message: string[][] = [];
  let interchange = '';
  let [messages, isClosed] = [0, true];
  for (const segment of segmentsOf(text)) {
    const [tag, first = '', second = '', , , reference = ''] = segment;
    if (tag === 'UNB') [interchange, messages, isClosed] = [reference, 0, false];
    else if (tag === 'UNZ') {
      isClosed = true;
      if (Number(first) !== messages) counts.broken += 1;
      if (second !== interchange) counts.broken += 1;
    } else {
      if (tag === 'UNH') {
        message = [];
        messages += 1;
      }
      message.push(segment);
      if (tag !== 'UNT') continue;
      const isSound = Number(first) === message.length && second === message[0]?.[1];
      if (isSound) counts.sound += perEvent ? message.filter(([own]) => own === 'STS').length : 1;
      else counts.broken += 1;
    }
  }
  if (!isClosed) counts.broken += 1;
  return counts;
}

describe('EDIFACT files of other people', () => {
  itReads.each(present)(
    '%s gives a request or an error for each event or order, counted by hand',
    async (file, name) => {
      const { sound, broken } = countedByHand(textOf(file), name === 'edifact-iftsta');
      const { lines } = await map(partnersOwn(name), file);
      expect(lines).toHaveLength(sound + broken);
      expect(lines.filter(({ requests, errors }) => requests.length > 0 === errors.length > 0)).toEqual([]);
      expect(lines.filter(({ requests }) => requests.length > 0).length).toBeLessThanOrEqual(sound);
    },
  );

  itReads.each(present.filter(([file]) => isBare(textOf(file))))(
    '%s, a message alone, is refused unless the mapping takes such files',
    async (file, name) => {
      expect(await map(shipped(name), file)).toEqual({ lines: [], codes: ['interchange_header_missing'] });
    },
  );

  itReads.each(present)('%s gives requests of nothing that does not stand in the record', async (file, name) => {
    const { lines } = await map(partnersOwn(name), file);
    for (const { position, requests } of lines) {
      const source = Buffer.from(bytesOf(file).slice(position.byteFrom, position.byteTo)).toString('utf8');
      for (const { kind, body } of requests) {
        if (kind !== 'milestone') {
          expect(source).toContain(`+${body.orderRef}+`);
          continue;
        }
        expect(source).toContain(String(body.loadNumber));
        expect(source).toMatch(new RegExp(`^STS\\+[^+]*\\+${String(body.eventCode)}[:+']`));
        const { dateTime } = body.time as { dateTime: string };
        expect(source).toContain(`:${dateTime.slice(0, 16).replace(/[-T:]/g, '')}:203`);
      }
    }
  });

  /** Copied from the files before the mapping was ever run over them. */
  const SYRACUSE = {
    kind: 'milestone',
    subject: 'load:ABCD224O4023815X',
    scac: 'ABCD',
    body: {
      loadNumber: 'ABCD224O4023815X',
      eventCode: 'P',
      eventCity: 'SYRACUSE',
      time: { dateTime: '2022-11-19T07:10:00.0000000-05:00', timeZoneCode: 'EST', timeZoneOffset: 'UTC-5' },
      references: [
        { name: 'BOL', value: 'ABCD224O4023815X' },
        { name: 'BOOKING', value: '24O4023815' },
        { name: 'EQUIPMENT', value: 'TRHU4561222' },
      ],
    },
  };
  const ORDER = {
    kind: 'order.create',
    subject: 'order:56677786689',
    body: {
      orderRef: '56677786689',
      shipperCode: '0410106314',
      consignee: {
        name: 'Person Name',
        contact: 'Person Name',
        address: { street: 'Street Nr 2', city: 'City2', postalCode: '12345', country: 'DE' },
        phone: '+46980100',
        email: 'person.name@test.com',
      },
      references: [{ name: 'CUSTOMER', value: 'ValidationSet1' }],
      skus: [{ line: '1', sku: '56677786689', quantity: 1, weightKg: 0.62 }],
    },
  };
  const GOLDENS = new Map([
    ['apimeister__edifact-types/d00b_iftsta.edi', [SYRACUSE]],
    ['apimeister__edifact-types/test_iftsta.parse_iftsta.edi', [SYRACUSE]],
    ['apimeister__edifact-types/test_iftsta.parse_iftsta_with_unb.edi', [SYRACUSE]],
    ['apimeister__edifact-types/test_iftsta.build_iftsta.edi', [SYRACUSE]],
    ['Chemaclass__edifact-parser/edifact-sample.edi', [ORDER]],
    ['RovoMe__ts-edifact/spec_doc2_IFTMIN_01B.edi', []], // its consignee is a number alone
    ['apimeister__edifact-types/test_iftmin.parse_iftmin.edi', []],
    ['indice-co__EDI.Net/edifact.Issue188.edi', []],
  ]);
  itReads.each(present.filter(([file]) => GOLDENS.has(file)))(
    '%s gives what a person reads in it',
    async (file, name) => {
      const { lines } = await map(partnersOwn(name), file);
      expect(lines.flatMap(({ requests }) => requests)).toEqual(GOLDENS.get(file));
    },
  );

  itReads.each(present.filter(([, name]) => name === 'edifact-iftsta'))(
    '%s is an event by a dialect that is data: zone, event codes by words of the carrier, date forms, the booking as load',
    async (file, name) => {
      const dialect = {
        zone: { from: 'STS/LOC[01=175]-03.1', lookup: 'zones-of-countries' },
        fields: {
          loadNumber: 'STS/RFF[01.1=BN]-01.2',
          eventCode: { from: 'STS-02.4', lookup: ['words-of-the-carrier', 'carrier-status-words'] },
          time: {
            from: 'STS/DTM[01.1=334]-01.2',
            parse: { from: 'STS/DTM[01.1=334]-01.3', lookup: ['forms-of-the-carrier', 'edifact-date-forms'] },
          },
        },
      };
      const { lines } = await map(partnersOwn(name, dialect), file);
      expect(lines.flatMap(({ requests }) => requests)).toMatchObject([
        {
          subject: 'load:24O4023815',
          body: { eventCode: 'AF', eventCity: 'SYRACUSE', time: { dateTime: '2022-11-19T07:10:00.0000000-05:00' } },
        },
      ]);
    },
  );

  itReads.each(present.filter(([file, name]) => name === 'edifact-iftsta' && !isBare(textOf(file))))(
    '%s is no event under the shipped mapping, which knows neither its code nor its zone',
    async (file) => {
      const { lines } = await map(shipped('edifact-iftsta'), file);
      expect(lines[0]?.errors.map(({ code, value }) => `${code} ${value}`)).toEqual([
        'code_unknown P',
        'time_zone_missing 202211190710',
      ]);
    },
  );

  itReads.each(present.filter(([file]) => file.includes('spec_doc2')))(
    '%s wants a name and a city',
    async (file, name) => {
      const { lines } = await map(partnersOwn(name), file);
      expect(lines[0]?.errors.map(({ code, path }) => `${code} ${path}`)).toEqual([
        'value_missing NAD[01=CN]/NAD-06',
        'value_missing NAD[01=CN]/NAD-04.1, NAD[01=CN]/NAD-03.1',
      ]);
    },
  );

  itReads.each(present.filter(([file]) => malformed(file).length > 0))(
    '%s has its envelope faults told as they are',
    async (file, name) => {
      const { lines } = await map(partnersOwn(name), file);
      const told = lines.flatMap(({ errors }) => errors).map(({ code, path, value }) => `${code} ${path} ${value}`);
      for (const wanted of malformed(file)) expect(told).toContain(wanted);
    },
  );
});

/** The errors wanted for what is known to be wrong with a file, in the words of `malformed_index.json`. */
function malformed(file: string): string[] {
  const index: { edifact: Record<string, { reasonFacts: string[] }> } = JSON.parse(
    readFileSync(join(CORPUS, 'malformed_index.json'), 'utf8'),
  );
  return (index.edifact[`edifact/${file}`]?.reasonFacts ?? []).flatMap((reason) => {
    const [, wrongCount] = /^UNT01 (\d+)!=/.exec(reason) ?? [];
    if (wrongCount !== undefined) return [`count_differs UNT-01 ${wrongCount}`];
    const [, wrongReference] = /^UNT02 (\w+)!=/.exec(reason) ?? [];
    if (wrongReference !== undefined) return [`control_number_differs UNT-02 ${wrongReference}`];
    return reason.endsWith('but UNZ=0') ? ['trailer_missing UNZ '] : [];
  });
}
