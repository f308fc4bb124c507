/** What a path in JSON or XML is called by people: `vehicle.odometerKm` → `odometer in km of the vehicle`. Pure. */
import { isKnownName, plainName, separated } from './plain-name.ts';

/** @property entry which one of a list, from 1; null: it is no entry. */
interface PathStep {
  name: string;
  entry: number | null;
}

/** Names of members begin with a small letter here: a column of a table is called `Ref.No` as well. */
const STEP = /^([a-z]\w*)(?:\[(\d+)\])?$/;
const OUTWARD = /^(?:\.\.\/)+/;

/** @returns null: it is no path but the name of a column, or a code. */
function stepsOf(path: string): PathStep[] | null {
  const inner = path.replace(OUTWARD, '');
  const steps = inner.split('.').map((part) => {
    const [, name, entry] = STEP.exec(part) ?? [];
    return name === undefined ? null : { name, entry: entry === undefined ? null : Number(entry) + 1 };
  });
  if (steps.length === 1 && inner === path && steps[0]?.entry == null) return null;
  return steps.every((step) => step !== null) ? steps : null;
}

/** `odometerKm` → `odometer in km` */
const UNIT = /^(.*[a-z\d])(Kg|Km|Lbs?|Mi|Cm|Mm)$/;

function spokenName(name: string): string {
  if (isKnownName(name)) return plainName(name).replace(/^the /, '');
  const [, measured, unit] = UNIT.exec(name) ?? [];
  return measured === undefined || unit === undefined
    ? separated(name)
    : `${separated(measured)} in ${unit.toLowerCase()}`;
}

/** @returns in plain words, without the path; null: it is no path. */
export function spokenJsonPath(path: string): string | null {
  const steps = stepsOf(path);
  return steps === null ? null : said(steps, spokenName);
}

/** The same with the last name as the file has it, where it is all there is to say: `../inquiryNumber` → `inquiryNumber`. */
export function pathName(path: string): string | null {
  const steps = stepsOf(path);
  return steps === null ? null : said(steps, steps.length === 1 ? (name) => name : spokenName);
}

const ORDINALS = ['first', 'second', 'third', 'fourth', 'fifth', 'sixth', 'seventh', 'eighth', 'ninth', 'tenth'];
const ordinal = (entry: number): string => ORDINALS[entry - 1] ?? `${entry}.`;

/** `stops` → `stop`: one of them is meant. */
const single = (name: string): string =>
  name
    .replace(/ies$/, 'y')
    .replace(/(ss|x|ch|sh|us)es$/, '$1')
    .replace(/([^sui])s$/, '$1');

const said = (steps: readonly PathStep[], last: (name: string) => string): string =>
  steps
    .toReversed()
    .map(({ name, entry }, index) => {
      const words = entry === null ? null : `${ordinal(entry)} ${single(spokenName(name))}`;
      if (index === 0) return words ?? last(name);
      return `the ${words ?? spokenName(name)}`;
    })
    .join(' of ');
