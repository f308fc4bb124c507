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
