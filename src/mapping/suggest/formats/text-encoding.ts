/** Which encoding a text is in: its byte-order mark, then whether it is sound UTF-8, then what its letters look like. Pure. */
import { Buffer } from 'node:buffer';
import chardet from 'chardet';
import { badUtf8At, ENCODINGS, type Encoding, textCodec } from '../../../formats/encoding.ts';
import { byteOrderMark, wideEncoding } from '../../../formats/sniff.ts';
import { headOf } from '../../../kernel/text.ts';
import type { FormatFact, Question } from '../suggestion.ts';
import { fact, type SampleOptions } from './sample.ts';

export interface EncodedText {
  encoding: Encoding;
  text: string;
  fact: FormatFact;
  questions: Question[];
}

const QUESTION = 'encoding';
/** Bytes of a character that the end of a part can cut off. */
const CUT_BYTES_MAX = 3;

export function readText(bytes: Uint8Array, { answers, isPart }: SampleOptions): EncodedText {
  const mark = byteOrderMark(bytes);
  if (mark !== null) {
    const reason = 'The file begins with the byte-order mark of this encoding.';
    return decoded(bytes.subarray(mark.bytes), mark.encoding, fact('encoding', mark.encoding, 'sure', reason));
  }
  const wide = wideEncoding(bytes);
  if (wide !== null) {
    return decoded(bytes, wide, fact('encoding', wide, 'likely', 'Every second byte is empty, as in UTF-16.'));
  }
  const units = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
  if (!/[\x80-\xff]/.test(units)) {
    const reason = 'Only plain ASCII letters occur, which UTF-8 writes alike.';
    return decoded(bytes, 'utf-8', fact('encoding', 'utf-8', 'sure', reason));
  }
  const bad = badUtf8At(units);
  if (bad === -1 || (isPart && bad >= units.length - CUT_BYTES_MAX)) {
    return decoded(bytes, 'utf-8', fact('encoding', 'utf-8', 'sure', 'All its letters beyond ASCII are sound UTF-8.'));
  }
  return singleByte(bytes, units, answers.get(QUESTION));
}

const decoded = (bytes: Uint8Array, encoding: Encoding, found: FormatFact, questions: Question[] = []): EncodedText => {
  const codec = textCodec(encoding);
  return { encoding, text: codec.toText(codec.toUnits(bytes, true)), fact: found, questions };
};

/** The encodings of one byte that a mapping can declare; ISO-8859-1 is read as windows-1252 anyway. */
const SINGLE: readonly Encoding[] = ['windows-1252', 'iso-8859-15', 'windows-1250', 'windows-1251'];
/** What chardet calls them. */
const CALLED: ReadonlyMap<string, Encoding> = new Map([
  ['ISO-8859-1', 'windows-1252'],
  ['windows-1252', 'windows-1252'],
  ['ISO-8859-15', 'iso-8859-15'],
  ['ISO-8859-2', 'windows-1250'],
  ['windows-1250', 'windows-1250'],
  ['windows-1251', 'windows-1251'],
]);
/** How far ahead of the next one chardet must see an encoding, of 100. */
const LEAD_MIN = 10;

function singleByte(bytes: Uint8Array, units: string, answer: string | undefined): EncodedText {
  const writable = SINGLE.filter((encoding) => textCodec(encoding).badAt(units) === -1);
  const chosen = ENCODINGS.find((encoding) => encoding === answer);
  if (chosen !== undefined) {
    return decoded(bytes, chosen, fact('encoding', chosen, 'sure', 'As you answered.'), [
      encodingQuestion(units, writable, chosen),
    ]);
  }
  const seen = chardet.analyse(bytes).flatMap(({ name, confidence }) => {
    const encoding = CALLED.get(name);
    return encoding !== undefined && writable.includes(encoding) ? [{ encoding, confidence }] : [];
  });
  const [best] = seen;
  const next = seen.find(({ encoding }) => encoding !== best?.encoding);
  const encoding = best?.encoding ?? writable[0] ?? 'windows-1252';
  const word = wordIn(units, encoding);
  const shown = word === '' ? '' : ` Its letters then read "${word}".`;
  if (writable.length === 0) {
    const reason = 'No encoding that can be declared has all its letters: save the file as UTF-8.';
    return decoded(bytes, 'windows-1252', fact('encoding', 'windows-1252', 'unsure', reason));
  }
  const isClear = best !== undefined && best.confidence - (next?.confidence ?? 0) >= LEAD_MIN;
  const isAlike = writable.every((other) => textCodec(other).toText(units) === textCodec(encoding).toText(units));
  if (isClear || isAlike) {
    return decoded(
      bytes,
      encoding,
      fact('encoding', encoding, 'likely', `It is not UTF-8, and its letters occur as in ${encoding}.${shown}`),
    );
  }
  const reason = `It is not UTF-8; which of ${writable.join(', ')} it is cannot be told from its letters.${shown}`;
  return decoded(bytes, encoding, fact('encoding', encoding, 'unsure', reason), [
    encodingQuestion(units, writable, null, encoding),
  ]);
}

function encodingQuestion(
  units: string,
  writable: readonly Encoding[],
  answer: Encoding | null,
  likely?: Encoding,
): Question {
  return {
    id: QUESTION,
    asks: 'Which of these reads the letters right?',
    why: 'The file does not say its encoding, and several can read it.',
    columns: [],
    evidence: [],
    choices: writable.map((encoding) => ({
      choice: encoding,
      says: `${encoding}: ${wordIn(units, encoding)}`,
      isLikely: encoding === likely,
    })),
    free: null,
    answer,
  };
}

/** Longest word shown, in characters. */
const WORD_CHARACTERS_MAX = 40;

/** The first word with a letter beyond ASCII. */
function wordIn(units: string, encoding: Encoding): string {
  const at = units.search(/[\x80-\xff]/);
  const around = units.slice(Math.max(0, at - WORD_CHARACTERS_MAX), at + WORD_CHARACTERS_MAX);
  const text = textCodec(encoding).toText(around);
  return headOf(/[\p{L}\p{M}'-]*[\u0080-\uffff][\p{L}\p{M}'-]*/u.exec(text)?.[0] ?? '', WORD_CHARACTERS_MAX);
}
