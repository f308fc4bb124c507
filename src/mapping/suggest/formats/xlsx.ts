/** A workbook: the sheet with the table, the row of its header, and its cells as the CSV that mappings read. */
import { bytesInMemory } from '../../../formats/slices.ts';
import { openSheet } from '../../../formats/xlsx/convert.ts';
import { describeWorkbookProblem, WorkbookRefusal } from '../../../formats/xlsx/problems.ts';
import { readWorkbook, WorkbookParts } from '../../../formats/xlsx/workbook.ts';
import { SAMPLE_BYTES_MAX } from '../limits.ts';
import type { FormatFact } from '../suggestion.ts';
import { csvSample } from './csv.ts';
import { fact, isUnread, type Sample, type SampleOptions, type Unread } from './sample.ts';

/** Sheets that are looked at. */
const SHEETS_MAX = 10;

interface SheetText {
  name: string;
  number: number;
  text: string;
}

export async function workbookSample(bytes: Uint8Array, options: SampleOptions): Promise<Sample | Unread> {
  const names = await sheetNames(bytes);
  if (typeof names === 'string') return { format: [fact('format', 'xlsx', 'unsure', names)], questions: [] };
  const sheets: SheetText[] = [];
  for (const [index, name] of names.slice(0, SHEETS_MAX).entries()) {
    const text = await sheetText(bytes, index + 1, 'whole');
    if (text !== null) sheets.push({ name, number: index + 1, text });
  }
  const answered = sheets.find(({ name }) => name === options.answers.get('sheet'));
  const largest = sheets.reduce<SheetText | undefined>(
    (best, each) => (best === undefined || each.text.length > best.text.length ? each : best),
    undefined,
  );
  const sheet = answered ?? largest;
  if (sheet === undefined)
    return { format: [fact('format', 'xlsx', 'unsure', 'No sheet has any text.')], questions: [] };
  const whole = tableIn(sheet.text, options);
  const isDays = !isUnread(whole) && whole.columns.some(({ values }) => isDaysOnly(values));
  const shown = isDays ? await sheetText(bytes, sheet.number, 'shown') : null;
  const table = shown === null ? whole : tableIn(shown, options);
  return asSheet(table, sheet, names.length, shown === null ? 'whole' : 'shown', answered !== undefined);
}

/** Dates without a time of day: the time may stand in a column of its own. */
const isDaysOnly = (values: readonly string[]): boolean => {
  const filled = values.filter((value) => value !== '');
  return filled.length > 0 && filled.every((value) => /^\d{4}-\d\d-\d\d 00:00:00$/.test(value));
};

const tableIn = (text: string, { answers, isPart }: SampleOptions): Sample | Unread =>
  csvSample(
    { text, encoding: 'utf-8', facts: [], questions: [] },
    { answers: new Map([...answers, ['delimiter', ',']]), isPart },
  );

/** @returns the names, or why there are none. */
async function sheetNames(bytes: Uint8Array): Promise<string[] | string> {
  try {
    const { sheets } = await readWorkbook(await WorkbookParts.open(bytesInMemory(bytes)));
    return sheets.map(({ name }) => name);
  } catch (thrown) {
    if (thrown instanceof WorkbookRefusal) return describeWorkbookProblem(thrown.problem).message;
    throw thrown;
  }
}

/** The first row is read like the others: where the header is shows then. */
const AS_TABLE = {
  header: true,
  headerRow: 1,
  delimiter: ',',
  quote: '"',
  isDeclared: true,
  isMarked: false,
  moments: new Map(),
} as const;

async function sheetText(bytes: Uint8Array, sheet: number, dates: 'whole' | 'shown'): Promise<string | null> {
  const opened = await openSheet(bytesInMemory(bytes), { ...AS_TABLE, sheet, dates });
  if (!opened.ok || opened.value === null) return null;
  const decoder = new TextDecoder();
  let text = '';
  const csv = opened.value.csv();
  for (;;) {
    const { done, value } = await csv.next();
    if (done) return value === null ? text : null;
    text += decoder.decode(value, { stream: true });
    if (text.length < SAMPLE_BYTES_MAX) continue;
    // A workbook is small where its rows are alike: of a long sheet the first rows are enough.
    await csv.return(null);
    return text.slice(0, text.lastIndexOf('\r\n') + 2);
  }
}

function asSheet(
  table: Sample | Unread,
  { name, number }: SheetText,
  sheets: number,
  dates: 'whole' | 'shown',
  isAnswered: boolean,
): Sample | Unread {
  const facts = [
    fact('format', 'xlsx', 'sure', 'It is a workbook.'),
    sheetFact(name, sheets, isAnswered),
    datesFact(dates),
  ];
  const others = table.format.filter(({ what }) => what !== 'format' && what !== 'delimiter');
  if (isUnread(table)) return { format: [...facts, ...others], questions: table.questions };
  const { skipLines = 0, header, columns } = table.source;
  const source = {
    format: 'xlsx',
    ...(number === 1 ? {} : { sheet: name }),
    ...(header === false && columns !== undefined ? { header, columns } : {}),
    ...(skipLines === 0 ? {} : { headerRow: Number(skipLines) + 1 }),
    ...(dates === 'whole' ? { dates } : {}),
  };
  return { ...table, source, format: [...facts, ...others] };
}

const sheetFact = (name: string, sheets: number, isAnswered: boolean): FormatFact =>
  fact(
    'sheet',
    name,
    sheets === 1 || isAnswered ? 'sure' : 'likely',
    sheets === 1 ? 'It is the only one.' : `It is the largest of ${sheets} sheets.`,
  );

const datesFact = (dates: 'whole' | 'shown'): FormatFact =>
  fact(
    'dates',
    dates,
    'likely',
    dates === 'whole'
      ? 'Cells with dates are read with their time, however they are shown.'
      : 'Some columns hold days only, so that cells are read as they are shown.',
  );
