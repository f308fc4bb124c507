/** What the platform asks for what a batch used, by its list prices, allowances ignored. Pure. */
import { NO_USAGE, type Usage, usageOfBoth } from '../../kernel/usage.ts';

/** Dollars per million; duration per million GB-seconds. developers.cloudflare.com, "Pricing" of each product, September 2026. */
export const DOLLARS_PER_MILLION = {
  'rows written': 1,
  'rows read': 0.001,
  'requests to objects': 0.15,
  duration: 12.5,
  'Worker requests': 0.3,
  'KV reads': 0.5,
  'KV writes': 5,
  'R2 class A': 4.5,
  'R2 class B': 0.36,
} as const;

/** An object has 128 MB, whatever it uses of them. */
export const OBJECT_GIGABYTES = 0.125;

/**
 * What an upload or a message takes before its batch can count: a request to the Worker, its bytes stored and looked up, its
 * claim at the register and the call of the batch.
 */
const UPLOAD: Usage = { ...NO_USAGE, rowsWritten: 1, objectCalls: 2, filesWritten: 1, filesRead: 1 };

/** Shown to operators. @property dollars at list price. */
export type BatchCost = Usage & { dollars: number };

/** @param uploads how many came in: 1, or the messages that share the batch. */
export function costOf(counted: Usage, uploads: number): BatchCost {
  const before = Object.fromEntries(Object.entries(UPLOAD).map(([name, each]) => [name, each * uploads]));
  const used = usageOfBoth(counted, before as unknown as Usage);
  const millionths =
    used.rowsWritten * DOLLARS_PER_MILLION['rows written'] +
    used.objectCalls * DOLLARS_PER_MILLION['requests to objects'] +
    (used.awakeMs / 1_000) * OBJECT_GIGABYTES * DOLLARS_PER_MILLION.duration +
    uploads * DOLLARS_PER_MILLION['Worker requests'] +
    used.filesWritten * DOLLARS_PER_MILLION['R2 class A'] +
    used.filesRead * DOLLARS_PER_MILLION['R2 class B'];
  return { ...used, dollars: rounded(millionths / 1e6) };
}

/** To a millionth of a dollar: what one written row costs. */
const rounded = (dollars: number): number => Math.round(dollars * 1e6) / 1e6;
