/**
 * Where the values of a request come from: for each field of a document, its line, the columns it reads, and the member
 * of the request's body that it fills. For people who look at a result and ask which line made it. Pure.
 */
import type { MappingDocument } from '../document/document.ts';
import { type DocumentParts, documentParts, type Leaf, leavesOf, type Plan } from '../document/document-parts.ts';
import { type DocumentPath, formatPath } from '../document/problems.ts';
import type { YamlText } from '../document/read-yaml.ts';
import type { RequestKind } from '../request.ts';
import { columnUses } from './columns.ts';

/**
 * @property kinds of requests that have it. @property member names from the body inwards, without indexes of repeated
 * members: `lines`, `sku`. @property at its path in the document. @property line absent: inherited from a base.
 * @property columns that are read for it, as the mapping writes them.
 */
export interface ValueOrigin {
  kinds: readonly RequestKind[];
  member: readonly string[];
  at: string;
  line?: number;
  column?: number;
  columns: readonly string[];
}

/** @param text that the document was read from. */
export function valueOrigins(document: MappingDocument, text: YamlText): ValueOrigin[] {
  const parts = documentParts(document);
  const uses = columnUses(parts);
  const found = new Map<string, ValueOrigin>();
  for (const leaf of leavesOf(parts)) {
    if (leaf.kind === 'condition') continue;
    const filled = filledBy(leaf);
    if (filled === null) continue;
    const at = formatPath(filled.at);
    if (found.has(at)) continue;
    const isTime = leaf.kind === 'time';
    const own = uses.filter((use) => isWithin(use.at, filled.at) || (isTime && use.at[0] === 'zone'));
    const location = locationIn(text, filled.at);
    found.set(at, {
      kinds: kindsAt(parts, filled),
      member: filled.member,
      at,
      ...location,
      columns: [...new Set(own.map(({ column }) => column))],
    });
  }
  return [...found.values()].filter(({ kinds }) => kinds.length > 0);
}

interface Filled {
  at: DocumentPath;
  member: string[];
  plan: DocumentPath;
}

/** The whole field that a leaf is a part of: a time has its form and its zone beside it. */
function filledBy({ at }: Leaf): Filled | null {
  const begin = at.findIndex((step, index) => (step === 'fields' || step === 'order') && isFillingAt(at, index));
  if (begin === -1) return null;
  const plan = at.slice(0, begin);
  const [name, ...rest] = at.slice(begin + 1);
  if (typeof name !== 'string') return null;
  if (at[begin] === 'order') return { plan, ...orderMember(at, begin) };
  const [inner] = rest;
  const isPart = name === 'coordinate' || name === 'temperature';
  if (isPart && typeof inner === 'string') return { plan, at: at.slice(0, begin + 3), member: [name, inner] };
  if (name === 'references') return { plan, at: at.slice(0, begin + 3), member: [name, String(inner)] };
  return { plan, at: at.slice(0, begin + 2), member: [name] };
}

/** `fields` and `order` of the document, of a request or of a case; a member of an order may be called so, too. */
const isFillingAt = (at: DocumentPath, index: number): boolean =>
  index === 0 || (index === 2 && at[0] === 'requests') || (index === 3 && at[0] === 'target');

/** Names and the keys of nodes follow each other: `order.lines.object.sku.parse`. */
function orderMember(at: DocumentPath, begin: number): { at: DocumentPath; member: string[] } {
  const member: string[] = [];
  let index = begin + 1;
  for (; index < at.length; index += 1) {
    member.push(String(at[index]));
    while (at[index + 1] === 'item' || at[index + 1] === 'list') index += at[index + 1] === 'list' ? 2 : 1;
    if (at[index + 1] !== 'object') break;
    index += 1;
  }
  return { at: at.slice(0, index + 1), member };
}

function kindsAt({ plans }: DocumentParts, { plan: at, member: [name = ''] }: Filled): RequestKind[] {
  const own = formatPath(at);
  const using = plans.filter((plan) => formatPath(plan.at) === own || (at.length === 0 && !fillsItself(plan, name)));
  return [...new Set(using.flatMap(({ target }) => target ?? []))];
}

const fillsItself = (plan: Plan, name: string): boolean =>
  plan.names.has(name) || (plan.hasOrder && plan.order?.[name] !== undefined);

const isWithin = (at: DocumentPath, outer: DocumentPath): boolean => outer.every((step, index) => at[index] === step);

/** Of a key that the text does not have, the nearest existing parent would be named. */
function locationIn(yaml: YamlText, at: DocumentPath): { line?: number; column?: number } {
  let value: unknown = yaml.value;
  for (const step of at) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return {};
    value = (value as Record<string | number, unknown>)[step];
  }
  return yaml.locationOf(at);
}
