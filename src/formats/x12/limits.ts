/** Limits of an X12 file. Exceeding one costs one set, or the one interchange whose ISA cannot be read. */

export interface X12Limits {
  /** Bytes of one segment, its terminator not counted. */
  segmentBytesMax: number;
  /** Bytes of one set, from its ST to after its SE. */
  setBytesMax: number;
  setSegmentsMax: number;
  /** Problems shown of one set or one envelope; the rest is counted. */
  problemsMax: number;
}

/** 64 KiB: the longest element of a logistics set is a message text of 264 characters. Our choice. */
const SEGMENT_BYTES_MAX = 64 * 1_024;

/** 2 MiB: a 214 of 300 stops has some 50 KiB; a lost SE is then found after this much. Below a quarter of the longest slice. Our choice. */
const SET_BYTES_MAX = 2 * 1_024 * 1_024;

/** 50,000: as objects they take some 30 MB, which a Worker can spare briefly. Our choice. */
const SET_SEGMENTS_MAX = 50_000;

/** 20: to repair a sender one needs the kinds of faults, not each of them. Our choice. */
const PROBLEMS_MAX = 20;

export const X12_LIMITS: X12Limits = {
  segmentBytesMax: SEGMENT_BYTES_MAX,
  setBytesMax: SET_BYTES_MAX,
  setSegmentsMax: SET_SEGMENTS_MAX,
  problemsMax: PROBLEMS_MAX,
};

/** Bytes from `ISA` on in which its 16 separators must stand: 106 by the standard, the rest for ids that are too long. Our choice. */
export const ISA_BYTES_MAX = 512;

/**
 * Bytes that are read where an ISA is expected: itself and the segment after it, which shows the terminator when ISA
 * does not. Also the most bytes before the first ISA that may be something else, such as a mail header. Our choice.
 */
export const ISA_WINDOW_BYTES = 1_024;

/** Bytes after an offset that may be needed to recognise an ISA or a delimiter. */
export const LOOKAHEAD_BYTES = 64;

/** Notes kept of one file. Our choice. */
export const NOTES_MAX = 20;

/** Bytes of a text that are shown with a problem. */
export const EXCERPT_BYTES = 80;
