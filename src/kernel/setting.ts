/** Variables of a deployment: texts, of which some are whole numbers. Pure. */

/** @param text a whole number from 1 on; anything else means the usual. @param digitsMax longer ones are none. */
export const wholeSetting = (text: string | undefined, usual: number, digitsMax = 15): number =>
  isWhole(text, digitsMax) ? Number(text) : usual;

const isWhole = (text: string | undefined, digitsMax: number): text is string =>
  text !== undefined && /^[1-9]\d*$/.test(text) && text.length <= digitsMax;
