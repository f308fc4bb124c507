/** The interchanges of a stored file, as far as their envelopes say who sends what to whom: looked at before anything is promised. */
import { createHash, type Hash } from 'node:crypto';
import { elementText, type Segment, type SegmentPart } from '../../formats/segments/segment.ts';

/** @property qualifier '' where there is none. */
export interface Address {
  qualifier: string;
  id: string;
}

export interface InterchangeLook {
  sender: Address;
  receiver: Address;
  /** ISA13, or UNB 0020; as written. */
  control: string;
  /** ISA15, or UNB 0035; as written. Null: its ISA breaks off before it, and nothing of it is taken. */
  indicator: string | null;
  /** Whether it says of itself that it is a test; null: what it says is neither. */
  isTest: boolean | null;
  groupSenders: readonly string[];
  /** SHA-256 of its content: the same however its lines are broken. */
  digest: string;
}

/** Senders of groups kept of one interchange. Ours: more than can be agreed with a partner, so that one is foreign among so many. */
const GROUP_SENDERS_MAX = 1_000;

type Addressed = Omit<InterchangeLook, 'digest' | 'groupSenders'>;

interface Open {
  look: Addressed;
  groups: Set<string>;
  hash: Hash;
}

/** @returns one after the other, as their ends are reached: a file may hold any number of them. */
export async function* interchangeLooks(parts: AsyncIterable<SegmentPart>): AsyncGenerator<InterchangeLook> {
  let open: Open | null = null;
  for await (const part of parts) {
    if ('set' in part) {
      for (const { tag, elements } of part.set.segments) open?.hash.update(JSON.stringify([tag, elements]));
      continue;
    }
    const { fact } = part;
    switch (fact.kind) {
      case 'interchange':
        open = { look: addressed(fact.header), groups: new Set(), hash: createHash('sha256') };
        open.hash.update(JSON.stringify(fact.header.elements));
        break;
      case 'group':
        if (open !== null && open.groups.size < GROUP_SENDERS_MAX)
          open.groups.add(elementText(fact.header, 2, 1).trim());
        open?.hash.update(JSON.stringify(fact.header.elements));
        break;
      case 'interchange_end':
        if (open !== null) yield lookOf(open);
        open = null;
        break;
      case 'group_end':
        break;
    }
  }
  if (open !== null) yield lookOf(open);
}

const lookOf = ({ look, groups, hash }: Open): InterchangeLook => ({
  ...look,
  groupSenders: [...groups],
  digest: hash.digest('hex'),
});

/** ISA05–08, ISA13, ISA15; UNB S002, S003, 0020, 0035. */
function addressed(header: Segment): Addressed {
  const text = (element: number, component: number | null = null): string =>
    elementText(header, element, component).trim();
  if (header.tag === 'ISA') {
    const indicator = text(15);
    return {
      sender: { qualifier: text(5), id: text(6) },
      receiver: { qualifier: text(7), id: text(8) },
      control: text(13),
      indicator: header.elements.length < 15 ? null : indicator,
      isTest: indicator === 'T' ? true : indicator === 'P' ? false : null,
    };
  }
  const indicator = text(11);
  return {
    sender: { qualifier: text(2, 2), id: text(2, 1) },
    receiver: { qualifier: text(3, 2), id: text(3, 1) },
    control: text(5),
    indicator,
    // UNB 0035 is there for tests alone: an interchange without it is meant.
    isTest: indicator === '1' ? true : indicator === '' || indicator === '0' ? false : null,
  };
}
