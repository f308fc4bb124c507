/** A table of text: its delimiter, its quotes, its header and its rows. Pure. */
import type { Encoding } from '../../../formats/encoding.ts';
import { EXAMPLE_CHARACTERS_MAX, HEAD_ROWS_MAX, SAMPLE_COLUMNS_MAX, SAMPLE_RECORDS_MAX } from '../limits.ts';
import { cellText, type SampleColumn } from '../shape.ts';
import type { FormatFact, Question } from '../suggestion.ts';
import { fact, type JsonObject, type Sample, type SampleOptions, type Unread } from './sample.ts';
import { type Opening, openingOf, splitRows, type TextRow, usualWidth } from './table.ts';

/** In the order in which they win where rows are divided equally well. */
const DELIMITERS = [';', '\t', '|', ',', '~', '^', ':'] as const;
const DELIMITER_NAMES: Readonly<Record<string, string>> = {
  ';': 'semicolon',
  '\t': 'tab',
  '|': 'vertical bar',
  ',': 'comma',
  ':': 'colon',
  '^': 'caret',
  '~': 'tilde',
};

interface Division {
  delimiter: string;
  rows: TextRow[];
  width: number;
  share: number;
}

/** Rows with as many cells, from which on a delimiter is believed, of all rows. */
const SHARE_SURE = 0.9;
const SHARE_MIN = 0.5;

interface CsvText {
  text: string;
  encoding: Encoding;
  facts: FormatFact[];
  questions: Question[];
}

export function csvSample({ text, encoding, facts, questions }: CsvText, asked: SampleOptions): Sample | Unread {
  const body = withoutDelimiterLine(text);
  const comment = commentPrefix(body);
  const answered = asked.answers.get('delimiter');
  const found = divisionOf(comment === null ? body : withoutComments(body, comment), answered);
  const rows = splitRows(body, found.delimiter, '"', SAMPLE_RECORDS_MAX + HEAD_ROWS_MAX).filter(
    ({ cells }) => comment === null || cells[0]?.startsWith(comment) !== true,
  );
  const opening = answeredHeader(openingOf(rows), asked.answers.get('header'));
  const header = rows[opening.titles];
  if (header === undefined)
    return { format: [...facts, fact('format', 'csv', 'unsure', 'There are no rows.')], questions };
  const table = tableOf(rows, opening, asked.isPart);
  const source: JsonObject = {
    format: 'csv',
    delimiter: found.delimiter,
    encoding,
    header: opening.hasHeader,
    ...(opening.hasHeader ? {} : { columns: table.columns.map(({ name }) => name) }),
    ...(header.line > 0 ? { skipLines: header.line } : {}),
    ...(comment === null ? {} : { comment }),
  };
  return {
    source,
    format: [
      fact('format', 'csv', found.width > 1 ? 'sure' : 'unsure', formatReason(found)),
      ...facts,
      delimiterFact(found, answered),
      ...headerFacts(opening, header),
      ...(comment === null
        ? []
        : [fact('comment', comment, 'likely', `Lines begin with "${comment}" before the table.`)]),
    ],
    questions: [...questions, ...headerQuestion(opening, asked.answers.get('header'))],
    ...table,
    each: null,
    exampleOf: (records: number) => exampleOf(body, rows, opening, records),
  };
}

/** Whether a delimiter divides nearly all lines alike. */
export function isDivided(text: string): boolean {
  const { delimiter, width, share } = divisionOf(text, undefined);
  return width > 1 && share >= SHARE_SURE && !WEAK.includes(delimiter);
}

const formatReason = ({ width, rows }: Division): string =>
  width > 1 ? `${rows.length} rows are divided into ${width} cells.` : 'Text in lines that no delimiter divides.';

/** A first line by which some programs tell Excel the delimiter is read past. */
const withoutDelimiterLine = (text: string): string => text.replace(/^sep=.{1,4}\r?\n/i, '');

function commentPrefix(text: string): string | null {
  const [first = ''] = text.split(/\r\n|\n|\r/, 1);
  return /^#[^,;\t|]*$/.test(first) && first.length > 1 ? '#' : null;
}

const withoutComments = (text: string, mark: string): string =>
  text
    .split(/\r\n|\n|\r/)
    .filter((line) => !line.startsWith(mark))
    .join('\n');

function divisionOf(text: string, answered: string | undefined): Division {
  const candidates = answered === undefined || answered === '' ? DELIMITERS : [answered];
  const divisions = candidates.map((delimiter): Division => {
    const rows = splitRows(text, delimiter, '"', HEAD_ROWS_MAX);
    return { delimiter, rows, ...usualWidth(rows) };
  });
  const even = divisions.filter(({ width, share }) => width > 1 && share >= SHARE_MIN);
  const best = even.reduce<Division | undefined>(
    (top, each) => (top === undefined || isBetter(each, top) ? each : top),
    undefined,
  );
  return best ?? divisions.find(({ delimiter }) => delimiter === ',') ?? (divisions[0] as Division);
}

/** Delimiters that also stand inside of times, numbers and names. */
const WEAK = [':', '^', '~'];

function isBetter(each: Division, top: Division): boolean {
  if (WEAK.includes(each.delimiter)) return false; // only where no other divides the rows
  const [even, topEven] = [each.share >= SHARE_SURE, top.share >= SHARE_SURE];
  return even === topEven ? each.width * each.share > top.width * top.share : even;
}

function delimiterFact({ delimiter, width, share }: Division, answered: string | undefined): FormatFact {
  const shown = delimiter === '\t' ? '\\t' : delimiter;
  if (answered !== undefined) return fact('delimiter', shown, 'sure', 'As you answered.');
  if (width <= 1) return fact('delimiter', shown, 'unsure', 'There is one column only, so that no delimiter shows.');
  const percent = Math.round(share * 100);
  const name = DELIMITER_NAMES[delimiter] ?? 'mark';
  const confidence = share >= SHARE_SURE ? 'sure' : 'likely';
  return fact('delimiter', shown, confidence, `A ${name} divides ${percent} % of the rows into ${width} cells.`);
}

function answeredHeader(opening: Opening, answer: string | undefined): Opening {
  if (answer !== 'yes' && answer !== 'no') return opening;
  return { ...opening, hasHeader: answer === 'yes', confidence: 'sure', reason: 'As you answered.' };
}

function headerFacts({ hasHeader, confidence, reason, titles }: Opening, { line }: TextRow): FormatFact[] {
  const facts = [fact('header', hasHeader ? 'yes' : 'no', confidence, reason)];
  if (titles === 0 && line === 0) return facts;
  return [...facts, fact('lines above the header', String(line), 'likely', `The table begins in line ${line + 1}.`)];
}

function headerQuestion({ hasHeader, confidence }: Opening, answer: string | undefined): Question[] {
  if (confidence !== 'unsure' && answer === undefined) return [];
  return [
    {
      id: 'header',
      asks: 'Does the first row name the columns?',
      why: 'Its cells look like those of the other rows.',
      columns: [],
      evidence: [],
      choices: [
        { choice: 'yes', says: 'Yes, it has names.', isLikely: hasHeader },
        { choice: 'no', says: 'No, it is a row like the others.', isLikely: !hasHeader },
      ],
      free: null,
      answer: answer ?? null,
    },
  ];
}

/** @returns the columns that can be named: those without a name, or with one that stands twice, are left out. */
function tableOf(
  rows: readonly TextRow[],
  { titles, hasHeader }: Opening,
  isPart: boolean,
): { columns: SampleColumn[]; records: number } {
  const from = titles + (hasHeader ? 1 : 0);
  const until = isPart ? rows.length - 1 : rows.length;
  const records = rows.slice(from, Math.min(until, from + SAMPLE_RECORDS_MAX));
  const { width } = usualWidth(records.length > 0 ? records : rows);
  const names = hasHeader
    ? (rows[titles]?.cells ?? []).map(cellText)
    : Array.from({ length: width }, (_, index) => `column ${index + 1}`);
  const columns = names.slice(0, SAMPLE_COLUMNS_MAX).flatMap((name, index): SampleColumn[] => {
    if (name === '' || names.indexOf(name) !== names.lastIndexOf(name)) return [];
    return [{ name, called: hasHeader ? name : '', values: records.map(({ cells }) => cellText(cells[index] ?? '')) }];
  });
  return { columns, records: records.length };
}

/** From the first line of the file to the end of these records. */
function exampleOf(
  text: string,
  rows: readonly TextRow[],
  { titles, hasHeader }: Opening,
  records: number,
): string | null {
  const last = rows[Math.min(rows.length, titles + (hasHeader ? 1 : 0) + records) - 1];
  if (last === undefined) return null;
  const head = text.slice(0, last.to).replaceAll(/\r\n?/g, '\n');
  return head.length > EXAMPLE_CHARACTERS_MAX ? null : head.endsWith('\n') ? head : `${head}\n`;
}
