/** Words for a sample file where neither a code list nor an example of the document has any: places, codes, numbers that count. */
import { rotated } from './sample-draft.ts';

/** A town on land: city, state, position and code belong together. */
export interface Place {
  city: string;
  state: string;
  postalCode: string;
  zone: string;
  latitude: number;
  longitude: number;
}

const place = (city: string, state: string, postalCode: string, zone: string, at: [number, number]): Place => ({
  city,
  state,
  postalCode,
  zone,
  latitude: at[0],
  longitude: at[1],
});

const PLACES: readonly [Place, ...Place[]] = [
  place('Joliet', 'IL', '60431', 'America/Chicago', [41.525, -88.0817]),
  place('Toledo', 'OH', '43604', 'America/New_York', [41.6528, -83.5379]),
  place('Des Moines', 'IA', '50309', 'America/Chicago', [41.5868, -93.625]),
  place('Denver', 'CO', '80202', 'America/Denver', [39.7392, -104.9903]),
  place('Nashville', 'TN', '37201', 'America/Chicago', [36.1627, -86.7816]),
  place('Reno', 'NV', '89501', 'America/Los_Angeles', [39.5296, -119.8138]),
];

export const placeAt = (turn: number): Place => PLACES[turn % PLACES.length] ?? PLACES[0];

/** Zones as files write them: by name, and as an offset. */
export const zoneTexts = (turn: number): string[] => [placeAt(turn).zone, ...rotated(['UTC', '-06:00'], turn)];

/** Used where whoever asks names no SCAC of their own. */
const SCAC = 'DEMO';
export const scacTexts = (scacs: readonly string[], turn: number): string[] =>
  scacs.length === 0 ? [SCAC] : rotated(scacs, turn);

export const booleanTexts = (turn: number): string[] =>
  rotated(['true', 'false', 'yes', 'no', 'Y', 'N', '1', '0'], turn);

const STATUS_CODES = ['X3', 'AF', 'X1', 'D1', 'CD'];
const MILESTONE_TYPES = ['PICKED_UP', 'DELIVERED'];

/** By the end of the name of what a text is for; the first that fits counts. */
const BY_NAME: readonly [RegExp, (turn: number) => string][] = [
  [/eventcode$/, (turn) => STATUS_CODES[turn % STATUS_CODES.length] ?? ''],
  [/reasoncode$/, () => 'NS'],
  [/milestone_type$/, (turn) => MILESTONE_TYPES[turn % MILESTONE_TYPES.length] ?? ''],
  [/resourceid$/, (turn) => `UNIT-${101 + turn}`],
  [/resourcetype$/, () => 'TRUCK'],
  [/unitofmeasure$/, () => 'C'],
  [/city$/, (turn) => placeAt(turn).city],
  [/(?:state|province|region)$/, (turn) => placeAt(turn).state],
  [/(?:zip|postal|postalcode|postcode)$/, (turn) => placeAt(turn).postalCode],
  [/country(?:code)?$/, () => 'US'],
  [/(?:street|address|address1)$/, (turn) => `${12 + turn} Elm St`],
  [/e-?mail$/, (turn) => `consignee-${1 + turn}@example.com`],
  [/phone$/, (turn) => `555-01${`${turn % 100}`.padStart(2, '0')}`],
];

/** @param target what the text is for; column where it stands: one of them may be telling. */
export function wordFor(target: string, column: string, turn: number): string {
  const label = labelOf(column);
  const names = [target, label].map((name) => name.toLowerCase());
  for (const name of names) for (const [form, word] of BY_NAME) if (form.test(name)) return word(turn);
  return `${label} ${1 + turn}`;
}

/** The last name of a path, without marks that a file could take for its own. */
const labelOf = (column: string): string =>
  (column.match(/[\p{L}\p{N} _-]+/gu)?.at(-1) ?? '').trim().slice(0, LABEL_CHARACTERS_MAX) || 'text';
/** Room for a number behind it within the shortest limit of a text. */
const LABEL_CHARACTERS_MAX = 20;

/** Longest run of digits that is counted on, so that it stays exact. */
const COUNTED_DIGITS = /(\d{1,15})(?=\D*$)/;

/** A number nobody else in the file has: the example's own form, counted on. */
export function identityText(example: string | undefined, target: string, number: number): string {
  const pattern = example ?? (target === 'orderRef' ? 'SO-1000' : /load/i.test(target) ? 'LD100000' : '1000');
  if (!COUNTED_DIGITS.test(pattern)) return `${pattern}-${number}`;
  return pattern.replace(COUNTED_DIGITS, (digits) => `${Number(digits) + number}`.padStart(digits.length, '0'));
}
