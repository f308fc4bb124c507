/**
 * Forms of JSON that outlives the code that wrote it: documents in storage, and what one object passes to another while
 * a deploy has reached only one of them. What is written says its form as `form`; absent is the first. It is decoded, and
 * brought forward, where it is read.
 */
import * as z from 'zod';
import { STORED_DATA_NEWER } from './migrate.ts';

/** The member that says the form. */
export interface OfForm {
  /** Absent: 1. */
  form?: number;
}

export interface DocumentForm<Document extends object> {
  /** Named to who reads that one is too new. */
  of: string;
  /** The newest that this release knows. */
  known: number;
  /** What every document of it has; members that it does not name pass as they are. */
  schema: z.ZodType<Document>;
}

/**
 * @param value as it was stored, parsed.
 * @throws for a document of a later release, and for one that is none of this form: nothing is guessed of it.
 */
export function documentIn<Document extends object>(
  { of, known, schema }: DocumentForm<Document>,
  value: unknown,
): Document {
  const { form = 1 } = (value ?? {}) as OfForm;
  if (form > known) {
    throw new Error(
      `${STORED_DATA_NEWER}: this ${of} is of form ${form}, and this release knows form ${known}. Deploy the release that wrote it, or a later one. Nothing was changed.`,
    );
  }
  const decoded = schema.safeParse(value);
  if (!decoded.success) throw new Error(`this ${of} cannot be read: ${z.prettifyError(decoded.error)}`);
  return decoded.data;
}

/**
 * What objects pass to each other: a batch's parcel, the report of the visit, outcomes told later. Only the number is
 * checked. Its rows are not decoded one by one: that would cost as much as mapping them, and both ends are this code.
 */
export const PAYLOAD_FORM = 1;
const PAYLOAD_NEWER = 'payload_newer';

/** @throws for a payload of a later release: the caller tries again later, and may find that release. */
export function requireKnownForm(of: 'parcel' | 'report' | 'outcomes', form = 1): void {
  if (form <= PAYLOAD_FORM) return;
  const what = `what came as ${of} is of form ${form}, and this release knows form ${PAYLOAD_FORM}`;
  throw new Error(`${PAYLOAD_NEWER}: ${what}. Nothing of it was taken.`);
}
