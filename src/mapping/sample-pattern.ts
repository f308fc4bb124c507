/**
 * Writes a text in which a regular expression finds something: one way through the pattern, without search.
 *
 * Understands what mappings use: literals, classes, groups, alternatives, repetitions and anchors. Whoever calls tries
 * the text on the engine, so what is not understood here costs an idea and nothing else.
 */

/** Repetitions written where a pattern leaves the number open: enough for a number to look like one. */
const REPETITIONS = 4;
/** Tried in this order for a class of characters: what reads best first. */
const CHARACTERS = [...'7ABCabc0123456889DEFGHIJKLMNOPQRSTUVWXYZdefghijklmnopqrstuvwxyz -_/.:,#'];

interface Writing {
  readonly pattern: string;
  readonly group: number;
  readonly kept: string | undefined;
  at: number;
  /** Groups opened so far. */
  groups: number;
  understood: boolean;
}

/**
 * @param group the parenthesis that is kept, counted from 1; 0 for the whole match.
 * @param kept what shall stand in it; undefined: whatever the pattern asks for.
 * @returns undefined where the pattern is not understood.
 */
export function matchingText(pattern: string, group: number, kept: string | undefined): string | undefined {
  if (group === 0 && kept !== undefined) return kept;
  const writing: Writing = { pattern, group, kept, at: 0, groups: 0, understood: true };
  const text = alternatives(writing);
  return writing.understood && writing.at === pattern.length ? text : undefined;
}

/** The first of several, or the one with the group that is kept; the others are only passed over. */
function alternatives(writing: Writing): string {
  let text = sequence(writing);
  while (writing.pattern[writing.at] === '|') {
    writing.at += 1;
    const before = writing.groups;
    const other = sequence(writing);
    if (before < writing.group && writing.group <= writing.groups) text = other;
  }
  return text;
}

function sequence(writing: Writing): string {
  let text = '';
  while (writing.at < writing.pattern.length) {
    const next = writing.pattern[writing.at];
    if (next === '|' || next === ')') break;
    const written = atom(writing);
    text += repeated(writing, written);
  }
  return text;
}

function atom(writing: Writing): string {
  const next = writing.pattern[writing.at] ?? '';
  if (next === '(') return parenthesis(writing);
  writing.at += 1;
  switch (next) {
    case '[':
      return classOfCharacters(writing);
    case '\\':
      return escaped(writing);
    case '^':
    case '$':
      return '';
    case '.':
      return 'x';
    case '*':
    case '+':
    case '?':
    case '{':
      return notUnderstood(writing);
    default:
      return next;
  }
}

function notUnderstood(writing: Writing): string {
  writing.understood = false;
  return '';
}

/** `(…)`, `(?:…)`, `(?P<name>…)`, and flags for what follows: `(?i)`. */
const PARENTHESIS = /\((?:\?(?:(:)|P?<\w+>|([a-z]+)\))|(?!\?))/y;

function parenthesis(writing: Writing): string {
  PARENTHESIS.lastIndex = writing.at;
  const opening = PARENTHESIS.exec(writing.pattern);
  writing.at += opening?.[0].length ?? 1;
  if (opening === null) return notUnderstood(writing);
  const [, plain, flags] = opening;
  if (flags !== undefined) return '';
  if (plain === undefined) writing.groups += 1;
  const own = plain === undefined ? writing.groups : undefined;
  const text = alternatives(writing);
  if (writing.pattern[writing.at] !== ')') return notUnderstood(writing);
  writing.at += 1;
  return own === writing.group && writing.kept !== undefined ? writing.kept : text;
}

const REPETITION = /(?:[*+?]|\{(\d+)(,\d*)?\})\??/y;

function repeated(writing: Writing, text: string): string {
  REPETITION.lastIndex = writing.at;
  const found = REPETITION.exec(writing.pattern);
  if (found === null) return text;
  const [mark, least, more] = found;
  writing.at += mark.length;
  if (text === writing.kept) return text; // once, whatever the repetition around it
  if (least === undefined) return text.repeat(mark.startsWith('+') && text !== ' ' ? REPETITIONS : 1);
  return text.repeat(more === undefined ? Number(least) : Math.max(Number(least), 1));
}

const SHORT_CLASSES: ReadonlyMap<string, RegExp> = new Map([
  ['d', /\d/],
  ['D', /\D/],
  ['w', /\w/],
  ['W', /\W/],
  ['s', /\s/],
  ['S', /\S/],
]);
/** Ends of words and texts. */
const ANCHORS: ReadonlySet<string> = new Set('bBAz');

function escaped(writing: Writing): string {
  const next = writing.pattern[writing.at] ?? '';
  writing.at += 1;
  if (ANCHORS.has(next)) return '';
  const short = SHORT_CLASSES.get(next);
  if (short !== undefined) return firstThat(writing, (character) => short.test(character));
  return /\w/.test(next) ? notUnderstood(writing) : next; // \p{L}, \x41, \t, \Q
}

/** The sets of RE2 are those of JavaScript, but for sets by name and a bracket right at the beginning. */
const CLASS = /(\^?)(\]?(?:\\[dDwWsS\W]|[^\]\\])*)\]/y;

function classOfCharacters(writing: Writing): string {
  CLASS.lastIndex = writing.at;
  const found = CLASS.exec(writing.pattern);
  if (found === null || found[0].includes('[:')) return notUnderstood(writing);
  writing.at += found[0].length;
  const [, negated = '', members = ''] = found;
  const set = new RegExp(`[${negated}${members.replace(/^\]/, '\\]')}]`);
  return firstThat(writing, (character) => set.test(character));
}

function firstThat(writing: Writing, fits: (character: string) => boolean): string {
  return CHARACTERS.find(fits) ?? notUnderstood(writing);
}
