/** A file of X12 or EDIFACT as segments, and the path in mapping syntax to each of its elements. Pure. */

interface ShownSegment {
  tag: string;
  elements: { path: string; text: string }[];
}

/** How a file says that it is divided. */
interface Delimiters {
  segment: string;
  element: string;
  /** null: elements are whole, as X12 paths read them. */
  component: string | null;
  release: string;
}

/** Segments shown. Ours: about as many as somebody scrolls through. */
const SEGMENTS_SHOWN_MAX = 300;

/** Which element says what a segment, or its value, is: `REF[01=BM]-02`. Of X12 and of EDIFACT. */
const QUALIFIED: Readonly<Record<string, string>> = {
  ...{ REF: '01', N1: '01', DTM: '01', G62: '01', L11: '02', MAN: '01', PER: '01', NTE: '01', N9: '01', QTY: '01' },
  ...{ RFF: '01.1', NAD: '01', LOC: '01', MEA: '01', FTX: '01', CTA: '01', GIR: '01', TDT: '01' },
};
/** The same tag in both. */
const QUALIFIED_EDIFACT: Readonly<Record<string, string>> = { DTM: '01.1', QTY: '01.1' };

/** @returns null: it is neither X12 nor EDIFACT. */
export function segmentsOf(text: string): ShownSegment[] | null {
  const body = text.replace(/^\uFEFF?\s*/, '');
  const delimiters = delimitersOf(body);
  if (delimiters === null) return null;
  const { segment, release } = delimiters;
  const from = body.startsWith('UNA') ? body.slice(9) : body;
  const texts = parted(from, segment, release).slice(0, SEGMENTS_SHOWN_MAX);
  const trimmed = texts.map((each) => each.replace(/^[\r\n ]+|[\r\n]+$/g, '')).filter((each) => each !== '');
  return trimmed.map((each) => segmentIn(each, delimiters));
}

function delimitersOf(body: string): Delimiters | null {
  if (body.startsWith('ISA') && body.length > 106) {
    return { element: body.charAt(3), segment: body.charAt(105), component: null, release: '' };
  }
  if (body.startsWith('UNA') && body.length > 9) {
    const [component = '', element = '', , release = '', , segment = ''] = body.slice(3, 9);
    return { component, element, release, segment };
  }
  return /^UN[BH]\+/.test(body) ? { component: ':', element: '+', release: '?', segment: "'" } : null;
}

/** A mark after the release character is text. */
function parted(text: string, mark: string, release: string): string[] {
  const parts: string[] = [];
  let part = '';
  for (let at = 0; at < text.length; at += 1) {
    const letter = text.charAt(at);
    if (release !== '' && release !== ' ' && letter === release) {
      part += letter + text.charAt(at + 1);
      at += 1;
    } else if (letter === mark) {
      parts.push(part);
      part = '';
    } else part += letter;
  }
  return part === '' ? parts : [...parts, part];
}

function segmentIn(text: string, delimiters: Delimiters): ShownSegment {
  const { element, component, release } = delimiters;
  const [tag = '', ...elements] = parted(text, element, release);
  const isEdifact = component !== null;
  const shown = elements.flatMap((whole, index) => {
    const place = twoDigits(index + 1);
    const parts = component === null ? [whole] : parted(whole, component, release);
    return parts.length < 2 && !isEdifact
      ? [{ place, text: whole }]
      : parts.map((part, at) => ({
          place: parts.length < 2 ? place : `${place}.${at + 1}`,
          text: released(part, release),
        }));
  });
  const by = (isEdifact ? QUALIFIED_EDIFACT[tag] : undefined) ?? QUALIFIED[tag];
  const qualifier = shown.find(({ place }) => place === by || (by !== undefined && place === by.split('.')[0]));
  return {
    tag,
    elements: shown.map(({ place, text: value }) => ({
      text: value,
      path:
        qualifier === undefined || qualifier.text === '' || qualifier.place === place || /[[\]|>]/.test(qualifier.text)
          ? `${tag}-${place}`
          : `${tag}[${qualifier.place}=${qualifier.text}]-${place}`,
    })),
  };
}

const twoDigits = (place: number): string => String(place).padStart(2, '0');

const released = (text: string, release: string): string =>
  release === '' || release === ' ' ? text : text.replaceAll(new RegExp(`\\${release}(.)`, 'g'), '$1');

/** A column or a path as YAML takes it: in quotes where it would be read as something else. */
export const asYaml = (name: string): string =>
  /^[A-Za-z][\w .-]*$/.test(name) && name === name.trim() && !/^(?:y|n|yes|no|true|false|on|off|null)$/i.test(name)
    ? name
    : `"${name.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
