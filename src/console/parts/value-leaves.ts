/** A value taken apart into its smallest parts, each with its path; and two values, part by part. Pure. */
import { plainName, separated } from '../../mapping/values/plain-name.ts';

/** A step into a value. @property name of an entry in a list that has one, such as a reference. */
export interface Step {
  key: string;
  name?: string;
}

interface Leaf {
  steps: readonly Step[];
  value: string;
}

export function leavesIn(value: unknown, steps: readonly Step[]): Leaf[] {
  if (Array.isArray(value) && value.length > 0) {
    return value.flatMap((entry: unknown, index) =>
      leavesIn(entry, [...steps, { key: `${index}`, ...namedIn(entry) }]),
    );
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    const members = Object.entries(value);
    if (members.length > 0) return members.flatMap(([key, inner]) => leavesIn(inner, [...steps, { key }]));
  }
  return [{ steps, value: typeof value === 'string' ? value : JSON.stringify(value) }];
}

function namedIn(entry: unknown): { name?: string } {
  const name = typeof entry === 'object' && entry !== null && 'name' in entry ? entry.name : undefined;
  return typeof name === 'string' ? { name } : {};
}

export const pathText = (steps: readonly Step[], at = ''): string =>
  steps.reduce((path, { key }) => `${path}${/^\d+$/.test(key) ? `[${key}]` : path === '' ? key : `.${key}`}`, at);

/** @property from left out: it was added. to left out: it was removed. */
interface LeafDifference {
  path: string;
  from?: string;
  to?: string;
}

/** What is added or removed whole, or becomes something of another kind, is told part by part. */
export function leafDifferences(at: string, from: unknown, to: unknown): LeafDifference[] {
  const [before, after] = [from, to].map(
    (value) =>
      new Map(value === undefined ? [] : leavesIn(value, []).map((leaf) => [pathText(leaf.steps, at), leaf.value])),
  );
  return [...new Set([...(before?.keys() ?? []), ...(after?.keys() ?? [])])].flatMap((path) => {
    const [was, is] = [before?.get(path), after?.get(path)];
    if (was === is && (from === undefined) === (to === undefined)) return [];
    return [{ path, ...(was === undefined ? {} : { from: was }), ...(is === undefined ? {} : { to: is }) }];
  });
}

/** Of a request, of a problem, and of a mapping: the beginnings that say only where to look. */
const PLACES: readonly [pattern: RegExp, words: (rest: string, entry: number) => string][] = [
  [/^requests\[(\d+)\]\.body\.(.+)$/, (rest, entry) => ofRequest(memberName(rest), entry)],
  [/^requests\[(\d+)\]\.(\w+)$/, (rest, entry) => ofRequest(REQUEST_PARTS[rest] ?? separated(rest), entry)],
  [/^errors\[(\d+)\]\.(\w+)$/, (rest) => ERROR_PARTS[rest] ?? `${separated(rest)} of the problem`],
  [/^examples\[(\d+)\]\.records\[(.+)$/, (rest, entry) => `example ${entry}${ofRecord(rest)}`],
  [/^examples\[(\d+)\]\.?(.*)$/, (rest, entry) => [`example ${entry}`, keyNames(rest)].filter(Boolean).join(': ')],
  [/^fields()\.(.+)$/, (rest) => fieldTitle(rest)],
  [/^source()\.(.+)$/, (rest) => `the file: ${keyNames(rest)}`],
];

/** `0].requests[0].body.eventCity` → `, row 1: city` */
function ofRecord(rest: string): string {
  const [, record = '', part = ''] = /^(\d+)\]\.?(.*)$/.exec(rest) ?? [];
  const row = `, row ${Number(record) + 1}`;
  const words = part.startsWith('errors') ? 'what is wrong' : (RECORD_PARTS[part] ?? pathTitle(part) ?? part);
  return words === '' ? row : `${row}: ${words}`;
}

const RECORD_PARTS: Readonly<Record<string, string>> = {
  skipped: 'left out',
  group: 'row that carries its request',
  requests: 'what is sent',
  'requests[0]': 'what is sent',
};

const REQUEST_PARTS: Readonly<Record<string, string>> = { kind: 'kind of request', subject: 'load or order' };
const ERROR_PARTS: Readonly<Record<string, string>> = {
  code: 'what is wrong',
  path: 'where the problem is',
  value: 'what was found',
};

const ofRequest = (words: string, entry: number): string => (entry > 1 ? `${words} of request ${entry}` : words);
const memberName = (path: string): string => plainName(path).replace(/^the /, '');
const keyNames = (path: string): string => path.split('.').filter(Boolean).map(separated).join(', ');

function fieldTitle(path: string): string {
  const [field = '', ...keys] = path.split('.');
  return [memberName(field), keyNames(keys.join('.'))].filter(Boolean).join(': ');
}

/** @returns null: the path is all there is to say. */
export function pathTitle(path: string): string | null {
  for (const [pattern, words] of PLACES) {
    const [found, entry, rest] = pattern.exec(path) ?? [];
    if (found !== undefined) return words(rest ?? '', Number(entry ?? 0) + 1);
  }
  return null;
}
