/** Seeded dice, so that a run can be repeated: mulberry32. */
export function dice(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** For seeds that are counted: neighbouring ones begin alike. */
export function warmDice(seed: number): () => number {
  const random = dice(seed);
  for (let warm = 0; warm < 4; warm += 1) random();
  return random;
}
