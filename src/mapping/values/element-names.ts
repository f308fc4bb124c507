/**
 * What elements of X12 and EDIFACT are called by people: `AT7-01` → `status`, `N1[01=ST>CN]/N4-02` → `state of the
 * ship-to party`. Those that mappings read most; of any other the segment is named. Pure.
 */
import { pathName, spokenJsonPath } from './path-names.ts';
import { isKnownName, plainName } from './plain-name.ts';

const NAMES: Readonly<Record<string, string>> = {
  ...{ 'AT7-01': 'status', 'AT7-02': 'reason of the status', 'AT7-03': 'appointment', 'AT7-04': 'appointment reason' },
  ...{ 'AT7-05': 'date', 'AT7-06': 'time', 'AT7-07': 'time zone', 'LX-01': 'number of the group' },
  ...{ 'AT8-02': 'unit of weight', 'AT8-03': 'weight', 'AT8-04': 'pieces', 'AT8-05': 'packages' },
  ...{ 'B10-01': 'reference', 'B10-02': 'shipment number', 'B10-03': 'carrier (SCAC)' },
  ...{ 'B2-02': 'carrier (SCAC)', 'B2-04': 'shipment number', 'B2A-01': 'purpose', 'BEG-01': 'purpose' },
  ...{ 'BEG-03': 'order number', 'BEG-05': 'date of the order', 'BCH-01': 'purpose', 'BCH-03': 'order number' },
  ...{
    'BCH-04': 'number of the release',
    'BCH-05': 'number of the change',
    'W05-01': 'purpose',
    'W05-02': 'order number',
  },
  ...{ 'MS1-01': 'city', 'MS1-02': 'state', 'MS1-03': 'country', 'MS1-04': 'longitude', 'MS1-05': 'latitude' },
  ...{ 'MS1-06': 'side of the longitude', 'MS1-07': 'side of the latitude' },
  ...{ 'MS2-01': 'carrier (SCAC)', 'MS2-02': 'equipment number', 'MS2-03': 'kind of equipment' },
  ...{ 'L11-01': 'reference', 'L11-02': 'kind of reference', 'REF-01': 'kind of reference', 'REF-02': 'reference' },
  ...{ 'N1-01': 'kind of party', 'N1-02': 'name', 'N1-03': 'kind of id', 'N1-04': 'id' },
  ...{ 'N3-01': 'street', 'N3-02': 'street', 'N4-01': 'city', 'N4-02': 'state', 'N4-03': 'postal code' },
  ...{ 'N4-04': 'country', 'S5-01': 'number of the stop', 'S5-02': 'reason of the stop', 'S5-04': 'unit of weight' },
  ...{ 'G62-01': 'kind of date', 'G62-02': 'date', 'G62-03': 'kind of time', 'G62-04': 'time', 'G62-05': 'time zone' },
  ...{ 'G61-03': 'kind of contact', 'G61-04': 'contact', 'PER-02': 'contact', 'PER-03': 'kind of contact' },
  ...{ 'POC-01': 'number of the line', 'POC-02': 'kind of change', 'POC-03': 'quantity', 'POC-05': 'unit' },
  ...{ 'POC-08': 'kind of article number', 'POC-09': 'article number', 'NTE-02': 'note', 'MAN-02': 'mark' },
  ...{ 'PO1-02': 'quantity', 'PO1-03': 'unit', 'PO1-06': 'kind of article number', 'PO1-07': 'article number' },
  ...{ 'W01-01': 'quantity', 'W01-02': 'unit', 'W01-03': 'article number', 'W01-05': 'article number' },
  ...{ 'W01-07': 'article number', 'OID-02': 'order number', 'OID-04': 'unit', 'OID-05': 'pieces', 'OID-06': 'unit' },
  ...{ 'OID-07': 'weight', 'TD5-03': 'carrier (SCAC)', 'TD5-04': 'way of transport', 'TD5-05': 'carrier' },
  ...{
    'TD5-12': 'level of service',
    'DTM-01': 'time',
    'DTM-02': 'date',
    'DTM-05': 'form of the date',
    'DTM-06': 'date',
  },
  ...{ 'BGM-01': 'kind of document', 'BGM-02': 'document number', 'BGM-03': 'function of the message' },
  ...{ 'RFF-01': 'reference', 'STS-01': 'kind of status', 'STS-02': 'status', 'STS-03': 'reason of the status' },
  ...{ 'NAD-02': 'id', 'NAD-03': 'name', 'NAD-04': 'name', 'NAD-05': 'street', 'NAD-06': 'city' },
  ...{ 'NAD-07': 'state', 'NAD-08': 'postal code', 'NAD-09': 'country', 'CNI-02': 'number of the consignment' },
  ...{ 'LOC-01': 'kind of place', 'LOC-02': 'place', 'TDT-08': 'equipment', 'EQD-02': 'equipment number' },
  ...{ 'GID-02': 'packages', 'MEA-03': 'measure', 'PIA-02': 'article number', 'PCI-02': 'mark', 'FTX-04': 'text' },
  ...{ 'COM-01': 'contact', 'CTA-02': 'contact', 'MSG-01': 'text', 'PID-05': 'description' },
  ...{ 'ISA-06': 'sender', 'ISA-08': 'receiver', 'ISA-13': 'control number', 'GS-06': 'control number' },
  ...{
    'ST-01': 'kind of document',
    'ST-02': 'control number',
    'SE-01': 'count of segments',
    'SE-02': 'control number',
  },
  ...{ 'GE-01': 'count of documents', 'GE-02': 'control number', 'IEA-01': 'count of groups' },
  ...{ 'IEA-02': 'control number', 'UNB-05': 'control number', 'UNH-01': 'number of the message' },
  ...{ 'UNH-02': 'kind of message', 'UNT-01': 'count of segments', 'UNT-02': 'number of the message' },
  ...{ 'UNZ-01': 'count of messages', 'UNZ-02': 'control number' },
};

/** EDIFACT numbers the components of these from 1: what stands in the second one is said of it alone. */
const COMPONENTS: Readonly<Record<string, string>> = {
  ...{ 'DTM-01.2': 'time', 'DTM-01.3': 'form of the time', 'MEA-03.1': 'unit of measure', 'MEA-03.2': 'measure' },
  ...{ 'GID-02.1': 'number of packages', 'RFF-01.2': 'reference' },
};

/** What a segment is about, where another one is said to be within it, or one of several. */
const SEGMENTS: Readonly<Record<string, string>> = {
  ...{ S5: 'stop', N1: 'party', NAD: 'party', STS: 'status', CNI: 'consignment', UNH: 'message', EQD: 'equipment' },
  ...{ PO1: 'line', POC: 'line', LX: 'line', GID: 'item', W01: 'article', OID: 'order', L5: 'item', G62: 'date' },
  ...{ AT7: 'status', AT8: 'weight', RFF: 'reference', REF: 'reference', L11: 'reference', LOC: 'place', DTM: 'date' },
  ...{ MEA: 'measure', TDT: 'leg', NTE: 'note', MAN: 'mark', TD5: 'carrier', PID: 'description' },
};

/** Whom, or what, a qualifier names; of several the first is meant most. */
const QUALIFIERS: Readonly<Record<string, string>> = {
  ...{ 'N1=ST': 'ship-to party', 'N1=CN': 'consignee', 'N1=SF': 'ship-from party', 'N1=SH': 'shipper' },
  ...{ 'N1=BT': 'bill-to party', 'NAD=CN': 'consignee', 'NAD=CZ': 'consignor', 'NAD=CA': 'carrier' },
  ...{
    'L11=BM': 'bill of lading',
    'L11=PO': 'purchase order',
    'L11=SI': 'shipment number',
    'L11=CN': 'carrier reference',
  },
  ...{
    'REF=BM': 'bill of lading',
    'REF=PO': 'purchase order',
    'REF=CN': 'carrier reference',
    'RFF=BM': 'bill of lading',
  },
  ...{
    'RFF=BN': 'booking number',
    'RFF=SRN': 'shipment number',
    'RFF=CU': 'sender’s reference',
    'RFF=CN': 'carrier reference',
  },
  ...{ 'NAD=SF': 'ship-from party', 'NAD=DP': 'delivery party', 'NAD=BY': 'buyer', 'NAD=SE': 'seller' },
};

/** @property qualifier as it is written, with its brackets; values of it, in their order. */
interface Step {
  tag: string;
  qualifier: string;
  values: readonly string[];
}

/** A segment, which of its kind, the element, its component. */
const ELEMENT = /^(.*?)-(\d\d)(\.\d+)?(?:=[^,]*)?$/;
const STEP = /^([A-Z][A-Z0-9]{1,2})(\[[^\]]*\])?$/;
/** `S5/G62[0]`: an entry of a list of segments. */
const SEGMENT_ENTRY = /^([A-Z0-9/]+)\[(\d+)\]$/;

/**
 * A column as its file names it, with plain words in front where that is a code: `status (AT7-01)`,
 * `time zone of date 1 of stop 2 (G62-05)`, `odometer in km of the vehicle (vehicle.odometerKm)`.
 */
export function spokenColumn(column: string): string {
  const [own = '', ...entries] = column.split(/(?<=\])\./).reverse();
  const of = entries.map(spokenEntry);
  if (of.every((each) => each !== null)) {
    const said =
      spokenElement(own, listedIn(entries)) ?? (entries.length > 0 && isKnownName(own) ? [named(own), ''] : null);
    if (said !== null) {
      const [words, code] = said;
      return [words, ...of].join(' of ') + (code === '' ? '' : ` (${code})`);
    }
  }
  const words = spokenJsonPath(column);
  return words === null ? column : `${words} (${column})`;
}

/** A column in a question: a path stands apart from it, as `columnPath` says. */
export const calledColumn = (column: string): string => pathName(column) ?? spokenColumn(column);

/** The path of what has another name in a question; null: it is called as it is written. */
export const columnPath = (column: string): string | null => (pathName(column) === null ? null : column);

const named = (target: string): string => plainName(target).replace(/^the /, '');

/** The tags that the entries around an element name already. */
const listedIn = (entries: readonly string[]): string[] =>
  entries.flatMap((entry) => SEGMENT_ENTRY.exec(entry)?.[1]?.split('/') ?? []);

function spokenEntry(entry: string): string | null {
  const [, path = '', at] = SEGMENT_ENTRY.exec(entry) ?? [];
  const name = SEGMENTS[path.split('/').at(-1) ?? ''];
  return name === undefined ? null : `${name} ${Number(at) + 1}`;
}

/** @param listed around it. @returns its words, and its code without what it is within; null: it is no element. */
function spokenElement(path: string, listed: readonly string[]): [words: string, code: string] | null {
  const [, segments, element, component = ''] = ELEMENT.exec(path) ?? [];
  const steps = segments?.split(/\/(?![^[]*\])/).map(stepOf) ?? [];
  const last = steps.at(-1);
  if (last == null || steps.includes(null)) return null;
  const plain = `${last.tag}-${element}${component}`;
  const segment = SEGMENTS[last.tag];
  const name =
    COMPONENTS[plain] ??
    NAMES[`${last.tag}-${element}`] ??
    (segment === undefined ? undefined : `element ${Number(element)} of the ${segment}`);
  if (name === undefined) return null;
  const own = qualifiedName(last);
  const within = steps.findLast((step) => step !== null && step !== last && !listed.includes(step.tag)) ?? null;
  const around = (within === null ? null : (qualifiedName(within) ?? SEGMENTS[within.tag])) ?? null;
  const words = own === null ? name : name === 'reference' ? own : `${name} of the ${own}`;
  // Which of its kind is written where no word says it, and one alone is meant.
  const code = own === null && last.values.length === 1 ? `${last.tag}${last.qualifier}-${element}${component}` : plain;
  return [around === null || words.includes(around) ? words : `${words} of the ${around}`, code];
}

function stepOf(text: string): Step | null {
  const [, tag, qualifier = ''] = STEP.exec(text) ?? [];
  const [, values] = /^\[[\d.]+=(.*)\]$/.exec(qualifier) ?? [];
  return tag === undefined ? null : { tag, qualifier, values: values?.split(/[>|]/) ?? [] };
}

/** Of several qualifiers of a party the first is meant most; references of several kinds are just that. */
const qualifiedName = ({ tag, values: [first = '', ...others] }: Step): string | null =>
  others.length > 0 && REFERENCES.includes(tag) ? null : (QUALIFIERS[`${tag}=${first}`] ?? null);

const REFERENCES: readonly string[] = ['L11', 'REF', 'RFF'];

/** A text that names columns as their file does, each with the plain words for it instead. @param path of the problem. */
export const withSpokenColumns = (text: string, path: string): string =>
  path
    .split(', ')
    .filter((column) => spokenColumn(column) !== column)
    .reduce((said, column) => said.replaceAll(`"${column}"`, `the ${spokenColumn(column)}`), text)
    .replace(/^the /, 'The ');
