/** Limits of a JSON file. Exceeding one costs one record, except where it says that it ends the reading. */

export interface JsonLimits {
  /** Bytes at the start that are checked before anything is read. */
  sniffBytes: number;
  /** Bytes of one record as written, from its first to its last bracket. */
  recordBytesMax: number;
  /** Bytes of one string, member name or number as written, without quotes. */
  valueBytesMax: number;
  /** Levels of objects and arrays in one record, the record itself being the first. */
  depthMax: number;
  /** Members of all objects of one record together. */
  membersMax: number;
  /** Items of all arrays of one record together. */
  itemsMax: number;
  /**
   * Levels inside a value that is skipped: a bad record, or a member that nobody reads. More of them end the reading.
   */
  passedDepthMax: number;
  /**
   * Records, members and items returned for one slice; the rest of it is left for the next. One record more is
   * possible.
   */
  sliceValuesMax: number;
}

/**
 * 256 bytes: holds a byte-order mark, any signature and the opening of the formats that are mistaken for JSON. Our
 * choice.
 */
const SNIFF_BYTES = 256;

/** 2 MiB, as for a CSV row: order documents stay below 100 KiB; an unclosed bracket is then found after this much. Our choice. */
const RECORD_BYTES_MAX = 2 * 1_024 * 1_024;

/** 64 KiB, as for a CSV cell: no field of the target interfaces comes near. Our choice. */
const VALUE_BYTES_MAX = 64 * 1_024;

/** 64 levels: real records have fewer than ten, and recursion goes as deep. Our choice. */
const DEPTH_MAX = 64;

/** 10,000 members: an order of several hundred lines has some 5,000. Our choice. */
const MEMBERS_MAX = 10_000;

/** 100,000 items: a bare number takes two bytes in the file and twenty times that in memory. Our choice. */
const ITEMS_MAX = 100_000;

/** 1,024 levels: the open brackets are part of every checkpoint, one character each. Our choice. */
const PASSED_DEPTH_MAX = 1_024;

/** 100,000 values, some 25 MB of memory: a slice of 1 MiB of real records has fewer, one of `1,1,1,` five times as many. Our choice. */
const SLICE_VALUES_MAX = 100_000;

export const JSON_LIMITS: JsonLimits = {
  sniffBytes: SNIFF_BYTES,
  recordBytesMax: RECORD_BYTES_MAX,
  valueBytesMax: VALUE_BYTES_MAX,
  depthMax: DEPTH_MAX,
  membersMax: MEMBERS_MAX,
  itemsMax: ITEMS_MAX,
  passedDepthMax: PASSED_DEPTH_MAX,
  sliceValuesMax: SLICE_VALUES_MAX,
};

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
