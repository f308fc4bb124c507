/** What `mapping new` does: suggests, asks, suggests again, and writes what it found. */
import { createReadStream, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { looksLike } from '../../../src/formats/magic.ts';
import { SAMPLE_BYTES_MAX } from '../../../src/mapping/suggest/limits.ts';
import { suggestMapping } from '../../../src/mapping/suggest/suggest.ts';
import type {
  Choice,
  CodeWord,
  Confidence,
  FieldSuggestion,
  Question,
  SuggestedCodeList,
  Suggestion,
} from '../../../src/mapping/suggest/suggestion.ts';
import { NotRun, visible } from '../../frame/command.ts';
import { printJson } from '../definitions.ts';
import { shipped } from '../map/open-mapping.ts';
import { EXIT_CODES, type ExitCode, type Surroundings } from '../surroundings.ts';
import { ask, canAsk, choose, type Paint, paintFor } from '../terminal.ts';

export interface NewMappingOptions {
  output?: string;
  answer: string[];
  force?: boolean;
  json?: boolean;
}

const OTHER = '(something else)';
const MIB = 1024 * 1024;

export async function newMapping(
  surroundings: Surroundings,
  path: string,
  options: NewMappingOptions,
): Promise<ExitCode> {
  const { errors, environment, output } = surroundings;
  const isPiped = path === '-';
  const sample = await readSample(path, isPiped ? surroundings.input : createReadStream(path));
  const answers = new Map(options.answer.map(answerIn));
  const facts = shipped();
  const suggest = () =>
    suggestMapping(sample.bytes, { fileName: basename(options.output ?? path), answers, isPart: sample.isPart }, facts);
  let found = await suggest();
  if (!isPiped && canAsk(surroundings)) found = await askAll(surroundings, found, answers, suggest);
  const paint = paintFor(errors, environment);
  errors.write(foundLines(found, paint));
  if (found.yaml !== null && options.output !== undefined) {
    const files = write(found, options.output, options.force === true, errors);
    if (found.isValid) errors.write(nextLines(files, path, paint));
  }
  if (options.json) printJson(surroundings, found);
  else if (found.yaml !== null && options.output === undefined) output.write(found.yaml);
  if (found.unusedAnswers.length > 0) {
    const ids = found.questions.map(({ id }) => id).join(', ');
    errors.write(
      `No question has this answer: ${found.unusedAnswers.map(visible).join(', ')}. Write id=choice${ids === '' ? '' : `; ids: ${visible(ids)}`}.\n`,
    );
  }
  const isOpen = found.questions.some(({ answer }) => answer === null) || found.unusedAnswers.length > 0;
  return found.isValid && !isOpen ? EXIT_CODES.done.code : EXIT_CODES.found.code;
}

/**
 * As much as the suggestions look at; a larger file, or what comes through a pipe, is not read whole.
 * @throws NotRun for a workbook, which cannot be cut.
 */
async function readSample(path: string, stream: Readable): Promise<{ bytes: Uint8Array; isPart: boolean }> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of stream as AsyncIterable<Buffer>) {
    parts.push(part);
    size += part.byteLength;
    if (size > SAMPLE_BYTES_MAX) break;
  }
  const bytes = Buffer.concat(parts).subarray(0, SAMPLE_BYTES_MAX);
  const isPart = size > bytes.byteLength;
  // A workbook is a zip file: the list of its parts is at its end.
  if (isPart && looksLike(bytes) === 'zip')
    throw new NotRun(
      `${path} is a workbook of more than ${SAMPLE_BYTES_MAX / MIB} MiB, which cannot be cut. Save its first rows as a workbook of their own, or as CSV.`,
    );
  return { bytes: new Uint8Array(bytes), isPart };
}

/** At the last "=": an id may hold one. */
function answerIn(text: string): [string, string] {
  const at = text.lastIndexOf('=');
  if (at < 1) throw new NotRun(`--answer is id=choice, not "${text}".`);
  return [text.slice(0, at), text.slice(at + 1)];
}

/** Codes first: where nobody knows one, the question is whether they are sent as they are, and one code answers it. */
async function askAll(
  surroundings: Surroundings,
  first: Suggestion,
  answers: Map<string, string>,
  suggest: () => Promise<Suggestion>,
): Promise<Suggestion> {
  let found = first;
  const asked = new Set<string>();
  for (;;) {
    const next = nextQuestion(found, (id) => !answers.has(id) && !asked.has(id));
    if (next === null) return found;
    const answer = await next.ask(surroundings);
    asked.add(next.id);
    if (answer === null) continue;
    answers.set(next.id, answer);
    found = await suggest();
  }
}

/** @property ask null: it stays open. */
interface Asked {
  id: string;
  ask(surroundings: Surroundings): Promise<string | null>;
}

function nextQuestion({ questions, fields, codeLists }: Suggestion, isOpen: (id: string) => boolean): Asked | null {
  const unsure = fields.find(
    ({ confidence, other }) =>
      confidence === 'unsure' && (other?.choices.length ?? 0) > 1 && isOpen(other?.answerId ?? ''),
  );
  if (unsure?.other !== undefined) {
    const { answerId, choices } = unsure.other;
    return { id: answerId, ask: (surroundings) => askColumn(surroundings, unsure, choices) };
  }
  for (const list of codeLists) {
    const word = list.words.find(({ code, answerId }) => code === null && isOpen(answerId));
    if (word !== undefined) return { id: word.answerId, ask: (surroundings) => askCode(surroundings, list, word) };
  }
  const question = questions.find(({ id, answer }) => answer === null && isOpen(id));
  return question === undefined ? null : { id: question.id, ask: (surroundings) => askOne(surroundings, question) };
}

async function askColumn(
  surroundings: Surroundings,
  { field, columns, reason }: FieldSuggestion,
  choices: readonly Choice[],
): Promise<string> {
  surroundings.errors.write(visible(`\n${field} is only a guess. ${reason}\n`));
  const offered = choices.map(({ choice, says }) => ({ id: choice, label: says }));
  const asks = `Is it ${columns.join(', ')}? Enter says yes.`;
  const chosen = await choose(surroundings, asks, [...offered, { id: OTHER, label: OTHER }]);
  return chosen === OTHER ? ask(surroundings, `${FREE_MESSAGES.column}: `) : chosen;
}

/** A code that is none is asked for again: what is sent must be one of the list. */
async function askCode(
  surroundings: Surroundings,
  { column, field, codes }: SuggestedCodeList,
  { word, rows, beside }: CodeWord,
): Promise<string | null> {
  const said = beside === null ? '' : `, beside it "${beside}"`;
  const question = `${column}: which ${field} is "${word}" (${rows} ${rows === 1 ? 'row' : 'rows'}${said})? A code; ? shows all, Enter leaves it open: `;
  for (;;) {
    const code = (await ask(surroundings, visible(question))).toUpperCase();
    if (code === '') return null;
    if (codes.length === 0 || codes.some((each) => each.code === code)) return code;
    const list = codes.map((each) => `  ${each.code}: ${each.means}\n`).join('');
    surroundings.errors.write(visible(code === '?' ? list : `${code} is no code of the list.\n`));
  }
}

async function askOne(surroundings: Surroundings, question: Question): Promise<string> {
  const { asks, why, choices, free, evidence } = question;
  const shown = evidence.map(({ row, column, value }) => `  row ${row}, ${column}: ${value}\n`).join('');
  surroundings.errors.write(visible(`\n${why}\n${shown}`));
  if (choices.length === 0) return ask(surroundings, `${visible(asks)} `);
  const hasLikely = choices.some(({ isLikely }) => isLikely);
  const likelyFirst = [...choices.filter(({ isLikely }) => isLikely), ...choices.filter(({ isLikely }) => !isLikely)];
  const offered = likelyFirst.map(({ choice, says }) => ({
    id: choice,
    label: says === choice ? says : `${choice}: ${says}`,
  }));
  const all = free === null ? offered : [...offered, { id: OTHER, label: OTHER }];
  const chosen = await choose(surroundings, asks, all, hasLikely);
  return chosen === OTHER ? ask(surroundings, `${FREE_MESSAGES[free ?? 'text']}: `) : chosen;
}

const FREE_MESSAGES: Record<NonNullable<Question['free']>, string> = {
  zone: 'A time zone, such as Europe/Berlin',
  column: 'The name of a column',
  text: 'What it is',
};

const toneOf: Record<Confidence, keyof Paint> = { sure: 'good', likely: 'attention', unsure: 'bad' };

/** What was found, and what is open. */
function foundLines(found: Suggestion, paint: Paint): string {
  const { format, target, fields, questions, codeLists, problems, isValid, records } = found;
  const line = (what: string, value: string, confidence: Confidence, reason: string): string =>
    `  ${visible(`${what}: ${value}`)} ${paint[toneOf[confidence]](`(${confidence})`)} ${paint.dim(visible(reason))}`;
  const open = questions.filter(({ answer }) => answer === null);
  return [
    `${paint.bold('Read')}: ${records} records.`,
    ...format.map(({ what, value, confidence, reason }) => line(what, value, confidence, reason)),
    line('sends', target.kind ?? 'nothing yet', target.confidence, target.reason),
    ...fields.map(({ field, columns, confidence, reason }) => line(field, columns.join(', '), confidence, reason)),
    ...open.map(openLine),
    ...fields.flatMap(otherLine),
    ...codeLists.flatMap(wordsLine),
    ...unreadLines(found, paint),
    ...problems.map(({ path, message }) => `  ${paint.bad('Not right yet')}: ${visible(`${path}: ${message}`)}`),
    isValid && open.length === 0 ? validLine(found, paint) : paint.attention('It is not whole yet.'),
    '',
  ].join('\n');
}

/** Rows of the sample that are in error stand in the example as such, and hold. */
const validLine = ({ yaml }: Suggestion, paint: Paint): string =>
  /^\s*- errors:/m.test(yaml ?? '')
    ? paint.attention('It is a valid mapping; of its example, some rows are in error.')
    : paint.good('It is a valid mapping, and its example holds.');

/** `Items/Item[2]/@sku`, `stops[1].city`: of a list in the sample. */
const LATER_ELEMENT = /\[\d+\]/;

/** What is not sent at all, so that nobody takes it for sent. */
function unreadLines({ columns }: Suggestion, paint: Paint): string[] {
  const unread = columns.filter(({ usedFor }) => usedFor.length === 0).map(({ name }) => name);
  if (unread.length === 0) return [];
  const isList = unread.some((name) => LATER_ELEMENT.test(name));
  return [
    `  ${paint.attention('Nothing reads')}: ${visible(unread.join(', '))}`,
    ...(isList
      ? [`  ${paint.bad('Of a list only the first is read.')} Write each: for it, as docs/mappings.md says of arrays.`]
      : []),
  ];
}

function openLine({ id, asks, choices, free }: Question): string {
  const all = [...choices.map(({ choice }) => choice), ...(free === null ? [] : [`a ${free}`])];
  return visible(`  Open: ${asks}\n    --answer ${id}=${all.join(' | ')}`);
}

function otherLine({ confidence, other }: FieldSuggestion): string[] {
  if (confidence !== 'unsure' || other === undefined || other.choices.length < 2) return [];
  const { answerId, choices } = other;
  return [visible(`  To check: --answer ${answerId}=${choices.map(({ choice }) => choice).join(' | ')}`)];
}

function wordsLine({ column, words }: SuggestedCodeList): string[] {
  const open = words.filter(({ code }) => code === null);
  if (open.length === 0) return [];
  return [
    visible(
      `  ${column}: no code is known for ${open.map(({ word }) => `"${word}"`).join(', ')}, e.g. --answer ${open[0]?.answerId}=X1`,
    ),
  ];
}

/** @returns the files, the mapping first. */
function write(found: Suggestion, path: string, isForced: boolean, errors: Surroundings['errors']): string[] {
  const lists = found.codeLists.flatMap(({ list, yaml }) =>
    yaml === null ? [] : [[join(dirname(path), 'code-lists', `${list}.yaml`), yaml] as const],
  );
  const files = [[path, found.yaml ?? ''] as const, ...lists];
  const there = files.map(([at]) => at).filter((at) => existsSync(at));
  if (there.length > 0 && !isForced)
    throw new NotRun(`${there.join(', ')} is there already: name another with -o, or --force.`);
  for (const [at, text] of files) {
    mkdirSync(dirname(at), { recursive: true });
    writeFileSync(at, text);
    errors.write(`Written to ${visible(at)}.\n`);
  }
  return files.map(([at]) => at);
}

/** What shows each record of the sample, and what makes it work, to be copied: a mapping cannot be published before its lists. */
function nextLines([mapping = '', ...lists]: readonly string[], sample: string, paint: Paint): string {
  const commands = [
    `transload map ${quoted(mapping)} ${quoted(sample)}`,
    ...lists.map((list) => `transload publish ${quoted(list)}`),
    `transload publish ${quoted(mapping)} --partners NAME --note "…"`,
  ];
  return [paint.bold('Next:'), ...commands.map((command) => `  ${visible(command)}`), ''].join('\n');
}

/** On Windows both shells take double quotes, which no path has there. */
function quoted(path: string): string {
  if (/^[\w./-]+$/.test(path)) return path;
  return process.platform === 'win32' ? `"${path}"` : `'${path.replaceAll("'", `'\\''`)}'`;
}
