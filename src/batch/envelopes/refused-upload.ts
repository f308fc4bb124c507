/** An upload that is refused for what one of its interchanges is: nothing of it is taken, and its sender is told of each. */
import type { EnvelopeRefusal } from './judge.ts';

/** An interchange that has come before, with the same content or with other; `batchId` null: in the same upload. */
export type ControlRefusal =
  | { code: 'control_duplicate'; control: string; batchId: string | null; message?: number }
  | { code: 'control_conflict'; control: string; batchId: string | null; message?: number };

/** TA105 of one that has come before: duplicate control number. */
export const REPEATED = 'TA1 025';

/** @property place in the upload, from 0. @property standard the code of TA105 for it. */
export interface InterchangeFault {
  place: number;
  control: string;
  code: (EnvelopeRefusal | ControlRefusal)['code'];
  standard: string;
}

/** What else was in the upload of an interchange that is refused, with itself; in the order of the upload. */
export interface RefusedUpload {
  faults: readonly InterchangeFault[];
  /** Control numbers of the others, which may come again as they are. */
  sound: readonly string[];
}

/** `upload` absent: it held no other. */
export type RefusedInterchange = (EnvelopeRefusal | ControlRefusal) & { upload?: RefusedUpload };

/** @returns what is to be told of the upload beside its first fault. */
export const inUpload = ({ faults, sound }: RefusedUpload): { upload?: RefusedUpload } =>
  faults.length + sound.length > 1 ? { upload: { faults, sound } } : {};
