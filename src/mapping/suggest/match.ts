/** Which column is what: names compared with `terms.ts`, values with what they must look like; one column for one role. Pure. */
import { isZone } from '../../kernel/zones.ts';
import type { CodeLists } from '../document/code-list.ts';
import { nameTerms } from './names.ts';
import { type Shape, shareOf } from './shape.ts';
import type { Confidence } from './suggestion.ts';
import { ROLES, type RoleName, STATUS_TERMS, WEAK_NAMES, ZONE_TERMS } from './terms.ts';

export interface Match {
  shape: Shape;
  confidence: Confidence;
  reason: string;
  score: number;
}

export type Matches = ReadonlyMap<RoleName, Match>;

interface Compared {
  words: readonly string[];
  text: string;
}

interface RoleTerms {
  says: readonly Compared[];
  hints: readonly Compared[];
  weak: readonly Compared[];
  never: ReadonlySet<string>;
}

const compared = (names: string): Compared[] =>
  names
    .split(';')
    .map((name) => nameTerms(name.trim()))
    .filter((words) => words.length > 0)
    .map((words) => ({ words, text: words.join(' ') }));

const ROLE_TERMS: ReadonlyMap<RoleName, RoleTerms> = new Map(
  (Object.keys(ROLES) as RoleName[]).map((role) => {
    const { says, hints, never } = ROLES[role];
    const weak = WEAK_NAMES[role] ?? '';
    return [
      role,
      { says: compared(says), hints: compared(hints), weak: compared(weak), never: new Set(nameTerms(never)) },
    ];
  }),
);

/** How much a name speaks for a role: the whole name, its end, all its words, a hint. */
const SCORES = { exact: 100, hint: 60, contained: 70, weak: 45, hintContained: 35 } as const;
/** Below this it is not proposed. */
const SCORE_MIN = 35;

/** Where several columns are called a status, the one whose words are known. */
const KNOWN_STATUS = 20;

const knownShare = (shape: Shape, lists: CodeLists): number =>
  shareOf(
    shape,
    (word) =>
      ['x12-status-codes', 'carrier-status-words'].some((name) => lists.get(name)?.find(word) !== undefined) ||
      isStatusTerm(word),
  );

const STATUS_NAMES = new Set([...STATUS_TERMS.values()].flat().map((word) => nameTerms(word).join(' ')));
const isStatusTerm = (word: string): boolean => STATUS_NAMES.has(nameTerms(word).join(' '));

interface NameMatch {
  score: number;
  /** Where two roles are equally near, the one that is written first in its list. */
  rank: number;
  isExact: boolean;
}

function nameMatch(words: readonly string[], role: RoleName): NameMatch | null {
  const known = ROLE_TERMS.get(role);
  const text = words.join(' ');
  if (known === undefined || text === '') return null;
  const exact = known.says.findIndex((each) => each.text === text);
  if (exact !== -1) return { score: SCORES.exact, rank: exact, isExact: true };
  if (words.some((word) => known.never.has(word))) return null;
  const hint = known.hints.findIndex((each) => each.text === text);
  if (hint !== -1) return { score: SCORES.hint, rank: hint, isExact: false };
  const weak = known.weak.findIndex((each) => each.text === text);
  if (weak !== -1) return { score: SCORES.weak, rank: weak, isExact: false };
  const said = longestIn(known.says, words);
  if (said !== undefined) return { score: SCORES.contained * shareOfTerms(said, words), rank: 0, isExact: false };
  const hinted = longestIn(known.hints, words);
  return hinted === undefined
    ? null
    : { score: SCORES.hintContained * shareOfTerms(hinted, words), rank: 50, isExact: false };
}

const shareOfTerms = (name: Compared, words: readonly string[]): number =>
  (name.words.length + words.length) / (2 * words.length);

function longestIn(names: readonly Compared[], words: readonly string[]): Compared | undefined {
  const inside = names.filter((name) => contains(words, name.words));
  return inside.reduce<Compared | undefined>(
    (best, each) => (best === undefined || each.words.length > best.words.length ? each : best),
    undefined,
  );
}

/** The words follow each other in the name. */
const contains = (words: readonly string[], part: readonly string[]): boolean =>
  words.some((_, at) => part.every((word, index) => words[at + index] === word));

/* What values of a role look like. */

type Fit = 'fits' | 'possible' | 'no';

const share =
  (least: number) =>
  (shape: Shape, test: RegExp): boolean =>
    shareOf(shape, (value) => test.test(value)) >= least;
const most = share(0.9);

const STATE = /^[A-Za-z]{2,3}$/;
const SCAC = /^[A-Za-z]{2,4}$/;
const VIN = /^[A-HJ-NPR-Z0-9]{17}$/i;
const LATITUDE = /^[+-]?(?:[0-8]?\d|90)(?:[.,]\d+)?$|^[\d.]+ ?[NS]$/i;
const LONGITUDE = /^[+-]?(?:1[0-7]\d|180|\d{1,2})(?:[.,]\d+)?$|^[\d.]+ ?[EW]$/i;
const POSTAL = /^[A-Z0-9][A-Z0-9 -]{2,9}$/i;
const EMAIL = /^\S+@\S+\.\S+$/;
const TIME_OF_DAY =
  /^\d{1,2}[:.h]\d{2}(?:[:.]\d{2}(?:[.,]\d+)?)?(?: ?[ap]\.?m\.?)?(?:Z|[+-]\d{2}:?\d{2})?$|^\d{3,4}$|^\d{6}$/i;

const isMoment = ({ kind }: Shape): boolean => kind === 'date and time';
const isDate = ({ kind }: Shape): boolean => kind === 'date';

const FITS: Partial<Record<RoleName, (shape: Shape, lists: CodeLists) => Fit>> = {
  loadNumber: identifier,
  orderRef: identifier,
  pro: identifier,
  bol: identifier,
  po: identifier,
  waybill: identifier,
  trailer: identifier,
  equipment: identifier,
  sku: (shape) => (shape.kind === 'date' || shape.kind === 'date and time' ? 'no' : 'fits'),
  status: (shape) =>
    shape.kind === 'date' || shape.kind === 'date and time' || shape.kind === 'time' || shape.kind === 'number'
      ? 'no'
      : shape.distinctIsAll && shape.counts.size <= 60
        ? 'fits'
        : 'possible',
  reason: (shape) =>
    shape.kind === 'date' || shape.kind === 'date and time' || shape.kind === 'number'
      ? 'no'
      : shape.distinctIsAll && shape.counts.size <= 60
        ? 'fits'
        : 'possible',
  dateTime: (shape) =>
    isMoment(shape)
      ? 'fits'
      : isEpoch(shape)
        ? 'possible'
        : shape.kind === 'mixed' && hasDigits(shape)
          ? 'possible'
          : 'no',
  date: (shape) =>
    isDate(shape) || isMoment(shape)
      ? 'fits'
      : hasDigits(shape) && shape.lengthMax >= 6 && shape.lengthMax <= 12
        ? 'possible'
        : 'no',
  requestedDate: (shape) => (isDate(shape) || isMoment(shape) ? 'fits' : 'no'),
  time: (shape) => (most(shape, TIME_OF_DAY) ? 'fits' : 'no'),
  zone: (shape, lists) => (shareOf(shape, (value) => isKnownZone(value, lists)) >= 0.8 ? 'fits' : 'no'),
  state: (shape) => (most(shape, STATE) ? 'fits' : shape.kind === 'text' || shape.kind === 'code' ? 'possible' : 'no'),
  orderState: (shape) =>
    most(shape, STATE) ? 'fits' : shape.kind === 'text' || shape.kind === 'code' ? 'possible' : 'no',
  city: textual,
  orderCity: textual,
  stop: (shape) => (most(shape, /^\d{1,4}$/) ? 'fits' : 'no'),
  scac: (shape) => (most(shape, SCAC) ? 'fits' : 'no'),
  latitude: (shape) => (most(shape, LATITUDE) ? 'fits' : most(shape, /^[NS]?\d{6,7}[NS]?$/) ? 'possible' : 'no'),
  longitude: (shape) => (most(shape, LONGITUDE) ? 'fits' : most(shape, /^[EW]?\d{6,7}[EW]?$/) ? 'possible' : 'no'),
  odometer: number,
  temperature: number,
  temperatureUnit: (shape) => (most(shape, /^°?[CF]$|^celsius$|^fahrenheit$/i) ? 'fits' : 'no'),
  vin: (shape) => (most(shape, VIN) ? 'fits' : identifier(shape) === 'no' ? 'no' : 'possible'),
  postalCode: (shape) => (most(shape, POSTAL) ? 'fits' : 'no'),
  country: (shape) => (most(shape, /^[A-Za-z]{2,3}$/) ? 'fits' : textual(shape)),
  email: (shape) => (share(0.7)(shape, EMAIL) ? 'fits' : 'no'),
  phone: (shape) => (share(0.7)(shape, /^[+(]?[\d][\d ()/.-]{5,}$/) ? 'fits' : 'no'),
  quantity: number,
  weight: number,
};

function identifier(shape: Shape): Fit {
  if (shape.kind === 'empty' || isMoment(shape) || shape.kind === 'date' || shape.kind === 'time') return 'no';
  if (shape.lengthMax > 40) return 'no';
  if (shape.kind === 'number' && shareOf(shape, (value) => /^\d+$/.test(value)) < 0.9) return 'no';
  return hasDigits(shape) ? 'fits' : 'possible';
}

function textual(shape: Shape): Fit {
  if (shape.kind === 'empty' || isMoment(shape) || isDate(shape)) return 'no';
  return shareOf(shape, (value) => /\p{L}/u.test(value)) >= 0.9 ? 'fits' : 'no';
}

function number(shape: Shape): Fit {
  return shape.kind === 'number' || shape.kind === 'whole number' ? 'fits' : 'no';
}

const hasDigits = (shape: Shape): boolean => shareOf(shape, (value) => /\d/.test(value)) >= 0.8;
const isEpoch = (shape: Shape): boolean => most(shape, /^1\d{9}(?:\.\d+)?$|^1\d{12}$/);

export const isKnownZone = (value: string, lists: CodeLists): boolean =>
  isZone(value) || lists.get('us-time-zones')?.find(value) !== undefined || ZONE_TERMS.has(value.toUpperCase());

/* One column for one role. */

interface Candidate extends Match {
  role: RoleName;
  rank: number;
}

interface MatchInput {
  shapes: readonly Shape[];
  /** The roles that matter for the target, the most important first. */
  roles: readonly RoleName[];
  lists: CodeLists;
  /** Columns named by answers; '' for none. */
  fixed: ReadonlyMap<RoleName, string>;
}

export function matchColumns({ shapes, roles, lists, fixed }: MatchInput): Matches {
  const matches = new Map<RoleName, Match>();
  const used = new Set<Shape>();
  for (const [role, name] of fixed) {
    const shape = shapes.find(({ column }) => column.name === name);
    if (!roles.includes(role) || shape === undefined) continue;
    matches.set(role, { shape, confidence: 'sure', reason: 'As you answered.', score: Number.POSITIVE_INFINITY });
    used.add(shape);
  }
  const candidates = roles
    .filter((role) => !fixed.has(role))
    .flatMap((role) => shapes.flatMap((shape) => candidateOf(role, shape, lists) ?? []))
    .sort(
      (left, right) =>
        right.score - left.score || left.rank - right.rank || roles.indexOf(left.role) - roles.indexOf(right.role),
    );
  for (const { role, rank: _, ...match } of candidates) {
    if (matches.has(role) || used.has(match.shape)) continue;
    matches.set(role, match);
    used.add(match.shape);
  }
  return matches;
}

/** What differs from event to event, so that it stands in the event itself. */
const OF_EVENT: ReadonlySet<RoleName> = new Set([
  'status',
  'reason',
  'dateTime',
  'date',
  'time',
  'latitude',
  'longitude',
  'city',
  'state',
]);

function candidateOf(role: RoleName, shape: Shape, lists: CodeLists): Candidate | undefined {
  if (shape.kind === 'empty' || (shape.column.isOuter === true && OF_EVENT.has(role))) return undefined;
  const fit = FITS[role]?.(shape, lists) ?? 'fits';
  if (fit === 'no') return undefined;
  const name = nameMatch(nameTerms(shape.column.called), role);
  if (name === null) return undefined;
  const score =
    name.score + (fit === 'fits' ? 5 : -10) + (role === 'status' ? KNOWN_STATUS * knownShare(shape, lists) : 0);
  if (score < SCORE_MIN) return undefined;
  return { role, shape, score, rank: name.rank, ...confidenceOf(role, shape, name, fit) };
}

/** Of an identifier with a name that can mean several, nobody can be sure. */
function confidenceOf(
  role: RoleName,
  { column }: Shape,
  name: NameMatch,
  fit: Fit,
): Pick<Match, 'confidence' | 'reason'> {
  const { about } = ROLES[role];
  const values = fit === 'fits' ? ' and its values look like one' : '';
  if (name.isExact) {
    return {
      confidence: fit === 'fits' ? 'sure' : 'likely',
      reason: `The name "${column.called}" says ${about}${values}.`,
    };
  }
  const confidence = name.score >= SCORES.hint && fit === 'fits' ? 'likely' : 'unsure';
  return { confidence, reason: `The name "${column.called}" can mean ${about}${values}.` };
}
