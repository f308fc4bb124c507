/**
 * A closed table of units, the spellings that files use for them, and conversion within one dimension.
 *
 * Factors are the exact legal ones (international yard and pound of 1959, US gallon of 231 cubic inches), stored as
 * whole numbers so that converting costs no precision. Pure and total.
 */
type Dimension = 'length' | 'mass' | 'volume' | 'speed' | 'temperature';

export const UNITS = [
  ...(['m', 'km', 'cm', 'mi', 'yd', 'ft', 'in'] as const),
  ...(['kg', 'g', 't', 'lb', 'oz'] as const),
  ...(['l', 'ml', 'm3', 'ft3', 'gal'] as const),
  ...(['km/h', 'm/s', 'mph', 'kn'] as const),
  ...(['C', 'F', 'K'] as const),
] as const;
export type Unit = (typeof UNITS)[number];

/**
 * In whole parts of one small quantity per dimension: 0.1 mm, 1 pg, 1 nl, 1 mm/h. Temperatures are not proportional.
 */
const PARTS: Record<Exclude<Unit, 'C' | 'F' | 'K'>, { dimension: Dimension; parts: number }> = {
  m: { dimension: 'length', parts: 10_000 },
  km: { dimension: 'length', parts: 10_000_000 },
  cm: { dimension: 'length', parts: 100 },
  mi: { dimension: 'length', parts: 16_093_440 },
  yd: { dimension: 'length', parts: 9_144 },
  ft: { dimension: 'length', parts: 3_048 },
  in: { dimension: 'length', parts: 254 },
  kg: { dimension: 'mass', parts: 1_000_000_000_000 },
  g: { dimension: 'mass', parts: 1_000_000_000 },
  t: { dimension: 'mass', parts: 1_000_000_000_000_000 },
  lb: { dimension: 'mass', parts: 453_592_370_000 },
  oz: { dimension: 'mass', parts: 28_349_523_125 },
  l: { dimension: 'volume', parts: 1_000_000_000 },
  ml: { dimension: 'volume', parts: 1_000_000 },
  m3: { dimension: 'volume', parts: 1_000_000_000_000 },
  ft3: { dimension: 'volume', parts: 28_316_846_592 },
  gal: { dimension: 'volume', parts: 3_785_411_784 },
  'km/h': { dimension: 'speed', parts: 1_000_000 },
  'm/s': { dimension: 'speed', parts: 3_600_000 },
  mph: { dimension: 'speed', parts: 1_609_344 },
  kn: { dimension: 'speed', parts: 1_852_000 },
};

const isTemperature = (unit: Unit): unit is 'C' | 'F' | 'K' => unit === 'C' || unit === 'F' || unit === 'K';

export const dimensionOf = (unit: Unit): Dimension => (isTemperature(unit) ? 'temperature' : PARTS[unit].dimension);

/**
 * @param to measures the same as `from`.
 * @returns the value in the other unit, to 15 significant digits; temperatures to ten decimals of a degree.
 */
export function convert(value: number, from: Unit, to: Unit): number {
  return (from === to ? value : convertWithin(value, from, to)) + 0; // "-0" becomes 0
}

function convertWithin(value: number, from: Unit, to: Unit): number {
  // Digits beyond these are an artefact of binary arithmetic (26.85 for 26.850000000000023).
  if (isTemperature(from) || isTemperature(to)) return Number(fromCelsius(toCelsius(value, from), to).toFixed(10));
  const common = greatestCommonDivisor(PARTS[from].parts, PARTS[to].parts);
  return Number(((value * (PARTS[from].parts / common)) / (PARTS[to].parts / common)).toPrecision(15));
}

function greatestCommonDivisor(left: number, right: number): number {
  return right === 0 ? left : greatestCommonDivisor(right, left % right);
}

function toCelsius(value: number, from: Unit): number {
  if (from === 'F') return ((value - 32) * 5) / 9;
  return from === 'K' ? value - 273.15 : value;
}

function fromCelsius(value: number, to: Unit): number {
  if (to === 'F') return (value * 9) / 5 + 32;
  return to === 'K' ? value + 273.15 : value;
}

/**
 * How files spell units, beside the names above: words, abbreviations, and the codes of UN/ECE Recommendation 20. Left
 * out on purpose, because they mean two things: ton (US short ton or tonne), gr, and marks like ' and ".
 */
const SPELLINGS: Record<Unit, string> = {
  m: 'meter meters metre metres mtr mtrs',
  km: 'kms kilometer kilometers kilometre kilometres kmt',
  cm: 'cms centimeter centimeters centimetre centimetres cmt',
  mi: 'mile miles smi',
  yd: 'yds yard yards yrd',
  ft: 'foot feet fot',
  in: 'inch inches inh',
  kg: 'kgs kgm kilo kilos kilogram kilograms kilogramme kilogrammes',
  g: 'gram grams gramme grammes grm',
  t: 'mt tne tonne tonnes metricton metrictons',
  lb: 'lbs lbr pound pounds',
  oz: 'ounce ounces onz',
  l: 'lt ltr ltrs liter liters litre litres',
  ml: 'mlt milliliter milliliters millilitre millilitres',
  m3: 'cbm mtq cum cubicmeter cubicmeters cubicmetre cubicmetres',
  ft3: 'cft ftq cuft cubicfoot cubicfeet',
  gal: 'gals gll gallon gallons usgal usgallon usgallons',
  'km/h': 'kmh kph kmph',
  'm/s': 'mps mts',
  mph: 'hm mi/h mileperhour milesperhour',
  kn: 'kt kts knt knot knots',
  C: 'cel celsius centigrade degc degcelsius degreescelsius',
  F: 'fah fahrenheit degf degfahrenheit degreesfahrenheit',
  K: 'kel kelvin',
};

const BY_SPELLING = new Map<string, Unit>(
  UNITS.flatMap((unit) => [unit.toLowerCase(), ...SPELLINGS[unit].split(' ')].map((word) => [word, unit] as const)),
);

/** Longest text that is looked up, in characters: longer than the longest spelling with blanks. */
const SPELLING_CHARACTERS_MAX = 40;

/** Case, blanks, full stops and a degree sign in front are ignored: "Lbs.", "° C", "Cu Ft", "m³". */
export function readUnit(text: string): Unit | undefined {
  if (text.length > SPELLING_CHARACTERS_MAX) return undefined;
  const word = text
    .normalize('NFKC') // m³ → m3, ℃ → °C, full-width letters
    .toLowerCase()
    .replace(/[\s.]/g, '')
    .replace(/^[°˚]/, '');
  return BY_SPELLING.get(word);
}
