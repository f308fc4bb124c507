/** Columns with codes or words: which list translates them, and the list that is proposed where none has them all. Pure. */
import { headOf } from '../../kernel/text.ts';
import type { Json } from '../document/canonical.ts';
import type { CodeList, CodeLists } from '../document/code-list.ts';
import type { Drafting } from './draft.ts';
import { PROPOSED_CODES_MAX, VALUE_CHARACTERS_MAX } from './limits.ts';
import { normalName } from './names.ts';
import type { Shape } from './shape.ts';
import type { CodeWord, Confidence, SuggestedCodeList } from './suggestion.ts';
import { STATUS_TERMS } from './terms.ts';
import { yamlText } from './yaml.ts';

interface CodeColumn {
  /** In the document, such as `fields.eventCode`. */
  field: string;
  /** What the proposed list is called, after the mapping's name. */
  suffix: string;
  /** Shipped lists, the standard's first. */
  standard: string;
  words: string;
  /** Further known words by code. */
  known: ReadonlyMap<string, readonly string[]>;
}

export const STATUS_CODES: CodeColumn = {
  field: 'fields.eventCode',
  suffix: 'status',
  standard: 'x12-status-codes',
  words: 'carrier-status-words',
  known: STATUS_TERMS,
};
export const REASON_CODES: CodeColumn = {
  field: 'fields.reasonCode',
  suffix: 'reasons',
  standard: 'x12-reason-codes',
  words: 'carrier-reason-words',
  known: new Map(),
};

interface CodesFound {
  /** Keys of the field: its lookup. Null: no word has a code. */
  lookup: Json | null;
  confidence: Confidence;
  reason: string;
  list: SuggestedCodeList | null;
}

export function codesOf(drafting: Drafting, shape: Shape, asked: CodeColumn): CodesFound {
  const words = [...shape.counts.keys()];
  const [standard, usual] = [drafting.lists.get(asked.standard), drafting.lists.get(asked.words)];
  if (words.every((word) => standard?.find(word) !== undefined)) {
    const reason = `All ${words.length} values are in the list ${asked.standard}.`;
    return { lookup: asked.standard, confidence: 'sure', reason, list: null };
  }
  if (words.every((word) => usual?.find(word) !== undefined)) {
    const reason = `All ${words.length} words are in the list ${asked.words}.`;
    return { lookup: asked.words, confidence: 'likely', reason, list: null };
  }
  if (words.every((word) => (standard?.find(word) ?? usual?.find(word)) !== undefined)) {
    const reason = `All ${words.length} values are in one of the lists ${asked.standard} and ${asked.words}.`;
    return { lookup: [asked.standard, asked.words], confidence: 'likely', reason, list: null };
  }
  return proposed(drafting, shape, asked);
}

function proposed(
  drafting: Drafting,
  { column: { name: column, values }, counts }: Shape,
  asked: CodeColumn,
): CodesFound {
  // A city is none, though each status may be met in one alone.
  const taken = new Set([...drafting.matches.values()].map(({ shape }) => shape.column.name));
  const free = drafting.shapes.filter(({ column: { name } }) => name !== column && !taken.has(name));
  const described = descriptionsOf(free, values);
  const list = `${drafting.name}-${asked.suffix}`;
  const isStandard = isMostly(drafting.lists.get(asked.standard), [...counts.keys()]);
  const words = firstSpellings([...counts])
    .slice(0, PROPOSED_CODES_MAX)
    .map(([word, rows], index): CodeWord => {
      const answerId = `${asked.suffix}.${index + 1}`;
      const answer = drafting.answers.get(answerId);
      const beside = described.get(word) ?? null;
      const own = { word, rows, beside, answerId };
      if (answer !== undefined && answer !== '') return { ...own, code: answer, confidence: 'sure' };
      const code =
        knownCode(word, asked, drafting.lists, isStandard) ??
        (beside === null ? null : knownCode(beside, asked, drafting.lists, false));
      return { ...own, code, confidence: code === null ? 'unsure' : 'likely' };
    });
  const missing = words.filter(({ code }) => code === null);
  const found = words.length - missing.length;
  const suggested: SuggestedCodeList = {
    list,
    column,
    field: asked.field,
    words,
    isCut: counts.size > PROPOSED_CODES_MAX,
    codes: Object.entries(drafting.lists.get(asked.standard)?.document.meanings ?? {}).map(([code, means]) => ({
      code,
      means,
    })),
    yaml: found === 0 ? null : listYaml(list, column, words),
  };
  const left =
    missing.length === 0
      ? ''
      : ` ${missing.length} ${missing.length === 1 ? 'is' : 'are'} still to be filled in, such as "${missing[0]?.word}".`;
  return {
    lookup: found === 0 ? null : list,
    confidence: missing.length === 0 ? 'likely' : 'unsure',
    reason: `${found} of ${words.length} different values are known.${left}`,
    list: suggested,
  };
}

/** Least rows of a code that a text beside it must be met in: once, it may be anything. */
const DESCRIBED_ROWS_MIN = 2;

/**
 * Codes often have their description in another column: it says the same in all rows of a code, and in no other row. Of the
 * columns of which this is so for most of the codes, the one that describes most.
 */
function descriptionsOf(shapes: readonly Shape[], values: readonly string[]): ReadonlyMap<string, string> {
  let best: ReadonlyMap<string, string> = new Map();
  for (const { column: other, kind } of shapes) {
    const isText = kind === 'code' || kind === 'text';
    if (!isText || other.values.length !== values.length) continue;
    const found = describedBy(values, other.values);
    if (found.size > best.size) best = found;
  }
  return best.size * 2 > new Set(values).size ? best : new Map();
}

function describedBy(codes: readonly string[], texts: readonly string[]): ReadonlyMap<string, string> {
  const rowsOf = Map.groupBy(codes.keys(), (at) => codes[at] ?? '');
  const codesOfText = new Map<string, Set<string>>();
  for (const [at, text] of texts.entries()) {
    const known = codesOfText.get(text) ?? new Set();
    codesOfText.set(text, known.add(codes[at] ?? ''));
  }
  return new Map(
    [...rowsOf].flatMap(([code, rows]): [string, string][] => {
      const text = texts[rows[0] ?? 0] ?? '';
      const isIts =
        code !== '' &&
        rows.length >= DESCRIBED_ROWS_MIN &&
        /\p{L}{3}/u.test(text) &&
        codesOfText.get(text)?.size === 1 &&
        rows.every((at) => texts[at] === text);
      return isIts ? [[code, headOf(text, VALUE_CHARACTERS_MAX)]] : [];
    }),
  );
}

/** Lists compare words without case: two spellings are one word. */
function firstSpellings(counts: readonly (readonly [string, number])[]): [string, number][] {
  const seen = new Map<string, [string, number]>();
  for (const [word, times] of counts) {
    const key = word.trim().replace(/\s+/g, ' ').toUpperCase();
    const known = seen.get(key);
    if (known === undefined) seen.set(key, [word, times]);
    else known[1] += times;
  }
  return [...seen.values()];
}

/** One code of two letters may be in the standard by chance, where the others are not. */
const isMostly = (list: CodeList | undefined, words: readonly string[]): boolean =>
  words.filter((word) => list?.find(word) !== undefined).length * 2 >= words.length;

function knownCode(
  word: string,
  { standard, words, known }: CodeColumn,
  lists: CodeLists,
  isStandard: boolean,
): string | null {
  const listed = (isStandard ? findIn(lists.get(standard), word) : undefined) ?? findIn(lists.get(words), word);
  if (listed !== undefined) return listed;
  const name = normalName(word);
  return [...known].find(([, forms]) => forms.some((form) => normalName(form) === name))?.[0] ?? null;
}

/** As the list finds it, or by the same words in another spelling. */
function findIn(list: CodeList | undefined, word: string): string | undefined {
  if (list === undefined) return undefined;
  const name = normalName(word);
  return (
    list.find(word) ??
    Object.entries(list.document.codes).find(([known]) => normalName(known) === name && name.includes(' '))?.[1]
  );
}

function listYaml(list: string, column: string, words: readonly CodeWord[]): string {
  const lines = words.map(({ word, code, confidence, beside }) => {
    const said = beside === null ? '' : `: ${yamlText(beside)} stands beside it`;
    return code === null
      ? `  # ${yamlText(word)}: to be filled in`
      : `  ${yamlText(word)}: ${yamlText(code)}${confidence === 'likely' ? ` # likely${said}` : ''}`;
  });
  return [
    '# yaml-language-server: $schema=../code-list.schema.json',
    `list: ${list}`,
    `description: ${yamlText(`Values of the column ${column} and the codes that are sent for them.`)}`,
    'codes:',
    ...lines,
    '',
  ].join('\n');
}
