/** Ids that sort by time: 10 characters of milliseconds, 16 of randomness, in the alphabet without I, L, O, U. */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';

/** @param random 16 random bytes. */
export function timeSortedId(prefix: string, nowMs: number, random: Uint8Array): string {
  let time = '';
  for (let rest = nowMs, place = 0; place < 10; place += 1, rest = Math.floor(rest / 32)) {
    time = (ALPHABET[rest % 32] ?? '0') + time;
  }
  return `${prefix}_${time}${[...random.subarray(0, 16)].map((byte) => ALPHABET[byte % 32]).join('')}`;
}

export const BATCH_ID_FORM = /^b_[0-9a-hjkmnp-tv-z]{26}$/;

/** For what operators began: half of a SHA-256 in hex. */
export const ACTION_ID_FORM = /^a_[0-9a-f]{32}$/;

export const newBatchId = (nowMs: number): string =>
  timeSortedId('b', nowMs, crypto.getRandomValues(new Uint8Array(16)));

/** No id that was created then or later sorts before it. */
export const firstBatchId = (nowMs: number): string => timeSortedId('b', nowMs, new Uint8Array(16));

/** @returns when the id was created, in ms. @param batchId of BATCH_ID_FORM. */
export const batchIdTimeMs = (batchId: string): number =>
  [...batchId.slice(2, 12)].reduce((ms, character) => ms * 32 + ALPHABET.indexOf(character), 0);
