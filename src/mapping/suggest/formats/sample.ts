/** What a format finds in a sample: how it is written, and its records as columns of values. */
import type { Json } from '../../document/canonical.ts';
import type { SampleColumn } from '../shape.ts';
import type { Confidence, FormatFact, Question } from '../suggestion.ts';

export type JsonObject = { readonly [name: string]: Json };

/** @property source the `source:` block, without what is the default anyway. */
export interface Sample {
  source: JsonObject;
  format: FormatFact[];
  questions: Question[];
  columns: SampleColumn[];
  /** What is read if a record is an order: absent where its lines are records, too. */
  orders?: OrderColumns;
  records: number;
  /** Path of the array whose elements are the events; the columns are then paths inside it. */
  each: string | null;
  /** The opening of the file and its first records, as text for an example; null: it cannot be cut. */
  exampleOf(records: number): string | null;
}

/** Columns of records that hold arrays, which may be the lines of an order. */
export interface OrderColumns {
  columns: SampleColumn[];
  arrays: SampleArray[];
}

/** An array of objects in records. @property isAlways each record has an element. */
export interface SampleArray {
  each: string;
  isAlways: boolean;
  columns: SampleColumn[];
}

/** A file in which nothing can be read. */
export interface Unread {
  format: FormatFact[];
  questions: Question[];
  columns?: undefined;
}

export const isUnread = (found: Sample | Unread): found is Unread => found.columns === undefined;

export const fact = (what: string, value: string, confidence: Confidence, reason: string): FormatFact => ({
  what,
  value,
  confidence,
  reason,
});

/** What formats are told by whoever asks. */
export interface SampleOptions {
  answers: ReadonlyMap<string, string>;
  isPart: boolean;
}
