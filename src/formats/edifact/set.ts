/** Makes a set of a message that was read: its text, and everything that is wrong with it. */
import type { Encoding } from '../encoding.ts';
import type { EnvelopePolicy } from '../segments/parts.ts';
import { placeWords } from '../segments/place.ts';
import { type EnvelopeProblem, elementText, type Segment } from '../segments/segment.ts';
import type { OpenInterchange } from './checkpoint.ts';
import { headersOf } from './envelope.ts';
import { judgeTrailer } from './judge.ts';
import type { ReadMessage } from './message.ts';
import type { Note } from './notes.ts';
import { describeFault, type Fault } from './problems.ts';
import { excerptText } from './shown.ts';
import { findNul, readText } from './text.ts';

export interface Judged {
  id: string;
  segments: Segment[];
  problems: EnvelopeProblem[];
  notes: Note[];
  /** It has UNH or UNT: a message, whatever is wrong with it. */
  isMessage: boolean;
}

export interface Judging {
  open: OpenInterchange;
  policy: EnvelopePolicy;
  fallback: Encoding;
  problemsMax: number;
  /** Where the segments stand; '' where all of it means ASCII. */
  units: string;
  hasNul: boolean;
  /** First byte behind it, and its line. */
  byteTo: number;
  line: number;
}

/** A fault of the message, of one of its segments, or (segment null) of a place at its end. */
interface Located {
  fault: Fault;
  segment: Segment | null;
  element: number | null;
}

export function judgeMessage(read: ReadMessage, judging: Judging): Judged {
  const { open, policy } = judging;
  const notes = [...read.notes];
  let { segments } = read;
  const { faults } = read;
  if (judging.units !== '') {
    const { units, fallback } = judging;
    const text = readText(segments, { units, syntax: open.syntax, fallback }, faults);
    segments = text.segments;
    if (text.note !== null) notes.push(text.note);
  }
  if (judging.hasNul) findNul(segments, faults);
  const first = segments[0];
  const opens = first?.tag === 'UNH' ? first : null;
  const reference = opens === null ? '' : elementText(opens, 1, null).trim();
  const id = opens === null ? '' : elementText(opens, 2, 1).trim();
  const heads = headFaults(first ?? null, opens, { open, reference, id, isClosed: read.endedBy === null });
  const ends =
    opens === null
      ? []
      : endFaults(read, segments, {
          policy,
          reference,
          notes,
          place: () => placeWords([...headersOf(open), opens]),
        });
  const located = [...heads, ...faults.shown, ...ends];
  const isMessage = opens !== null || read.endedBy === null;
  if (located.length === 0 && faults.more === 0) return { id, segments, problems: [], notes, isMessage };
  const describe = ({ fault, segment, element }: Located): EnvelopeProblem =>
    describeFault(fault, {
      segment: segment === null ? null : { tag: segment.tag, number: segment.number },
      element,
      line: segment?.line ?? judging.line + 1,
      byteFrom: segment?.byteFrom ?? judging.byteTo,
      byteTo: segment?.byteTo ?? judging.byteTo,
    });
  const shown = located.slice(0, judging.problemsMax).map(describe);
  const more = located.length - shown.length + faults.more;
  if (more > 0)
    shown.push(describe({ fault: { code: 'more_problems', count: more }, segment: first ?? null, element: null }));
  return { id, segments, problems: shown, notes, isMessage };
}

function headFaults(
  first: Segment | null,
  opens: Segment | null,
  { open, reference, id, isClosed }: { open: OpenInterchange; reference: string; id: string; isClosed: boolean },
): Located[] {
  const faults: Located[] = [];
  const missing = (fault: Fault, element: number | null): void => {
    faults.push({ fault, segment: first, element });
  };
  if (open.header === null && !open.isBare) missing({ code: 'header_missing', level: 'interchange' }, null);
  if (opens === null) {
    missing(
      isClosed
        ? { code: 'header_missing', level: 'message' }
        : { code: 'unexpected_segment', text: first === null ? '' : excerptText(first) },
      null,
    );
    return faults;
  }
  if (reference === '') missing({ code: 'element_missing', name: 'message reference number' }, 1);
  if (id === '') missing({ code: 'element_missing', name: 'message type' }, 2);
  return faults;
}

function endFaults(
  read: ReadMessage,
  segments: readonly Segment[],
  {
    policy,
    reference,
    notes,
    place,
  }: { policy: EnvelopePolicy; reference: string; notes: Note[]; place: () => string },
): Located[] {
  const last = segments.at(-1);
  if (read.endedBy !== null || last === undefined) {
    const found = read.endedBy ?? '';
    return [{ fault: { code: 'trailer_missing', level: 'message', reference, found }, segment: null, element: null }];
  }
  const faults: Located[] = [];
  const trailer = { level: 'message', segment: last, reference, counted: 'segments', found: segments.length } as const;
  for (const { fault, element } of judgeTrailer(trailer)) {
    const suspect = fault.code === 'count_differs' && Number(fault.stated) > fault.found ? read.suspect : null;
    if (suspect !== null) faults.push(suspect);
    if (fault.code === 'count_differs' && policy.counts === 'lenient') {
      if (suspect === null) {
        notes.push({
          kind: 'count_differs',
          what: fault.counted,
          stated: fault.stated,
          found: fault.found,
          place: place(),
        });
      }
    } else faults.push({ fault, segment: last, element });
  }
  return faults;
}
