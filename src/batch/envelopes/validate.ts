/** Whether a partner may send these interchanges with this key. Pure. */
import { createHash, type Hash } from 'node:crypto';
import * as z from 'zod';
import { isSegmented, readerOf } from '../../formats/reader.ts';
import { DEFAULT_POLICY, type EnvelopePolicy } from '../../formats/segments/parts.ts';
import { elementText, type Segment, type SegmentPart } from '../../formats/segments/segment.ts';
import type { Environment } from '../../kernel/names.ts';
import type { CompiledMapping } from '../../mapping/compile/compile.ts';

/*
 * The interchanges of a stored file, as far as their envelopes say who sends what to whom: read before a receipt is
 * given.
 */

/** @property qualifier '' if there is none. */
interface Address {
  qualifier: string;
  id: string;
}

interface InterchangeLook {
  sender: Address;
  receiver: Address;
  /** ISA13, or UNB 0020; as written. */
  control: string;
  /** ISA15, or UNB 0035; as written. Null: its ISA breaks off before it, and nothing of it is accepted. */
  indicator: string | null;
  /** Whether it declares itself a test; null: the indicator is invalid. */
  isTest: boolean | null;
  groupSenders: readonly string[];
  /** SHA-256 of its content, however its lines are broken. */
  digest: string;
}

/**
 * Group senders stored of one interchange. Ours: more than can be agreed with a partner, so a foreign one must be among
 * them.
 */
const GROUP_SENDERS_MAX = 1_000;

type Addressed = Omit<InterchangeLook, 'digest' | 'groupSenders'>;

interface Open {
  look: Addressed;
  groups: Set<string>;
  hash: Hash;
}

/** @returns one after the other, as each ends: a file may have any number of them. */
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
    // UNB 0035 is only used for tests: an interchange without it is production.
    isTest: indicator === '1' ? true : indicator === '' || indicator === '0' ? false : null,
  };
}

/* Rules agreed with a partner about envelopes: who may be named in them, and how strictly they are validated. */

/** Ours: a partner sends under a few ids. */
const IDS_MAX = 100;
const ids = z.array(z.string().trim().min(1).max(70)).min(1).max(IDS_MAX);

export const envelopeRules = z.strictObject({
  senders: ids
    .optional()
    .describe(
      'Ids that may send: ISA06 or the id of UNB, with the qualifier before a colon where it counts: ZZ:ACME. Any otherwise.',
    ),
  receivers: ids.optional().describe('Ids that may be addressed: ISA08 or the recipient of UNB. Any otherwise.'),
  groupSenders: ids.optional().describe('Codes that may send a group: GS02, or the sender of UNG. Any otherwise.'),
  controlNumbers: z
    .enum(['once', 'any'])
    .default('once')
    .describe('An interchange control number that comes again within 30 days is refused (once), or taken.'),
  broken: z
    .enum(['set', 'interchange'])
    .default('set')
    .describe('What a broken set costs: itself, or its whole interchange.'),
  counts: z.enum(['strict', 'lenient']).default('strict').describe('A wrong count is a fault, or a note.'),
  width: z
    .enum(['tolerant', 'strict'])
    .default('tolerant')
    .describe('Whether an ISA of another width than the standard’s is taken.'),
});

export type EnvelopeRules = z.output<typeof envelopeRules>;

/** When nothing is agreed. */
export const DEFAULT_RULES: EnvelopeRules = { ...DEFAULT_POLICY, controlNumbers: 'once' };

/** The mapping with a reader that validates envelopes under the policy. */
export const underPolicy = (mapping: CompiledMapping, policy: EnvelopePolicy | null): CompiledMapping =>
  policy === null || !isSegmented(mapping.source)
    ? mapping
    : { ...mapping, reader: readerOf(mapping.source, mapping.shape, policy) };

export const policyOf = ({ broken, counts, width }: EnvelopeRules): EnvelopePolicy => ({ broken, counts, width });

/** `standard`: its TA105 code; `allowed`: what is agreed. */
export type EnvelopeRefusal =
  | {
      code: 'identity_mismatch';
      control: string;
      what: 'sender' | 'receiver' | 'group sender';
      found: string;
      allowed: readonly string[];
      standard: string;
    }
  | { code: 'environment_mismatch'; control: string; isTest: boolean; environment: Environment; standard: string }
  | { code: 'test_indicator_invalid'; control: string; found: string; environment: Environment; standard: string };

/** @returns why it may not be sent. */
export function validateInterchange(
  { control, sender, receiver, groupSenders, indicator, isTest }: InterchangeLook,
  rules: EnvelopeRules,
  environment: Environment,
): EnvelopeRefusal | undefined {
  const mismatch = { code: 'identity_mismatch', control } as const;
  if (!isAllowed(sender, rules.senders)) {
    return { ...mismatch, what: 'sender', found: messages(sender), allowed: rules.senders ?? [], standard: 'TA1 006' };
  }
  if (!isAllowed(receiver, rules.receivers)) {
    return {
      ...mismatch,
      what: 'receiver',
      found: messages(receiver),
      allowed: rules.receivers ?? [],
      standard: 'TA1 008',
    };
  }
  const group = groupSenders.find((id) => !isAllowed({ qualifier: '', id }, rules.groupSenders));
  if (group !== undefined) {
    const allowed = rules.groupSenders ?? [];
    return { ...mismatch, what: 'group sender', found: group, allowed, standard: 'TA1 006' };
  }
  if (indicator === null || isTest === (environment === 'test')) return undefined;
  if (isTest === null)
    return { code: 'test_indicator_invalid', control, found: indicator, environment, standard: 'TA1 020' };
  return { code: 'environment_mismatch', control, isTest, environment, standard: 'TA1 020' };
}

const messages = ({ qualifier, id }: Address): string => (qualifier === '' ? id : `${qualifier}:${id}`);

/** An agreed id with a qualifier must match in both, one without in the id only. */
const isAllowed = (address: Address, allowed: readonly string[] | undefined): boolean =>
  allowed === undefined || allowed.includes(messages(address)) || allowed.includes(address.id);

/** Identifies an interchange however often it is sent: addresses, control number, and whether it is a test. */
export const interchangeKey = ({ sender, receiver, control, isTest }: InterchangeLook): string =>
  JSON.stringify([messages(sender), messages(receiver), bareControl(control), isTest]);

/** Systems differ in the zeros before a control number. */
export const bareControl = (control: string): string => control.replace(/^0+(?=.)/, '');

/* An upload refused for one of its interchanges: nothing of it is accepted, and each is reported. */

/** An interchange received before, with the same or other content; `batchId` null: in the same upload. */
export type ControlRefusal =
  | { code: 'control_duplicate'; control: string; batchId: string | null; message?: number }
  | { code: 'control_conflict'; control: string; batchId: string | null; message?: number };

/** TA105 of a repeated one: duplicate control number. */
export const REPEATED = 'TA1 025';

/** @property place in the upload, from 0. @property standard its TA105 code. */
export interface InterchangeFault {
  place: number;
  control: string;
  code: (EnvelopeRefusal | ControlRefusal)['code'];
  standard: string;
}

/** All interchanges of an upload in which one is refused, in order. */
export interface RefusedUpload {
  faults: readonly InterchangeFault[];
  /** Control numbers of the others, which may be sent again unchanged. */
  sound: readonly string[];
}

/** `upload` absent: it had no other. */
export type RefusedInterchange = (EnvelopeRefusal | ControlRefusal) & { upload?: RefusedUpload };

/** @returns what to report of the upload besides its first fault. */
export const inUpload = ({ faults, sound }: RefusedUpload): { upload?: RefusedUpload } =>
  faults.length + sound.length > 1 ? { upload: { faults, sound } } : {};
