/** The faults of one message as they are found: as many as are shown, and how many more there are. */
import type { Segment } from '../segments/segment.ts';
import type { SegmentFault } from './problems.ts';

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
