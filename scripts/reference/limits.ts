/** `limits.md`: every number of the `limits.ts` files that has a documentation comment, with its unit and its reason. */
import { code, page, prose, section, table } from './markdown.ts';
import { commentBefore, Declarations, declarationsOf, type SourceFile, sourceFiles } from './source.ts';

interface Limit {
  names: string[];
  values: string[];
  reason: string;
}

/** A unit that other constants are counted in. */
const IS_UNIT = /^(?:SECOND|MINUTE|HOUR|DAY)_MS$/;
/** What a comment names the receiving system's documentation by. */
const DOCUMENTATION = /\bseed [\d.]+/g;
const IS_LIMITS = /(?:^|[/-])limits\.ts$/;

export function limitsPage(files: SourceFile[] = sourceFiles()): string {
  const declarations = new Declarations(files);
  const parts = files
    .filter(({ path }) => IS_LIMITS.test(path))
    .map((file) => {
      const rows = limitsOf(file, declarations).map(({ names, values, reason }) => [
        names.map(code).join('<br>'),
        values.join('<br>'),
        prose(reason.replace(DOCUMENTATION, "the receiving system's documentation")),
      ]);
      return section(titleOf(file.path), table(['Limit', 'Value', 'What it bounds, and why'], rows));
    });
  return page(
    'Limits',
    '"Ours" marks a choice of the bridge; any other reason names where the number comes from.',
    parts,
  );
}

/** The folder, in words: `src/formats/x12/limits.ts` is `formats/x12`. */
const titleOf = (path: string): string => path.replace(/^src\//, '').replace(/\/[\w-]*limits\.ts$/, '');

function limitsOf(file: SourceFile, declarations: Declarations): Limit[] {
  const limits: Limit[] = [];
  for (const { name, node, start } of declarationsOf(file)) {
    const value = declarations.valueOf(file, node);
    if (!/^[A-Z][A-Z0-9_]*$/.test(name) || IS_UNIT.test(name) || value === undefined) continue;
    const shown = valueText(name, value);
    if (shown === undefined) continue;
    const reason = commentBefore(file.text, start);
    const last = limits.at(-1);
    if (reason !== undefined) limits.push({ names: [name], values: [shown], reason });
    // A constant on the line below another shares its comment.
    else if (last !== undefined && /[^\n]\n$/.test(file.text.slice(0, start)) && isExportedLine(file, start)) {
      last.names.push(name);
      last.values.push(shown);
    }
  }
  return limits;
}

const isExportedLine = ({ text }: SourceFile, start: number): boolean => text.slice(start).startsWith('export ');

function valueText(name: string, value: unknown): string | undefined {
  if (typeof value === 'number') return numberText(name, value);
  if (Array.isArray(value)) return value.map((each) => valueText(name, each)).join(', ');
  if (typeof value === 'object' && value !== null) {
    return Object.entries(value)
      .map(([key, each]) => `${key} ${valueText(name, each)}`)
      .join(', ');
  }
  return undefined;
}

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
