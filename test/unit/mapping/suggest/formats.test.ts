/** Mappings suggested for workbooks, lines of fixed width, X12 and EDIFACT. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { workbookOfTexts } from '../../../workbook-files.ts';
import { factOf, fieldLines, openIds, questionOf, suggestFor } from './samples.ts';

const state = (found: Awaited<ReturnType<typeof suggestFor>>) => [openIds(found), found.problems, found.isValid];

describe('a workbook', () => {
  it('has its header found below a title', async () => {
    const rows = [['Tagesbericht'], [], ['Ladung', 'Status', 'Zeitpunkt'], ['L1', 'Zugestellt', '25.03.2026 08:15']];
    const found = await suggestFor(workbookOfTexts(rows), { answers: { zone: 'Europe/Berlin' } });
    expect(found.source).toEqual({ format: 'xlsx', headerRow: 3, dates: 'whole' });
    expect(fieldLines(found)).toContain('fields.time = {"from":"Zeitpunkt","parse":"dd.MM.yyyy HH:mm"} [sure]');
    expect(state(found)).toEqual([[], [], true]);
  });
});

describe('lines of fixed width', () => {
  it('of FORTRAS have their places known', async () => {
    const status = (load: string, code: string, time: string) =>
      `Q10${load.padEnd(105)}${code}${time}${''.padEnd(35)}0000${'Muster'.padEnd(35)}`;
    const lines = [
      '@@PHSTAT512 0512003500107',
      `Q00100ABC${'D1'.padEnd(35)}`,
      status('4711', '010', '250320260647'),
      '@@PT',
    ];
    const answers = { zone: 'Europe/Berlin', 'status.1': 'D1' };
    const found = await suggestFor(`${lines.join('\r\n')}\r\n`, { answers });
    expect(fieldLines(found)).toContain(
      'fields.time = {"from":["eventDate","eventTime"],"parse":"ddMMyyyy HHmm"} [likely]',
    );
    expect(state(found)).toEqual([[], [], true]);
  });
  it('of an unloading report have the time of the line in front of them', async () => {
    const answers = { zone: 'Europe/Berlin', 'status.1': 'X4', 'status.2': 'A9', 'status.3': 'SD' };
    const found = await suggestFor(readFileSync('fixtures/unseen/fortras-unloading.txt'), { answers });
    expect(found.source).toMatchObject({
      records: { M00: { use: 'carried' }, N00: { fields: {} }, '@@PH': { use: 'passed' } },
    });
    expect(fieldLines(found)).toEqual(
      expect.arrayContaining([
        'fields.time = {"from":["unloadedDate","unloadedTime"],"parse":"ddMMyyyy HHmm"} [likely]',
        'fields.loadNumber = "consignmentSending" [likely]',
      ]),
    );
    expect(state(found)).toEqual([[], [], true]);
  });
  it('of anybody have fields by their blanks, which are marked as unsure', async () => {
    const found = await suggestFor('LD100  X3 20260325 Joliet\nLD101  D1 20260326 Boston\nLD102  AF 20260327 Toledo\n');
    expect([factOf(found, 'format'), factOf(found, 'fields')]).toEqual(['fixed [likely]', '4 [unsure]']);
    expect(openIds(found)).toEqual(['target']);
  });
});

const ISA =
  'ISA*00*          *00*          *02*DEMO           *ZZ*TRANSLOAD      *260302*1500*U*00401*000000017*0*T*>~';
const x12 = (...body: string[]): string =>
  [ISA, 'GS*QM*DEMO*TRANSLOAD*20260302*1500*17*X*004010~', ...body, 'GE*1*17~', 'IEA*1*000000017~', ''].join('\n');

describe('X12 of a transaction that a shipped mapping reads', () => {
  const sample = x12('ST*214*0001~', 'B10*PRO1*LD1*DEMO~', 'LX*1~', 'AT7*ZY*NS***20260302*0815*LT~', 'SE*5*0001~');
  it('extends that mapping, and asks what it does not say', async () => {
    const found = await suggestFor(sample);
    expect([found.extends, openIds(found)]).toEqual(['x12-214', ['zone', 'eventCode.codes']]);
  });
  it('puts a list of its own in front of the standard', async () => {
    const found = await suggestFor(sample, { answers: { 'status.1': 'X3' }, fileName: 'acme.edi' });
    expect(found.yaml).toContain('lookup: [acme-status, x12-status-codes]');
  });
});

const iftsta = (status: string): string =>
  [
    "UNH+1+IFTSTA:D:00B:UN'",
    "BGM+23+M1+9'",
    "CNI+1'",
    status,
    "RFF+BN:L1'",
    "DTM+334:202603020815:203'",
    "UNT+7+1'",
    '',
  ].join('\n');

describe('an IFTSTA of a carrier', () => {
  it('is a dialect: no envelope, words in place of numbers, another reference, a zone', async () => {
    const open = await suggestFor(iftsta("STS+1+P::HS:Departed pickup'"));
    expect(openIds(open)).toContain('zone');
    const answers = { zone: 'Europe/Berlin', loadNumber: 'STS/RFF[01.1=BN]-01.2' };
    const found = await suggestFor(iftsta("STS+1+P::HS:Abgeholt'"), { answers, fileName: 'carrier.edi' });
    expect(fieldLines(found)).toContain('fields.eventCode = {"from":"STS-02.4","lookup":"carrier-status"} [unsure]');
    expect(found.yaml).toContain('source: { bare: accept }');
  });
  it('of a type that no shipped mapping reads says so', async () => {
    const found = await suggestFor("UNH+1+BAPLIE:D:00B:UN'\nBGM++1+9'\nUNT+3+1'\n");
    expect([found.yaml, found.target.reason]).toEqual([
      null,
      expect.stringContaining('No shipped mapping reads BAPLIE'),
    ]);
  });
});

describe('dates', () => {
  const table = (...dates: string[]): string => `Load,Status,Date\n${dates.map((date) => `L1,X3,${date}\n`).join('')}`;
  const answers = { zone: 'UTC' };
  it('with years of two digits are asked in all their orders', async () => {
    const found = await suggestFor(table('03/02/01 08:15', '04/05/06 09:15'), { answers });
    expect(questionOf(found, 'time.form').choices.map(({ choice }) => choice)).toEqual(['ymd', 'mdy', 'dmy']);
  });
  it('are decided by one row far below', async () => {
    const rows = [...Array.from({ length: 216 }, () => '03/02/2026 08:15'), '25/03/2026 08:15'];
    const found = await suggestFor(table(...rows), { answers });
    expect(found.fields[0]?.evidence).toEqual({ row: 217, column: 'Date', value: '25/03/2026 08:15' });
    expect(found.yaml).toContain('parse: "dd/MM/yyyy HH:mm"');
  });
  it('of which rows contradict each other are a question', async () => {
    const found = await suggestFor(table('25/03/2026 08:15', '03/25/2026 08:15'), { answers });
    expect(questionOf(found, 'time.form').why).toContain('Rows disagree');
  });
});
