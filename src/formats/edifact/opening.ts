/** The start of a file: passes over a byte-order mark and blanks and tells an interchange from everything else. */
import { looksLike } from '../magic.ts';
import type { EdifactSource } from './declaration.ts';
import type { FileFault, OtherLook } from './problems.ts';
import { beginsInterchange, headAt } from './scan.ts';
import { hexOf, shownUnits } from './shown.ts';

const UTF_8_MARK = '\xef\xbb\xbf';
const BLANKS = ' \t\r\n';
const EXCERPT_UNITS = 40;

/** An interchange whose start is beyond doubt, so that it can be found behind other text. */
const INTERCHANGE = /UNA[^A-Za-z0-9\s]{2}[\x20-\x7e]{2}.{2}\s{0,8}UNB|UNB[^A-Za-z0-9\s][A-Za-z]{4}[^A-Za-z0-9\s]\d/;
/** With its mark, or by the zeros between the letters of UNA, UNB and the like. */
const UTF_16 = /^(?:\xff\xfe|\xfe\xff|U\0N\0|\0U\0N)/;
const UTF_16_SHOWN_BYTES = 4;
/** A message without interchange. */
const MESSAGE = /^UN[HG][^A-Za-z0-9\s]/;

export type Opening =
  | { outcome: 'more' }
  /** `at`: where reading goes on; `isFound`: an interchange begins there; `garbageFrom`: other text stands from here up to it. */
  | {
      outcome: 'opened';
      at: number;
      hasMark: boolean;
      hasBlanks: boolean;
      garbageFrom: number | null;
      isFound: boolean;
    }
  | { outcome: 'unreadable'; fault: FileFault };

export interface Start {
  text: string;
  bytes: Uint8Array;
  /** Bytes of the file before the slice. */
  base: number;
  atEnd: boolean;
  sniffBytes: number;
}

export function readOpening({ text, bytes, base, atEnd, sniffBytes }: Start, bare: EdifactSource['bare']): Opening {
  if (base === 0 && text.length < UTF_8_MARK.length && !atEnd) return { outcome: 'more' };
  const hasMark = base === 0 && text.startsWith(UTF_8_MARK);
  const first = hasMark ? UTF_8_MARK.length : 0;
  let at = first;
  while (at < text.length && BLANKS.includes(text.charAt(at))) at++;
  const hasBlanks = at > first;
  if (at === text.length && atEnd) return { outcome: 'unreadable', fault: { code: 'empty_file', bytes: base + at } };
  const opened = { outcome: 'opened', at, hasMark, hasBlanks, garbageFrom: null, isFound: true } as const;
  if (text.length - at < sniffBytes && !atEnd) return at > 0 ? { ...opened, isFound: false } : { outcome: 'more' };
  if (beginsInterchange(headAt(text, at, false))) return opened;
  const window = text.slice(at, at + sniffBytes);
  const excerpt = shownUnits(window.slice(0, EXCERPT_UNITS));
  if (MESSAGE.test(window)) {
    if (bare === 'accept') return opened;
    return { outcome: 'unreadable', fault: { code: 'interchange_header_missing', text: excerpt } };
  }
  if (UTF_16.test(window)) {
    const hex = hexOf(window.slice(0, UTF_16_SHOWN_BYTES));
    return { outcome: 'unreadable', fault: { code: 'encoding_disagrees', hex } };
  }
  const look = otherLook(window, bytes.subarray(at, at + sniffBytes));
  const behind = look === null ? window.search(INTERCHANGE) : -1;
  if (behind === -1) {
    return { outcome: 'unreadable', fault: { code: 'not_edifact', looksLike: look ?? 'text', text: excerpt } };
  }
  return { ...opened, at: at + behind, garbageFrom: at };
}

const LOOKS: readonly [OtherLook, RegExp][] = [
  ['tradacoms', /^STX=/],
  ['interactive', /^UI[AB][^A-Za-z0-9]/],
  ['hl7', /^\s?(?:MSH|FHS|BHS)[^A-Za-z0-9\s]/],
];

/** @returns null where nothing speaks against an interchange further on. */
function otherLook(window: string, bytes: Uint8Array): OtherLook | null {
  const found = LOOKS.find(([, pattern]) => pattern.test(window))?.[0];
  if (found !== undefined) return found;
  const look = looksLike(bytes);
  return look === 'edifact' ? null : look;
}
