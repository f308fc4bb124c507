/** What `mapping new` does: suggests, asks, suggests again, and writes what it found. */
import { closeSync, existsSync, mkdirSync, openSync, readSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { SAMPLE_BYTES_MAX } from '../../../src/mapping/suggest/limits.ts';
import { suggestMapping } from '../../../src/mapping/suggest/suggest.ts';
import type {
  CodeWord,
  Confidence,
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

export async function newMapping(
  surroundings: Surroundings,
  path: string,
  options: NewMappingOptions,
): Promise<ExitCode> {
  const { errors, environment, output } = surroundings;
  const sample = readSample(path);
  const answers = new Map(options.answer.map(answerIn));
  const facts = shipped();
  const suggest = () =>
    suggestMapping(sample.bytes, { fileName: basename(path), answers, isPart: sample.isPart }, facts);
  let found = await suggest();
  if (canAsk(surroundings)) found = await askWhatIsOpen(surroundings, found, answers, suggest);
  const paint = paintFor(errors, environment);
  errors.write(foundLines(found, paint));
  if (found.yaml !== null && options.output !== undefined) write(found, options.output, options.force === true, errors);
  if (options.json) printJson(surroundings, found);
  else if (found.yaml !== null && options.output === undefined) output.write(found.yaml);
  if (found.unusedAnswers.length > 0) {
    errors.write(`No question has this answer: ${found.unusedAnswers.map(visible).join(', ')}\n`);
  }
  const isOpen = found.questions.some(({ answer }) => answer === null) || found.unusedAnswers.length > 0;
  return found.isValid && !isOpen ? EXIT_CODES.done.code : EXIT_CODES.found.code;
}

/** As much as the suggestions look at; a larger file is not read whole. */
function readSample(path: string): { bytes: Uint8Array; isPart: boolean } {
  const size = statSync(path).size;
  const bytes = Buffer.alloc(Math.min(size, SAMPLE_BYTES_MAX));
  const file = openSync(path, 'r');
  try {
    readSync(file, bytes);
  } finally {
    closeSync(file);
  }
  return { bytes: new Uint8Array(bytes), isPart: size > bytes.byteLength };
}

/** At the last "=": an id may hold one. */
function answerIn(text: string): [string, string] {
  const at = text.lastIndexOf('=');
  if (at < 1) throw new NotRun(`--answer is id=choice, not "${text}".`);
  return [text.slice(0, at), text.slice(at + 1)];
}

async function askWhatIsOpen(
  surroundings: Surroundings,
  first: Suggestion,
  answers: Map<string, string>,
  suggest: () => Promise<Suggestion>,
): Promise<Suggestion> {
  let found = first;
  for (;;) {
    const open = found.questions.find(({ id, answer }) => answer === null && !answers.has(id));
    if (open === undefined) break;
    answers.set(open.id, await askOne(surroundings, open));
    found = await suggest();
  }
  const words = found.codeLists.flatMap((list) =>
    list.words.filter(({ code }) => code === null).map((word) => ({ list, word })),
  );
  for (const { list, word } of words) {
    const code = await ask(surroundings, `${visible(codeQuestion(list, word))} `);
    if (code !== '') answers.set(word.answerId, code);
  }
  return words.length === 0 ? found : suggest();
}

const codeQuestion = ({ column, field }: SuggestedCodeList, { word, rows }: CodeWord): string =>
  `${column}: which ${field} is "${word}" (${rows} ${rows === 1 ? 'row' : 'rows'})? Enter leaves it open:`;

async function askOne(surroundings: Surroundings, question: Question): Promise<string> {
  const { asks, why, choices, free, evidence } = question;
  const shown = evidence.map(({ row, column, value }) => `  row ${row}, ${column}: ${value}\n`).join('');
  surroundings.errors.write(visible(`\n${why}\n${shown}`));
  if (choices.length === 0) return ask(surroundings, `${visible(asks)} `);
  const likelyFirst = [...choices.filter(({ isLikely }) => isLikely), ...choices.filter(({ isLikely }) => !isLikely)];
  const offered = likelyFirst.map(({ choice, says }) => ({
    id: choice,
    label: says === choice ? says : `${choice}: ${says}`,
  }));
  const chosen = await choose(surroundings, asks, free === null ? offered : [...offered, { id: OTHER, label: OTHER }]);
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
    ...codeLists.flatMap(wordsLine),
    ...problems.map(({ path, message }) => `  ${paint.bad('Not right yet')}: ${visible(`${path}: ${message}`)}`),
    isValid && open.length === 0
      ? paint.good('It is a valid mapping, and its example holds.')
      : paint.attention('It is not whole yet.'),
    '',
  ].join('\n');
}

function openLine({ id, asks, choices, free }: Question): string {
  const all = [...choices.map(({ choice }) => choice), ...(free === null ? [] : [`a ${free}`])];
  return visible(`  Open: ${asks}\n    --answer ${id}=${all.join(' | ')}`);
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

function write(found: Suggestion, path: string, isForced: boolean, errors: Surroundings['errors']): void {
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
}
