/** In which seeds the partner's orders are followed. Imports nothing: who asks may not have loaded the bridge yet. */

/** Those that end with this digit: which they are changes nothing in the others. */
const FOLLOWED_DIGIT = 9;
export const isFollowed = (seed: number): boolean => seed % 10 === FOLLOWED_DIGIT;
