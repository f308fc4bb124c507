/** Mappings suggested for tables of text. */
import { describe, expect, it } from 'vitest';
import { factOf, fieldLines, openIds, questionOf, suggestFor } from './samples.ts';

const GERMAN = [
  'Sendungsnummer;Statuscode;Ereignisdatum;Uhrzeit;Ort;Gewicht kg;Frachtbriefnummer',
  '4410027;Abgeholt;02.03.2026;07:40;Köln;1.250,5;774411',
  '4410027;Unterwegs;03.03.2026;08:15;Fürth;1.250,5;',
  '4410028;Zugestellt;25.03.2026;18:05;Nürnberg;980,25;774412',
  '4410029;Beim Zoll;26.03.2026;09:00;Passau;80;',
  '',
].join('\n');

describe('a table with semicolons, German names, dates with points and decimal commas', () => {
  it('has every field found, its dates decided by a row, and only the zone asked', async () => {
    const found = await suggestFor(GERMAN, { encoding: 'windows-1252', fileName: 'Sendungsstatus März.csv' });
    expect(found.name).toBe('sendungsstatus-marz');
    expect([factOf(found, 'delimiter'), factOf(found, 'header')]).toEqual(['; [sure]', 'yes [sure]']);
    expect(found.target.kind).toBe('milestone');
    expect(fieldLines(found)).toEqual([
      'fields.time = {"from":["Ereignisdatum","Uhrzeit"],"parse":"dd.MM.yyyy HH:mm"} [sure]',
      'fields.loadNumber = "Sendungsnummer" [likely]',
      'fields.eventCode = {"from":"Statuscode","lookup":"sendungsstatus-marz-status"} [unsure]',
      'fields.eventCity = "Ort" [sure]',
      'fields.references.PRO = {"name":"PRO","value":"Frachtbriefnummer","omitWhenEmpty":true} [sure]',
    ]);
    expect(found.fields[0]?.evidence).toEqual({ row: 3, column: 'Ereignisdatum, Uhrzeit', value: '25.03.2026 18:05' });
    expect(found.codeLists[0]?.words.map(({ word, code }) => [word, code])).toEqual([
      ['Abgeholt', 'AF'],
      ['Unterwegs', 'X6'],
      ['Zugestellt', 'D1'],
      ['Beim Zoll', null],
    ]);
    expect(openIds(found)).toEqual(['zone']);
    expect(found.isValid).toBe(false);
  });
  it('is a valid mapping with an example that holds once the zone is answered', async () => {
    const answers = { zone: 'Europe/Berlin', 'status.4': 'K1' };
    const found = await suggestFor(GERMAN, { encoding: 'windows-1252', answers });
    expect([found.problems, openIds(found), found.unusedAnswers]).toEqual([[], [], []]);
    expect(found.isValid).toBe(true);
    expect(found.yaml).toContain('dateTime: "2026-03-02T07:40:00.0000000+01:00"');
    expect(found.codeLists[0]?.yaml).toContain('  Beim Zoll: K1\n');
  });
});

describe('dates that no row decides', () => {
  const sample = 'Load,Status,Event Time\nL1,X3,03/02/2026 08:15\nL2,D1,04/05/2026 09:00\n';
  it('are asked with what each choice would mean', async () => {
    const found = await suggestFor(sample, { answers: { zone: 'UTC' } });
    expect(openIds(found)).toEqual(['time.form']);
    expect(questionOf(found, 'time.form').choices.map(({ choice, says }) => [choice, says])).toEqual([
      ['mdy', 'Month first: 03/02/2026 08:15 is 2 March 2026.'],
      ['dmy', 'Day first: 03/02/2026 08:15 is 3 February 2026.'],
    ]);
    expect([found.isValid, found.yaml?.includes('\n  time:')]).toEqual([false, false]);
  });
  it('are read as answered', async () => {
    const found = await suggestFor(sample, { answers: { zone: 'UTC', 'time.form': 'dmy' } });
    expect([found.isValid, found.unusedAnswers]).toEqual([true, []]);
    expect(found.yaml).toContain('2026-02-03T08:15:00');
  });
});

describe('names of columns that hold line breaks', () => {
  it('stay within their comment in the document', async () => {
    const found = await suggestFor(
      'Load,Status,At,"Odd\nskip: { when: { field: Load, empty: false } }"\nL1,X3,2026-03-02T08:15:00Z,1\n',
    );
    expect([found.isValid, found.yaml?.includes('\nskip:')]).toEqual([true, false]);
  });
});

describe('orders of which some are cancelled', () => {
  const HEAD = 'Order No,Action,Ship To Name,Street,Zip,SKU,Qty';
  const rows = (...lines: string[]): string => [HEAD, ...lines, ''].join('\n');
  const created = (ref: string, action: string, sku = 'SOFA-3') =>
    `${ref},${action},Consignee 1,12 Elm St,60431,${sku},1`;
  const TARGET = /^target: (.*?)(?: #.*)?$/m;
  const targetOf = ({ yaml }: { yaml: string | null }) => TARGET.exec(yaml ?? '')?.[1];

  it('are cancelled by the column that says so, and grouped by it, too', async () => {
    const file = rows(created('SO-1', 'New'), created('SO-1', 'New', 'LAMP-2'), 'SO-1,Cancelled,,,,,');
    const found = await suggestFor(file);
    expect(targetOf(found)).toBe('{ switch: Action, cases: { New: order.create, Cancelled: order.cancel } }');
    expect(found.yaml).toContain('group: { by: [Order No, Action], order: adjacent }');
    expect(found.yaml).toContain('          - kind: order.cancel\n            subject: "order:SO-1"\n');
    expect(fieldLines(found)[0]).toMatch(/^target = .* \[likely\]$/);
    expect(found.fields[0]?.evidence).toEqual({ row: 3, column: 'Action', value: 'Cancelled' });
    expect([openIds(found), found.problems, found.isValid]).toEqual([[], [], true]);
  });
  it('are errors where nobody can tell whether an order or a line of it is cancelled', async () => {
    const found = await suggestFor(
      rows(created('SO-1', 'NEW'), created('SO-1', 'CANCEL', 'LAMP-2'), created('SO-2', 'NEW')),
    );
    expect(targetOf(found)).toBe('{ switch: Action, cases: { NEW: order.create } }');
    expect(found.yaml).toContain('# open: What becomes of a row with "CANCEL"? Until it has a case, it is an error.\n');
  });
  it('have no case for a word that is not known, nor for none', async () => {
    const found = await suggestFor(
      rows(
        created('SO-1', 'NEW'),
        created('SO-2', 'NEW'),
        created('SO-3', 'SPLIT'),
        created('SO-4', ''),
        created('SO-5', 'DELETE'),
      ),
    );
    expect(targetOf(found)).toBe('{ switch: Action, cases: { NEW: order.create, DELETE: order.cancel } }');
    expect(found.yaml).toContain('# open: What becomes of a row with "SPLIT", ""? Until');
  });
  it.each([
    ['no word cancels', rows(created('SO-1', 'NEW'), created('SO-2', 'OPEN'))],
    [
      'most words say something else',
      rows(created('SO-1', 'NEW'), created('SO-2', 'A'), created('SO-3', 'B'), created('SO-4', 'CANCEL')),
    ],
    ['letters could mean anything', rows(created('SO-1', 'N'), created('SO-2', 'C'), created('SO-3', 'D'))],
    [
      'the column is called otherwise',
      rows(created('SO-1', 'NEW'), created('SO-2', 'CANCEL')).replace('Action', 'Season'),
    ],
  ])('are new orders alone where %s', async (_, file) => expect(targetOf(await suggestFor(file))).toBe('order.create'));
  it('are cancelled in JSON by what stands beside their lines', async () => {
    const order = (orderNumber: string, action: string) => ({
      ...{ orderNumber, action, shipTo: { name: 'Consignee 1', street: '12 Elm St', zip: '60431' } },
      items: [{ sku: 'SOFA-3', qty: 1 }],
    });
    const found = await suggestFor(
      JSON.stringify([order('SO-1', 'NEW'), order('SO-2', 'NEW'), order('SO-1', 'CANCEL')]),
    );
    expect(targetOf(found)).toBe('{ switch: action, cases: { NEW: order.create, CANCEL: order.cancel } }');
    expect(found.isValid).toBe(true);
  });
});

describe('zones of America and Europe in one column', () => {
  const row = (load: string, zone: string) => `${load},X3,2026-01-02 08:15,${zone}`;
  it('are both read, in whatever order they come', async () => {
    const rows = [row('L1', 'MEZ'), row('L2', 'ET'), row('L3', 'CET'), row('L4', 'Europe/Paris')];
    const found = await suggestFor(['Load No,Status,When,TZ', ...rows, ''].join('\n'));
    expect(fieldLines(found)).toContainEqual(
      'zone = {"from":"TZ","replace":[{"find":"CET","with":"CET+01:00"},{"find":"MEZ","with":"CET+01:00"}],"lookup":"us-time-zones","onMiss":"keep"} [sure]',
    );
    expect(
      [...(found.yaml ?? '').matchAll(/dateTime: "2026-01-02T08:15:00.0000000([^"]*)"/g)].map(([, at]) => at),
    ).toEqual(['+01:00', '-05:00', '+01:00']);
  });
});
