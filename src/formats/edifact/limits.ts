/** Limits of an EDIFACT file. Exceeding one costs one message, except in the segment that opens an interchange. */

export interface EdifactLimits {
  /** Bytes of the start in which the first interchange must begin. */
  sniffBytes: number;
  segmentBytesMax: number;
  /** Of UNB and UNG, which every checkpoint carries. */
  envelopeSegmentBytesMax: number;
  messageBytesMax: number;
  messageSegmentsMax: number;
  messageProblemsMax: number;
  /** Problems of one interchange that are stored until its end. */
  interchangeProblemsMax: number;
}

/** 1 KiB: mail headers and length fields before an interchange are shorter. Our choice. */
const SNIFF_BYTES = 1_024;

/** 64 KiB: FTX has five texts of 512 characters; a longer segment is one whose terminator is missing. Our choice. */
const SEGMENT_BYTES_MAX = 64 * 1_024;

/** 2 KiB: a full UNB has some 250 characters. Our choice. */
const ENVELOPE_SEGMENT_BYTES_MAX = 2 * 1_024;

/** 2 MiB: held whole in memory, where a message of nothing but separators takes some 25 times as much. Our choice. */
const MESSAGE_BYTES_MAX = 2 * 1_024 * 1_024;

/** 50,000 segments, some 30 MB of memory: a bay plan of 10,000 containers fits. Our choice. */
const MESSAGE_SEGMENTS_MAX = 50_000;

/** 20 problems: by then the reader sees what is wrong with the message. Our choice. */
const MESSAGE_PROBLEMS_MAX = 20;

export const EDIFACT_LIMITS: EdifactLimits = {
  sniffBytes: SNIFF_BYTES,
  segmentBytesMax: SEGMENT_BYTES_MAX,
  envelopeSegmentBytesMax: ENVELOPE_SEGMENT_BYTES_MAX,
  messageBytesMax: MESSAGE_BYTES_MAX,
  messageSegmentsMax: MESSAGE_SEGMENTS_MAX,
  messageProblemsMax: MESSAGE_PROBLEMS_MAX,
  interchangeProblemsMax: MESSAGE_PROBLEMS_MAX,
};

/** 60 bytes shown of the text at a fault. Our choice. */
export const EXCERPT_BYTES = 60;
/** Different notes of one file: each kind is noted once, with its first location. Our choice. */
export const NOTES_MAX = 40;
/** Bytes after the longest message that a decision can need: the segment that follows it. */
const LOOKAHEAD_BYTES = SEGMENT_BYTES_MAX + 64;

/** A slice of this many bytes is never answered with `more`. */
export const EDIFACT_SLICE_BYTES_ENOUGH = MESSAGE_BYTES_MAX + LOOKAHEAD_BYTES;
