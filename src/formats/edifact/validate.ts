/** Compares trailers with their headers and with what was counted. */
import { elementText, type Segment } from '../segments/segment.ts';
import type { Counted, EnvelopeFault, Level, SegmentFault } from './problems.ts';

interface TrailerFault {
  fault: EnvelopeFault;
  element: number;
}

interface Trailer {
  level: Level;
  segment: Segment;
  /** Of the header. */
  reference: string;
  counted: Counted;
  found: number;
}

const WHOLE_NUMBER = /^\d{1,15}$/;
const LEADING_ZEROS = /^0+(?=\d)/;

/** UNT, UNE and UNZ are alike: a count, then the reference of the header. */
export function validateTrailer({ level, segment, reference, counted, found }: Trailer): TrailerFault[] {
  const faults: TrailerFault[] = [];
  const stated = elementText(segment, 1, null).trim();
  if (!WHOLE_NUMBER.test(stated)) faults.push({ fault: { code: 'count_invalid', counted, stated }, element: 1 });
  else if (Number(stated) !== found) {
    faults.push({ fault: { code: 'count_differs', counted, stated, found }, element: 1 });
  }
  const closes = elementText(segment, 2, null).trim();
  if (!isSameReference(closes, reference)) {
    faults.push({ fault: { code: 'control_number_differs', level, stated: closes, wanted: reference }, element: 2 });
  }
  return faults;
}

/** References are texts; senders pad numbers differently in header and trailer. */
function isSameReference(closes: string, opened: string): boolean {
  if (closes === opened) return true;
  if (!WHOLE_NUMBER.test(closes) || !WHOLE_NUMBER.test(opened)) return false;
  return closes.replace(LEADING_ZEROS, '') === opened.replace(LEADING_ZEROS, '');
}

/* The faults of one message as they are found: as many as are shown, and how many more there are. */

export interface FoundFault {
  fault: SegmentFault;
  segment: Segment;
  element: number | null;
}

export class FoundFaults {
  readonly shown: FoundFault[] = [];
  more = 0;
  private readonly max: number;

  constructor(max: number) {
    this.max = max;
  }

  add(fault: SegmentFault, segment: Segment, element: number | null): void {
    if (this.shown.length < this.max) this.shown.push({ fault, segment, element });
    else this.more++;
  }
}
