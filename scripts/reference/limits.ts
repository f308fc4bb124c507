/** `limits.md`: every number of the `limits.ts` files that has a documentation comment, with its unit and its reason. */
import { code, page, prose, section, table } from './markdown.ts';
import { commentBefore, Declarations, declarationsOf, type SourceFile, sourceFiles } from './source.ts';

interface Limit {
  names: string[];
  values: string[];
  reason: string;
  /** Other files may have a constant of this name; of those that are shared there is one. */
  isShared: boolean;
}

/** A unit that other constants are counted in. */
const IS_UNIT = /^(?:SECOND|MINUTE|HOUR|DAY)_MS$/;
/** What a comment names the receiving system's documentation by. */
const DOCUMENTATION = /\bseed [\d.]+/g;
const IS_LIMITS = /(?:^|[/-])limits\.ts$/;

/** What partners and mapping authors meet, by the constants that set it. */
const MET: readonly [what: string, ...names: string[]][] = [
  ['An upload', 'UPLOAD_BYTES_MAX'],
  ['What it may unpack to, and how many times its own size', 'UNPACKED_BYTES_MAX', 'UNPACKED_RATIO_MAX'],
  ['Files in a ZIP archive', 'ARCHIVE_FILES_MAX'],
  ['A workbook', 'WORKBOOK_BYTES_MAX'],
  ['A message, and how long its sender may wait', 'MESSAGE_BYTES_MAX', 'MESSAGE_WAIT_MS_MAX'],
  ['Messages, and rows of them, that share a batch', 'ROLLING_BATCH_MESSAGES_MAX', 'ROLLING_BATCH_ROWS_MAX'],
  ['A preview', 'PREVIEW_BYTES_MAX', 'PREVIEW_RECORDS_MAX'],
  ['Rows that make one request, and their text', 'GROUP_ROWS_MAX', 'GROUP_CHARACTERS_MAX'],
  ['Elements of an array that become requests, per record', 'ELEMENTS_MAX'],
  ['An order as JSON', 'ORDER_CHARACTERS_MAX'],
  ['Waits between tries, then the last one again', 'RETRY_WAITS_MS', 'RETRY_LAST_WAIT_MS'],
  [
    'How long an event, a live position or an operation of an order is tried',
    'MILESTONE_DEADLINE_MS',
    'TRACE_LIVE_DEADLINE_MS',
    'ORDER_DEADLINE_MS',
  ],
  ['Pause between two requests with positions of a load, and positions in one', 'TRACE_WINDOW_MS', 'TRACE_POINTS_MAX'],
  ['After this an undecided event lets later ones pass', 'STEP_ASIDE_MS'],
  [
    'An answer of the receiving system that is stored, and its head in the report',
    'ANSWER_BYTES_MAX',
    'ANSWER_HEAD_CHARACTERS_MAX',
  ],
  ['Control numbers are remembered', 'INTERCHANGE_RETENTION_MS'],
  ['Files and Idempotency-Keys are remembered', 'CLAIM_RETENTION_MS'],
  ['A file, its reports and corrections are kept after its last row', 'BYTES_RETENTION_MS'],
  ['A batch and its rows are kept', 'BATCH_RETENTION_MS'],
  ['A load is kept after its last event, an order after its last operation', 'LOAD_RETENTION_MS', 'ORDER_RETENTION_MS'],
  ['Tries of a webhook', 'WEBHOOK_WAITS_MS'],
  ['A webhook without success is switched off after', 'WEBHOOK_FAILING_MS_MAX'],
];

function metSection(all: readonly Limit[]): string {
  const rows = MET.map(([what, ...names]) => {
    const values = names.map((name) => {
      const [limit, ...others] = all.filter((each) => each.isShared && each.names.includes(name));
      if (limit === undefined || others.length > 0) {
        throw new Error(`scripts/reference/limits.ts names ${name}, which is no limit, or several`);
      }
      return limit.values[limit.names.indexOf(name)] ?? '';
    });
    return [what, values.join('; ')];
  });
  return section('What you meet first', table(['What', 'Limit'], rows));
}

export function limitsPage(files: SourceFile[] = sourceFiles()): string {
  const declarations = new Declarations(files);
  const found = files
    .filter(({ path }) => IS_LIMITS.test(path))
    .map((file) => ({ file, limits: limitsOf(file, declarations) }))
    .filter(({ limits }) => limits.length > 0);
  const parts = found.map(({ file, limits }) => {
    const rows = limits.map(({ names, values, reason }) => [
      names.map(code).join('<br>'),
      values.join('<br>'),
      prose(reason.replace(DOCUMENTATION, "the receiving system's documentation")),
    ]);
    return section(titleOf(file.path), table(['Limit', 'Value', 'What it bounds, and why'], rows));
  });
  return page('Limits', '"Ours" marks a choice of the bridge; any other reason names where the number comes from.', [
    metSection(found.flatMap(({ limits }) => limits)),
    ...parts,
  ]);
}

/** The folder, in words: `src/formats/x12/limits.ts` is `formats/x12`. */
const titleOf = (path: string): string => path.replace(/^src\//, '').replace(/\/[\w-]*limits\.ts$/, '');

function limitsOf(file: SourceFile, declarations: Declarations): Limit[] {
  const limits: Limit[] = [];
  for (const { name, node, start, isExported } of declarationsOf(file)) {
    const value = declarations.valueOf(file, node);
    if (!/^[A-Z][A-Z0-9_]*$/.test(name) || IS_UNIT.test(name) || value === undefined) continue;
    const shown = valueText(name, value);
    if (shown === undefined) continue;
    const reason = commentBefore(file.text, start);
    const last = limits.at(-1);
    if (reason !== undefined) limits.push({ names: [name], values: [shown], reason, isShared: isExported });
    // A constant on the line below another shares its comment.
    else if (last !== undefined && /[^\n]\n$/.test(file.text.slice(0, start)) && isExported) {
      last.names.push(name);
      last.values.push(shown);
    }
  }
  return limits;
}

function valueText(name: string, value: unknown): string | undefined {
  if (typeof value === 'number') return numberText(name, value);
  if (Array.isArray(value)) return allTexts(value.map((each) => valueText(name, each)));
  if (typeof value === 'object' && value !== null && !(value instanceof RegExp)) {
    return allTexts(
      Object.entries(value).map(([key, each]) => {
        const text = valueText(name, each);
        return text === undefined ? undefined : `${key} ${text}`;
      }),
    );
  }
  return undefined;
}

/** What has a member that is no number is no limit. */
const allTexts = (texts: readonly (string | undefined)[]): string | undefined =>
  texts.length === 0 || texts.includes(undefined) ? undefined : texts.join(', ');

const count = (value: number): string => value.toLocaleString('en-US');

function numberText(name: string, value: number): string {
  const words = name.split('_');
  const has = (word: string): boolean => words.includes(word);
  if (has('MS')) return durationText(value);
  if (has('BYTES')) return bytesText(value);
  if (/KM_PER_HOUR/.test(name)) return `${count(value)} km/h`;
  if (/PER_(?:SECOND|MINUTE)/.test(name)) return `${count(value)} per ${has('SECOND') ? 'second' : 'minute'}`;
  if (has('JITTER') || has('SHARE')) return `${count(value * 100)} %`;
  for (const unit of [
    'CHARACTERS',
    'SECONDS',
    'MINUTES',
    'DAYS',
    'ROWS',
    'DECIMALS',
    'POINTS',
    'FILES',
    'UNITS',
    'KM',
  ]) {
    if (has(unit))
      return `${count(value)} ${unit === 'KM' ? 'km' : unit === 'UNITS' ? 'UTF-16 units' : unit.toLowerCase()}`;
  }
  return count(value);
}

function durationText(ms: number): string {
  const units = [
    ['day', 86_400_000],
    ['hour', 3_600_000],
    ['minute', 60_000],
    ['second', 1_000],
  ] as const;
  const [unit, size] = units.find(([, each]) => ms >= each && ms % each === 0) ?? ['ms', 1];
  const amount = ms / size;
  return `${count(amount)} ${unit === 'ms' || amount === 1 ? unit : `${unit}s`}`;
}

function bytesText(bytes: number): string {
  const units = [
    ['GiB', 1_024 ** 3],
    ['MiB', 1_024 ** 2],
    ['KiB', 1_024],
  ] as const;
  const [unit, size] = units.find(([, each]) => bytes >= each && bytes % each === 0) ?? ['bytes', 1];
  return `${count(bytes / size)} ${unit}`;
}
