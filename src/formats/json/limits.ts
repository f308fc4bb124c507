/** Limits of a JSON file. Exceeding one costs one record, except where it says that it ends the reading. */

/**
 * Bytes at the start that are checked: a byte-order mark, any signature, the opening of the formats that are mistaken
 * for JSON. Our choice.
 */
const SNIFF_BYTES = 256;
/**
 * Bytes of one record as written, from its first to its last bracket. Order documents stay below 100 KiB; an unclosed
 * bracket is found after this much. Our choice.
 */
const RECORD_BYTES_MAX = 2 * 1_024 * 1_024;
/** Bytes of one string, member name or number as written, without quotes: as of a CSV cell. Our choice. */
const VALUE_BYTES_MAX = 64 * 1_024;
/** Levels of objects and arrays in one record, itself the first: real ones have fewer than ten. Our choice. */
const DEPTH_MAX = 64;
/** Members of all objects of one record together: an order of several hundred lines has some 5,000. Our choice. */
const MEMBERS_MAX = 10_000;
/** Items of all arrays of one record: a bare number takes two bytes, and twenty times that in memory. Our choice. */
const ITEMS_MAX = 100_000;
/**
 * Levels inside a value that is skipped: a bad record, or a member that nobody reads. More of them end the reading. The
 * open brackets are part of every checkpoint, one character each. Our choice.
 */
const PASSED_DEPTH_MAX = 1_024;
/**
 * Records, members and items returned for one slice, and one record more; the rest is left for the next. Some 25 MB of
 * memory: a slice of 1 MiB of real records has fewer, one of `1,1,1,` five times as many. Our choice.
 */
const SLICE_VALUES_MAX = 100_000;

export const JSON_LIMITS = {
  sniffBytes: SNIFF_BYTES,
  recordBytesMax: RECORD_BYTES_MAX,
  valueBytesMax: VALUE_BYTES_MAX,
  depthMax: DEPTH_MAX,
  membersMax: MEMBERS_MAX,
  itemsMax: ITEMS_MAX,
  passedDepthMax: PASSED_DEPTH_MAX,
  sliceValuesMax: SLICE_VALUES_MAX,
};
export type JsonLimits = typeof JSON_LIMITS;

/** 80 bytes shown of the text at a fault. Our choice. */
export const EXCERPT_BYTES = 80;
/** 48 bytes checked after a document that is one record, for another one: more than any line end. Our choice. */
export const FOLLOWING_BYTES = 48;
/** Bytes after the longest record that a decision can need. */
export const LOOKAHEAD_BYTES = EXCERPT_BYTES + FOLLOWING_BYTES;

/** A slice of this many bytes is never answered with `more`. */
export const JSON_SLICE_BYTES_ENOUGH = RECORD_BYTES_MAX + LOOKAHEAD_BYTES;

/** Names listed when the path to the records leads nowhere: enough to recognise the document. Our choice. */
export const LISTED_MEMBERS_MAX = 20;
/** Characters of each of them. */
export const LISTED_NAME_CHARACTERS_MAX = 60;
