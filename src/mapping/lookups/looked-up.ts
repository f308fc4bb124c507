/** What was looked up while a record was mapped, with the record. Pure. */
import type { RecordMapper } from '../request.ts';
import { type LookedUp, lookUpKey } from './look-up.ts';

/** @param looked what look-ups are noted in while a record is mapped: each record takes what is its own. */
export function withLookedUp(map: RecordMapper, looked: LookedUp[]): RecordMapper {
  return (fields, lists) => {
    looked.length = 0;
    const mapped = map(fields, lists);
    return looked.length === 0 ? mapped : { ...mapped, lookedUp: merged(looked) };
  };
}

/** One look-up that gives several fields is told once. */
function merged(looked: readonly LookedUp[]): LookedUp[] {
  const all = new Map<string, LookedUp>();
  for (const one of looked) {
    const key = JSON.stringify([lookUpKey(one), one.outcome]);
    all.set(key, { ...one, fields: { ...all.get(key)?.fields, ...one.fields } });
  }
  return [...all.values()];
}
