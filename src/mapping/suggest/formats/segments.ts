/** X12 and EDIFACT as segments, read leniently: which messages there are, and an example cut from them. Pure. */
import { EXAMPLE_CHARACTERS_MAX } from '../limits.ts';

interface LooseSegment {
  tag: string;
  /** Elements with their components, from the first after the tag. */
  elements: readonly (readonly string[])[];
  /** As written, without its terminator. */
  text: string;
}

interface LooseMessage {
  /** `214`, `IFTSTA`. */
  type: string;
  version: string;
  segments: readonly LooseSegment[];
}

export interface LooseInterchange {
  format: 'x12' | 'edifact';
  delimiters: { element: string; component: string; release: string; terminator: string };
  segments: readonly LooseSegment[];
  messages: readonly LooseMessage[];
  /** Messages without an interchange around them. */
  isBare: boolean;
  /** The service string that begins an EDIFACT file, or ''. */
  una: string;
}

export function readSegments(text: string, format: 'x12' | 'edifact'): LooseInterchange | null {
  const body = text.replace(/^\ufeff/, '').trimStart();
  return format === 'x12' ? readX12(body) : readEdifact(body);
}

const ISA_ELEMENTS = 16;

function readX12(body: string): LooseInterchange | null {
  const element = body[3] ?? '';
  const isa = body.split(element, ISA_ELEMENTS + 1);
  const last = isa[ISA_ELEMENTS] ?? '';
  const [component = '', terminator = ''] = last;
  if (!body.startsWith('ISA') || terminator === '') return null;
  const delimiters = { element, component, release: '', terminator };
  const segments = split(body, delimiters);
  return {
    format: 'x12',
    delimiters,
    segments,
    messages: messagesOf(segments, 'ST', 'SE', x12Type),
    isBare: false,
    una: '',
  };
}

function readEdifact(body: string): LooseInterchange | null {
  const una = body.startsWith('UNA') ? body.slice(0, 9) : '';
  const [, , , component = ':', element = '+', , release = '?', , terminator = "'"] = una === '' ? [] : una;
  const delimiters = { element, component, release: release.trim(), terminator };
  const segments = split(body.slice(una.length), delimiters);
  if (!segments.some(({ tag }) => tag === 'UNH')) return null;
  const isBare = !segments.some(({ tag }) => tag === 'UNB');
  return {
    format: 'edifact',
    delimiters,
    segments,
    messages: messagesOf(segments, 'UNH', 'UNT', edifactType),
    isBare,
    una,
  };
}

function split(
  text: string,
  { element, component, release, terminator }: LooseInterchange['delimiters'],
): LooseSegment[] {
  return parts(text, terminator, release).flatMap((written) => {
    const trimmed = written.replaceAll(/[\r\n]+/g, '').trim();
    if (trimmed === '') return [];
    const [tag = '', ...elements] = parts(trimmed, element, release);
    const divided = elements.map((each) =>
      tag === 'ISA' ? [each] : parts(each, component, release).map((part) => unreleased(part, release)),
    );
    return [{ tag: (parts(tag, component, release)[0] ?? tag).trim(), elements: divided, text: trimmed }];
  });
}

/** @returns the pieces between separators that are not released. */
function parts(text: string, separator: string, release: string): string[] {
  if (release === '' || !text.includes(release)) return text.split(separator);
  const found: string[] = [];
  let piece = '';
  for (let at = 0; at < text.length; at++) {
    const character = text[at] ?? '';
    if (character === release) {
      piece += character + (text[at + 1] ?? '');
      at += 1;
    } else if (character === separator) {
      found.push(piece);
      piece = '';
    } else piece += character;
  }
  return [...found, piece];
}

const unreleased = (text: string, release: string): string => {
  if (release === '' || !text.includes(release)) return text;
  return text.replace(new RegExp(`\\${release}(.)`, 'gs'), '$1');
};

const x12Type = (start: LooseSegment): string => start.elements[0]?.[0] ?? '';
const edifactType = (start: LooseSegment): string => start.elements[1]?.[0] ?? '';

function messagesOf(
  segments: readonly LooseSegment[],
  from: string,
  until: string,
  typeOf: (start: LooseSegment) => string,
): LooseMessage[] {
  const messages: LooseMessage[] = [];
  let open: LooseSegment[] | null = null;
  let version = '';
  for (const segment of segments) {
    if (segment.tag === 'GS') version = segment.elements[7]?.[0] ?? '';
    if (segment.tag === from) open = [segment];
    else if (open !== null) open.push(segment);
    if (segment.tag !== until || open === null) continue;
    const [start] = open;
    if (start !== undefined) {
      const own = from === 'UNH' ? (start.elements[1] ?? []).slice(1, 3).join('.') : version;
      messages.push({ type: typeOf(start), version: own, segments: open });
    }
    open = null;
  }
  return messages;
}

/** The first messages in an interchange of their own, whose counts are right. */
export function interchangeOf(
  { format, delimiters, segments, messages, isBare, una }: LooseInterchange,
  type: string,
  count: number,
): string | null {
  const own = messages.filter((message) => message.type === type).slice(0, count);
  if (own.length === 0) return null;
  const end = `${delimiters.terminator}\n`;
  const line = (text: string): string => text.replaceAll(/[\r\n]+/g, '') + end;
  const first = (tag: string): LooseSegment | undefined => segments.find((segment) => segment.tag === tag);
  const body = own.flatMap((message) => message.segments.map(({ text }) => line(text))).join('');
  const around =
    format === 'x12'
      ? aroundX12(first, delimiters.element, own.length)
      : aroundEdifact(first, delimiters.element, own.length, isBare, una);
  const head = around.head.map(line).join('');
  const whole = `${around.opening}${head}${body}${around.tail.map(line).join('')}`;
  return whole.length > EXAMPLE_CHARACTERS_MAX ? null : whole;
}

interface Around {
  opening: string;
  head: string[];
  tail: string[];
}
type First = (tag: string) => LooseSegment | undefined;

function aroundX12(first: First, element: string, count: number): Around {
  const [isa, group] = [first('ISA'), first('GS')];
  const control = isa?.elements[12]?.[0] ?? '';
  const groupControl = group?.elements[5]?.join('') ?? '';
  return {
    opening: '',
    head: [isa?.text ?? '', group?.text ?? ''],
    tail: [['GE', String(count), groupControl].join(element), ['IEA', '1', control].join(element)],
  };
}

function aroundEdifact(first: First, element: string, count: number, isBare: boolean, una: string): Around {
  if (isBare) return { opening: una, head: [], tail: [] };
  const unb = first('UNB');
  const tail = [['UNZ', String(count), unb?.elements[4]?.join('') ?? ''].join(element)];
  return { opening: una === '' ? '' : `${una}\n`, head: [unb?.text ?? ''], tail };
}
