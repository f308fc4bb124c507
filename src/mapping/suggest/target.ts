/** What the records of a sample become: a milestone, a position, an order; or a question. Pure. */
import type { CodeLists } from '../document/code-list.ts';
import { REQUEST_KINDS, type RequestKind } from '../request.ts';
import type { OrderColumns, SampleArray } from './formats/sample.ts';
import { type Matches, matchColumns } from './match.ts';
import { type Shape, shapeOf } from './shape.ts';
import type { Confidence, Question } from './suggestion.ts';
import type { RoleName } from './terms.ts';

const EVENT_ROLES: readonly RoleName[] = [
  'loadNumber',
  'dateTime',
  'date',
  'time',
  'zone',
  'city',
  'state',
  'stop',
  'pro',
  'bol',
  'po',
  'trailer',
  'equipment',
  'waybill',
  'scac',
];
const ROLES_OF = {
  milestone: ['status', 'reason', ...EVENT_ROLES],
  trace: ['latitude', 'longitude', 'vin', 'odometer', 'temperature', 'temperatureUnit', ...EVENT_ROLES],
  order: [
    'orderRef',
    'sku',
    'quantity',
    'consigneeName',
    'street',
    'street2',
    'postalCode',
    'orderCity',
    'orderState',
    'country',
    'requestedDate',
    'shipperCode',
    'deliveryType',
    'phone',
    'email',
    'po',
    'instructions',
    'itemDescription',
    'weight',
  ],
} as const satisfies Record<string, readonly RoleName[]>;
type Family = keyof typeof ROLES_OF;

const familyOf = (kind: RequestKind): Family =>
  kind === 'trace' ? 'trace' : kind.startsWith('order.') ? 'order' : 'milestone';

export interface TargetFound {
  kind: RequestKind | null;
  confidence: Confidence;
  reason: string;
  question: Question | null;
  matches: Matches;
}

/** What can be proposed. */
const CHOICES: readonly { kind: RequestKind; says: string }[] = [
  { kind: 'milestone', says: 'Milestones: something happened to a load.' },
  { kind: 'trace', says: 'Positions: where a load or its vehicle was.' },
  { kind: 'order.create', says: 'New last mile orders.' },
  { kind: 'order.upsert', says: 'Orders, new or changed.' },
  { kind: 'order.cancel', says: 'Orders to be cancelled.' },
];

/** Of an order, where it may be in an array. */
const LINE_ROLES: readonly RoleName[] = ['sku', 'itemDescription', 'quantity', 'weight'];

interface TargetInput {
  shapes: readonly Shape[];
  /** Where records can be orders with arrays. */
  orders: OrderShapes | null;
  lists: CodeLists;
  answers: ReadonlyMap<string, string>;
  fixed: ReadonlyMap<RoleName, string>;
}

export function decideTarget(asked: TargetInput): TargetFound {
  const match = (family: Family): Matches =>
    family === 'order' && asked.orders !== null
      ? orderMatches(asked, asked.orders)
      : matchColumns({ ...asked, roles: ROLES_OF[family] });
  const answer = REQUEST_KINDS.find((kind) => kind === asked.answers.get('target'));
  if (answer !== undefined) {
    const question = questionOf(null, answer);
    return { kind: answer, confidence: 'sure', reason: 'As you answered.', question, matches: match(familyOf(answer)) };
  }
  const found = [milestoneOf(match('milestone')), traceOf(match('trace')), orderOf(match('order'))];
  const [best, next] = found.toSorted((left, right) => right.score - left.score);
  if (best === undefined || best.score < SCORE_MIN) {
    const reason = 'Its columns name neither a status, nor a position, nor an order for certain.';
    return { kind: null, confidence: 'unsure', reason, question: questionOf(best, null), matches: new Map() };
  }
  if (next !== undefined && next.score >= SCORE_MIN && best.score - next.score < LEAD_MIN) {
    const reason = `It can be ${best.kind} or ${next.kind}.`;
    return { kind: null, confidence: 'unsure', reason, question: questionOf(best, null), matches: new Map() };
  }
  const { kind, score, reason, matches } = best;
  return { kind, confidence: score >= SCORE_SURE ? 'sure' : 'likely', reason, question: null, matches };
}

/** Points of what speaks for a kind: below the first nobody can tell, from the second on it is sure. */
const SCORE_MIN = 60;
const SCORE_SURE = 90;
/** By how much one kind must lead. */
const LEAD_MIN = 10;

interface Scored {
  kind: RequestKind;
  score: number;
  reason: string;
  matches: Matches;
}

const POINTS: Record<Confidence, number> = { sure: 1, likely: 0.8, unsure: 0.3 };
const points = (matches: Matches, role: RoleName, most: number): number => {
  const match = matches.get(role);
  return match === undefined ? 0 : most * POINTS[match.confidence];
};

const timePoints = (matches: Matches, most: number): number =>
  Math.max(points(matches, 'dateTime', most), points(matches, 'date', most));

const named = (matches: Matches, roles: readonly RoleName[]): string =>
  roles.flatMap((role) => matches.get(role)?.shape.column.name ?? []).join(', ');

function milestoneOf(matches: Matches): Scored {
  const score = points(matches, 'status', 45) + points(matches, 'loadNumber', 30) + timePoints(matches, 25);
  const reason = `It has a status, a load and a time: ${named(matches, ['status', 'loadNumber', 'dateTime', 'date'])}.`;
  // Without a time of its own a status may be that of an order, or of anything.
  const share = timePoints(matches, 1) > 0 ? 1 : 0.6;
  return { kind: 'milestone', score: matches.has('status') ? score * share : 0, reason, matches };
}

function traceOf(matches: Matches): Scored {
  const hasBoth = matches.has('latitude') && matches.has('longitude');
  const position = Math.min(points(matches, 'latitude', 40), points(matches, 'longitude', 40));
  const score = position + timePoints(matches, 25) + points(matches, 'loadNumber', 25);
  const reason = `It has positions with a time: ${named(matches, ['latitude', 'longitude', 'dateTime', 'date'])}.`;
  return { kind: 'trace', score: hasBoth && timePoints(matches, 25) > 0 ? score : 0, reason, matches };
}

function orderOf(matches: Matches): Scored {
  const address =
    points(matches, 'street', 15) + points(matches, 'postalCode', 15) + points(matches, 'consigneeName', 15);
  const lines = points(matches, 'sku', 15) + points(matches, 'quantity', 10);
  const score = points(matches, 'orderRef', 35) + address + lines;
  const reason = `It has orders with addresses or articles: ${named(matches, ['orderRef', 'consigneeName', 'street', 'postalCode', 'sku', 'quantity'])}.`;
  return { kind: 'order.create', score: matches.has('orderRef') ? score : 0, reason, matches };
}

/** @property lines the array that holds the lines of each order; null: none does. */
interface OrderShapes {
  shapes: readonly Shape[];
  lines: SampleArray | null;
}

/** An array of articles, of which one knows how many: the one of which the most is known. */
export function orderShapes({ columns, arrays }: OrderColumns, lists: CodeLists): OrderShapes {
  const found = arrays.map((array) => {
    const shapes = array.columns.map(shapeOf);
    const matches = matchColumns({ shapes, lists, roles: LINE_ROLES, fixed: new Map() });
    const isLines = matches.has('quantity') && (matches.has('sku') || matches.has('itemDescription'));
    return { array, shapes, known: isLines ? matches.size : 0 };
  });
  const best = found.toSorted((one, other) => other.known - one.known)[0];
  if (best === undefined || best.known === 0) return { shapes: columns.map(shapeOf), lines: null };
  const around = columns.filter(({ list }) => list !== best.array.each);
  return { shapes: [...around.map(shapeOf), ...best.shapes], lines: best.array };
}

/** What a line holds is read in lines alone, and all else outside of them. */
function orderMatches(asked: TargetInput, { shapes, lines }: OrderShapes): Matches {
  if (lines === null) return matchColumns({ ...asked, shapes, roles: ROLES_OF.order });
  const isLine = ({ column }: Shape): boolean => column.inElement !== undefined;
  const roles = ROLES_OF.order.filter((role) => !LINE_ROLES.includes(role));
  return new Map([
    ...matchColumns({ ...asked, shapes: shapes.filter((shape) => !isLine(shape)), roles }),
    ...matchColumns({ ...asked, shapes: shapes.filter(isLine), roles: LINE_ROLES }),
  ]);
}

function questionOf(best: Scored | null | undefined, answer: RequestKind | null): Question {
  return {
    id: 'target',
    asks: 'What does a row become?',
    why: 'The names of the columns do not say it.',
    columns: [],
    evidence: [],
    choices: CHOICES.map(({ kind, says }) => ({
      choice: kind,
      says,
      isLikely: best !== null && best !== undefined && best.score > 0 && best.kind === kind,
    })),
    free: null,
    answer,
  };
}
