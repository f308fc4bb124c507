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
  /** Whether it says of itself that it is a test; null: it says neither. */
  isTest: boolean | null;
  groupSenders: readonly string[];
  /** SHA-256 of its content: the same however its lines are broken. */
  digest: string;
}

/** Interchanges and groups looked at in one file. Ours: far more than any holds. */
const INTERCHANGES_MAX = 10_000;
const GROUPS_MAX = 1_000;

export async function lookAtInterchanges(parts: AsyncIterable<SegmentPart>): Promise<InterchangeLook[]> {
  const looks: InterchangeLook[] = [];
  let open: { look: Omit<InterchangeLook, 'digest' | 'groupSenders'>; groups: Set<string>; hash: Hash } | null = null;
  const close = (): void => {
    if (open === null || looks.length >= INTERCHANGES_MAX) return;
    looks.push({ ...open.look, groupSenders: [...open.groups], digest: open.hash.digest('hex') });
    open = null;
  };
  for await (const part of parts) {
    if ('set' in part) {
      for (const { tag, elements } of part.set.segments) open?.hash.update(JSON.stringify([tag, elements]));
      continue;
    }
    const { fact } = part;
    if (fact.kind === 'interchange') {
      close();
      open = { look: addressed(fact.header), groups: new Set(), hash: createHash('sha256') };
      open.hash.update(JSON.stringify(fact.header.elements));
    } else if (fact.kind === 'group') {
      if (open !== null && open.groups.size < GROUPS_MAX) open.groups.add(elementText(fact.header, 2, 1).trim());
      open?.hash.update(JSON.stringify(fact.header.elements));
    } else if (fact.kind === 'interchange_end') close();
  }
  close();
  return looks;
}

/** ISA05–08, ISA13, ISA15; UNB S002, S003, 0020, 0035. */
function addressed(header: Segment): Omit<InterchangeLook, 'digest' | 'groupSenders'> {
  const text = (element: number, component: number | null = null): string =>
    elementText(header, element, component).trim();
  if (header.tag === 'ISA') {
    const indicator = text(15);
    return {
      sender: { qualifier: text(5), id: text(6) },
      receiver: { qualifier: text(7), id: text(8) },
      control: text(13),
      isTest: indicator === 'T' ? true : indicator === 'P' ? false : null,
    };
  }
  return {
    sender: { qualifier: text(2, 2), id: text(2, 1) },
    receiver: { qualifier: text(3, 2), id: text(3, 1) },
    control: text(5),
    isTest: text(11) === '1' ? true : null,
  };
}
