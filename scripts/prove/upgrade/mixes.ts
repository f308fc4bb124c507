/** How two releases of the bridge stand in one runtime: which answers HTTP, and which keeps the objects of which classes. */
import type { BridgeCode } from '../../local/bridge.ts';

type Release = 'old' | 'new';

const BEGINNING = ['IntakeRegister', 'Batch', 'ReplayAction'] as const;
const CALLED = ['Load', 'Order', 'UpstreamGate', 'OrderFeed', 'Webhooks'] as const;

const SHARED = ['IntakeRegister', 'UpstreamGate', 'OrderFeed', 'Webhooks'] as const;
const WORKING = ['Batch', 'Load', 'Order', 'ReplayAction'] as const;

/** @property old classes whose objects the old release keeps. */
export interface Mix {
  name: string;
  front: Release;
  old: readonly string[];
  /** Of the short form, too. */
  isShort: boolean;
}

const EVERY = [...BEGINNING, ...CALLED];

/** As a deploy comes: the old release, parts of both so that each calls the other both ways, the new one; then back. */
export const MIXES: readonly Mix[] = [
  { name: 'all old', front: 'old', old: EVERY, isShort: true },
  { name: 'new Worker over old objects', front: 'new', old: EVERY, isShort: true },
  { name: 'old Worker over new objects', front: 'old', old: [], isShort: false },
  { name: 'new batches over old loads, orders, feeds and gates', front: 'new', old: CALLED, isShort: false },
  { name: 'old batches over new loads, orders, feeds and gates', front: 'old', old: BEGINNING, isShort: true },
  {
    name: 'new batches, loads and orders over old registers, feeds and gates',
    front: 'new',
    old: SHARED,
    isShort: false,
  },
  {
    name: 'old batches, loads and orders over new registers, feeds and gates',
    front: 'old',
    old: WORKING,
    isShort: false,
  },
  { name: 'all new', front: 'new', old: [], isShort: false },
  { name: 'all old again', front: 'old', old: EVERY, isShort: false },
];

/** @param bundles folders. */
export function codeOfMix({ front, old }: Mix, bundles: Readonly<Record<Release, string>>): BridgeCode {
  const other: Release = front === 'old' ? 'new' : 'old';
  const classes = EVERY.filter((each) => old.includes(each) === (other === 'old'));
  return { bundle: bundles[front], ...(classes.length > 0 && { beside: { bundle: bundles[other], classes } }) };
}
