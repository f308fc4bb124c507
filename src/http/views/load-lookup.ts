/**
 * From a load number in the address to a load of the reader's, under one of the SCACs of their keys.
 * No list of loads is stored: each SCAC of a partner is tried, and a key has few. Another partner's load with the same
 * number is an object of another name, which a partner's request never reaches.
 */
import type { Context } from 'hono';
import { callEach } from '../../batch/steps/dispatch.ts';
import { reachable } from '../../kernel/let-go.ts';
import { LOAD_SCACS_MAX } from '../../kernel/limits.ts';
import { loadName } from '../../kernel/names.ts';
import { err, ok, type Result } from '../../kernel/result.ts';
import type { Load } from '../../tracking/load.ts';
import type { HttpBindings } from '../edge/context.ts';
import { problem } from '../edge/problem.ts';
import type { Reader } from '../edge/reader.ts';
import { loadAddress } from '../edge/reader.ts';

export interface FoundLoad {
  reader: Reader;
  scac: string;
  stub: DurableObjectStub<Load>;
}

/**
 * The partners whose loads are searched, with the SCACs of each. @property callsMax if more calls were needed, the
 * caller must name a SCAC: each is one call.
 */
export interface LoadSeats {
  seats: readonly { reader: Reader; scacs: readonly string[] }[];
  callsMax: number;
}

/** The owner and SCAC under which a number was found. */
interface LoadLocation {
  partner: string;
  scac: string;
}

type LoadRefusal =
  | { code: 'scac_not_allowed'; scac: string; allowed: readonly string[] }
  | { code: 'scac_required'; allowed: readonly string[] }
  | { code: 'load_unknown_here'; scacs: readonly string[] }
  | { code: 'load_ambiguous'; places: readonly LoadLocation[] };

export const ownSeats = (context: Context<HttpBindings>): LoadSeats => ({
  seats: [{ reader: context.get('reader'), scacs: context.get('principal').scacs }],
  callsMax: LOAD_SCACS_MAX,
});

/** @param scac null: all are searched. */
export async function findLoad(
  { env }: Context<HttpBindings>,
  { seats, callsMax }: LoadSeats,
  { loadNumber, scac }: { loadNumber: string; scac: string | null },
): Promise<Result<FoundLoad, LoadRefusal>> {
  const allowed = [...new Set(seats.flatMap(({ scacs }) => scacs))];
  if (scac !== null && !allowed.includes(scac)) return err({ code: 'scac_not_allowed', scac, allowed });
  const asked = seats.flatMap(({ reader, scacs }) =>
    scacs.filter((each) => scac === null || each === scac).map((each) => ({ reader, scac: each })),
  );
  if (asked.length > callsMax) return err({ code: 'scac_required', allowed });
  const found: FoundLoad[] = [];
  await callEach([...asked], async ({ reader, scac: each }) => {
    const stub = reachable(() => env.LOAD.getByName(loadName(reader, each, loadNumber)));
    if (await stub.exists()) found.push({ reader, scac: each, stub });
  });
  const [only, ...others] = found;
  if (only === undefined) return err({ code: 'load_unknown_here', scacs: scac === null ? allowed : [scac] });
  if (others.length === 0) return ok(only);
  const places = found.map(({ reader: { partner }, scac: each }) => ({ partner, scac: each }));
  return err({ code: 'load_ambiguous', places: places.sort(byName) });
}

const byName = (one: LoadLocation, other: LoadLocation): number =>
  one.partner.localeCompare(other.partner) || one.scac.localeCompare(other.scac);

export function refusedLoad(context: Context<HttpBindings>, loadNumber: string, refusal: LoadRefusal): Response {
  const named = loadNumber.slice(0, SHOWN_CHARACTERS_MAX);
  const isOps = context.get('operator') !== undefined;
  switch (refusal.code) {
    case 'scac_not_allowed':
      return problem(context, {
        status: 403,
        code: refusal.code,
        title: 'SCAC not allowed',
        detail: `${isOps ? 'No partner asked for may' : 'This key may not'} use the SCAC "${refusal.scac.slice(0, 20)}".`,
        fix: `Use one of ${refusal.allowed.join(', ')}.`,
      });
    case 'scac_required':
      return problem(context, {
        status: 400,
        code: refusal.code,
        title: 'SCAC required',
        detail: `There are ${refusal.allowed.length} SCACs, too many to look for a load under each.`,
        fix: isOps ? 'Add partner=, or scac= and the SCAC of the load.' : 'Add scac= and the SCAC of the load.',
      });
    case 'load_unknown_here':
      return problem(context, {
        status: 404,
        code: refusal.code,
        title: 'No events of this load here',
        detail: `No event of a load "${named}" under ${refusal.scacs.join(', ')} is kept here. That says nothing of what the receiving system knows.`,
        fix: 'Check the number, with its leading zeros and prefix, and the SCAC. Rows with errors are not shown here: GET /v1/batches lists what was sent. A load is kept for 30 days after its last event.',
      });
    case 'load_ambiguous':
      return ambiguousLoad(context, named, refusal.places);
  }
}

/** The caller must choose: every match is listed with its address. */
function ambiguousLoad(context: Context<HttpBindings>, loadNumber: string, places: readonly LoadLocation[]): Response {
  const operator = context.get('operator');
  const scacs = [...new Set(places.map(({ scac }) => scac))];
  const { environment } = context.get('reader');
  if (operator === undefined) {
    const words = {
      detail: `A load "${loadNumber}" stands under ${scacs.join(', ')}.`,
      fix: 'Add scac= and the one that is meant.',
    };
    return problem(context, { ...AMBIGUOUS, ...words }, { scacs });
  }
  const named = places.map(({ partner, scac }) => ({
    ...{ partner, scac },
    links: { self: loadAddress({ environment, partner, isOps: true }, { loadNumber, scac }) },
  }));
  const shown = places.map(({ partner, scac }) => `${partner} (${scac})`).join(', ');
  const words = {
    detail: `A load "${loadNumber}" stands under ${shown}.`,
    fix: 'Add partner= and scac= of the one that is meant.',
  };
  return problem(context, { ...AMBIGUOUS, ...words }, { scacs, among: named });
}

const AMBIGUOUS = { status: 409, code: 'load_ambiguous', title: 'Load number under several SCACs' };

/** Characters shown of a number that was not found. Ours. */
const SHOWN_CHARACTERS_MAX = 80;
