/**
 * What a field of the upstream is called by people who know their file alone: `eventCode` → `the status code`. Pure.
 *
 * Most names only need their words apart; the others stand here, with the word that is used on pages for the same thing.
 */
const NAMES: Readonly<Record<string, string>> = {
  loadNumber: 'load number',
  load_id: 'load number',
  scac: 'carrier (SCAC)',
  eventCode: 'status code',
  milestone_type: 'milestone',
  time: 'time',
  event_time: 'time',
  stopsequenceNumber: 'number of the stop',
  eventCity: 'city',
  eventState: 'state or province',
  eventCountry: 'country',
  orderRef: 'order number',
  changeRef: 'number of the change',
  resourceId: 'vehicle or device',
  weightKg: 'weight in kg',
  sku: 'article number (SKU)',
  skus: 'articles (SKUs)',
  postalCode: 'postal code (ZIP)',
  target: 'kind of record',
};

/** Whether a word is a field of the upstream that has another name here. */
export const isKnownName = (target: string): boolean => Object.hasOwn(NAMES, target);

/** `form of time`, `reference BOL`: a word of ours before the name. */
const PREFIXED = /^(form of|temperature|reference) (.+)$/;

/** @returns with the article: it is read within a sentence. */
export function plainName(target: string): string {
  const [, before, inner] = PREFIXED.exec(target) ?? [];
  if (before === 'form of' && inner !== undefined) return `the form of ${plainName(inner)}`;
  if (before === 'reference' && inner !== undefined) return `the reference ${inner}`;
  if (before !== undefined && inner !== undefined) return `the ${before} ${separated(inner)}`;
  if (target.startsWith('the ')) return target;
  if (/[.[]/.test(target)) return `the ${withinPath(target)}`;
  return `the ${named(target)}`;
}

/** `skus[1].quantity` → `quantity of articles (SKUs) 2` */
const withinPath = (target: string): string =>
  target
    .split('.')
    .reverse()
    .map((part) => {
      const [, name = part, at = ''] = /^([^[]*)\[(\d*)\]$/.exec(part) ?? [];
      return at === '' ? named(name) : `${named(name)} ${Number(at) + 1}`;
    })
    .join(' of ');

const named = (target: string): string => (isKnownName(target) ? (NAMES[target] ?? '') : separated(target));

/** `unitOfMeasure` → `unit of measure`; letters that stand for something stay: `vehicleVIN` → `vehicle VIN`. */
export const separated = (target: string): string =>
  target
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .replace(/_/g, ' ')
    .replace(/\b[A-Z][a-z]+/g, (word) => word.toLowerCase());
