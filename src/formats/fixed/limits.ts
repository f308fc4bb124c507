/** Limits of a fixed-width file and its declaration. Exceeding a limit of the file costs one line. */

/** Bytes at the start that are checked: a byte-order mark, any signature, enough letters to tell UTF-16. Ours. */
const SNIFF_BYTES = 1_024;

/** Bytes of one line without its end. The widest layouts have some thousand; more is another kind of file. Ours. */
const LINE_BYTES_MAX = 64 * 1_024;

export const FIXED_LIMITS = { sniffBytes: SNIFF_BYTES, lineBytesMax: LINE_BYTES_MAX };
export type FixedLimits = typeof FIXED_LIMITS;

/** Bytes after the longest line that a decision can need: a line end in UTF-16, and one character more. */
const LOOKAHEAD_BYTES = 16;

/** A slice of this many bytes is never answered with `more`. */
export const FIXED_SLICE_BYTES_ENOUGH = LINE_BYTES_MAX + LOOKAHEAD_BYTES;

/** Characters of a declared line: four bytes each stay below the longest line. Ours. */
export const LINE_CHARACTERS_MAX = 10_000;
/** Kinds of line of one file. Ours: banking and carrier layouts have up to some twenty. */
export const KINDS_MAX = 60;
/** Fields of one kind of line. Ours. */
export const FIELDS_MAX = 500;
/** Longest name of a kind or field, in characters. Ours. */
export const NAME_CHARACTERS_MAX = 80;
/** Longest text of a marker, in characters, and most markers of one kind. Ours. */
export const MARKER_CHARACTERS_MAX = 40;
export const MARKERS_MAX = 5;
/** Markers listed in the message for a line that has none of them. Ours. */
export const MARKERS_LISTED_MAX = 12;
/** Most implied decimals. Ours: money and measures have at most six. */
export const DECIMALS_MAX = 9;
/** Most columns between two tab stops. Ours. */
export const TAB_STOP_MAX = 20;
