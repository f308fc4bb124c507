/**
 * How the bridge's own modules are loaded here: `cloudflare:workers` is a stand-in, and chosen snippets of the source are
 * replaced as it is read. The files on disk are never touched.
 */
import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';
import { type LocatedPatch, limit, located, type Patch, patched } from './patches.ts';

/**
 * How often registers and batches look whether an alarm was lost: most turns of a long seed would be these. `lookRarely` is
 * exported beside the limits, for whoever begins a seed in which no alarm is lost.
 */
const WATCH: readonly LocatedPatch[] = [
  {
    in: 'WATCH_REGISTER_MS',
    file: 'src/kernel/limits.ts',
    find: 'export const WATCH_REGISTER_MS',
    replace: `export const lookRarely = (rarely: boolean): void => {
  WATCH_REGISTER_MS = (rarely ? 60 : 5) * MINUTE_MS;
  WATCH_BATCH_MS = (rarely ? 30 : 2) * MINUTE_MS;
};
export let WATCH_REGISTER_MS`,
  },
  {
    in: 'WATCH_BATCH_MS',
    file: 'src/kernel/limits.ts',
    find: 'export const WATCH_BATCH_MS',
    replace: 'export let WATCH_BATCH_MS',
  },
];

/** So small that files of a few lines are read in many slices and handed over in many steps, and calls wait for each other. */
export const SMALL_LIMITS: readonly LocatedPatch[] = [
  ...WATCH,
  limit('SNIFF_BYTES', 24, 'src/formats/csv/limits.ts'),
  limit('SLICE_BYTES', 64),
  limit('READ_AHEAD_BYTES', 150),
  limit('DISPATCH_REQUESTS_MAX', 3),
  limit('DISPATCH_SUBJECTS_MAX', 2),
  limit('OUTCOMES_PER_CALL', 2),
  limit('TRACE_POINTS_MAX', 3),
  limit('LOAD_SENDS_PER_WAKE_UP', 4),
  limit('CALLS_IN_FLIGHT_MAX', 2, 'src/upstream/limits.ts'),
  limit('OUTCOMES_PER_VISIT', 3),
  limit('SUBJECTS_AWAKE_MAX', 2, 'src/batch/limits.ts'),
  limit('RANGE_RECORDS', 3, 'src/batch/store/slice.ts'),
  limit('ROW_BODIES_CHARACTERS_MAX', 300, 'src/batch/store/slice.ts'),
  limit('SLICE_CHARACTERS_MAX', 2_000, 'src/batch/store/slice.ts'),
  limit('SLICE_CHARACTERS_SMALL', 900, 'src/batch/store/slice.ts'),
  limit('LOG_ENTRIES_MAX', 3, 'src/batch/store/row-store.ts'),
  limit('MEMORY_CHARACTERS_MAX', 3_000, 'src/batch/store/slice-memory.ts'),
  limit('VISITS_AT_ONCE_MAX', 2, 'src/batch/limits.ts'),
  limit('VISITS_PER_BURST', 2, 'src/batch/limits.ts'),
  limit('VISITS_PER_WAKE_UP', 6, 'src/batch/limits.ts'),
  limit('LOOK_AHEAD_REQUESTS', 4, 'src/batch/limits.ts'),
  limit('PARCEL_REQUESTS_MAX', 2, 'src/batch/limits.ts'),
];

const ROOT = new URL('../../', import.meta.url);
const WORKERS = new URL('./workers.ts', import.meta.url).href;

/** A module that was loaded with a bug bears its name, and so does all that it imports of the bridge. */
const BUG = '?bug=';
/** The process has one clock and one network, whichever modules it has loaded. */
const SHARED = new URL('./globals.ts', import.meta.url).href;

/** All folders of the bridge that are loaded here, as they import: each from those before it. */
export const FOLDERS = [
  ...['kernel', 'formats', 'mapping', 'upstream', 'fleet'],
  ...['delivery', 'tracking', 'batch', 'intake', 'feed'],
];
const locationOf = (path: string): number => FOLDERS.indexOf(/^src\/([a-z]+)\//.exec(path)?.[1] ?? '');

/** Whether a module may import what a bug changes. The others are the same with it and without. */
function isTouched(url: string, patches: readonly LocatedPatch[]): boolean {
  if (!url.startsWith(ROOT.href) || url.includes('/node_modules/')) return false;
  const place = locationOf(url.slice(ROOT.href.length));
  return place < 0 || place >= Math.min(...patches.map(({ file }) => locationOf(file)));
}

/**
 * From here on. Modules that are loaded already stay as they are.
 * @param patches of every run; @param bugs by name, on top of them.
 */
export function loadWith(
  patches: readonly LocatedPatch[],
  bugs: Readonly<Record<string, { patches: readonly Patch[] }>>,
): void {
  const known = new Map<string, LocatedPatch[]>();
  const ofBug = (bug: string): LocatedPatch[] => {
    const patches = known.get(bug) ?? (bugs[bug]?.patches ?? []).map(located);
    known.set(bug, patches);
    return patches;
  };
  registerHooks({
    resolve(specifier, context, next) {
      if (specifier === 'cloudflare:workers') return { url: WORKERS, shortCircuit: true };
      const resolved = next(specifier, context);
      const [, bug] = context.parentURL?.split(BUG) ?? [];
      if (bug === undefined || resolved.url === SHARED || resolved.url.includes(BUG)) return resolved;
      if (!isTouched(resolved.url, ofBug(bug))) return resolved;
      return { ...resolved, url: resolved.url + BUG + bug };
    },
    load(url, context, next) {
      const [place = '', bug = ''] = url.split(BUG);
      // What seeds found is kept for these folders alone: a change of another one would not begin them anew.
      if (place.startsWith(`${ROOT.href}src/`) && locationOf(place.slice(ROOT.href.length)) < 0)
        throw new Error(`${place} is loaded, and its folder is not among those that seeds are counted for`);
      const mine = [...patches, ...(bug === '' ? [] : ofBug(bug))].filter(
        ({ file }) => new URL(file, ROOT).href === place,
      );
      if (mine.length === 0 && bug === '') return next(url, context);
      const source = patched(readFileSync(fileURLToPath(place), 'utf8'), mine);
      return { format: 'module-typescript', source, shortCircuit: true };
    },
  });
}

/** @param bug its name; none: the bridge as it is. */
export const specifierOf = (module: string, bug: string | null): string =>
  new URL(module, import.meta.url).href + (bug === null ? '' : BUG + bug);
