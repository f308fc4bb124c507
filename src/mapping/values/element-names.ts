/** What elements of X12 and EDIFACT are called by people: `AT7-01` → `status`. Those that mappings read most. Pure. */
const NAMES: Readonly<Record<string, string>> = {
  ...{ 'AT7-01': 'status', 'AT7-02': 'reason of the status', 'AT7-03': 'appointment', 'AT7-04': 'appointment reason' },
  ...{ 'AT7-05': 'date', 'AT7-06': 'time', 'AT7-07': 'time zone', 'LX-01': 'number of the group' },
  ...{ 'AT8-02': 'unit of weight', 'AT8-03': 'weight', 'AT8-04': 'pieces', 'AT8-05': 'packages' },
  ...{ 'B10-01': 'reference', 'B10-02': 'shipment number', 'B10-03': 'carrier (SCAC)' },
  ...{ 'MS1-01': 'city', 'MS1-02': 'state', 'MS1-03': 'country', 'MS1-04': 'longitude', 'MS1-05': 'latitude' },
  ...{ 'MS1-06': 'side of the longitude', 'MS1-07': 'side of the latitude' },
  ...{ 'MS2-01': 'carrier (SCAC)', 'MS2-02': 'equipment number', 'MS2-03': 'kind of equipment' },
  ...{ 'L11-01': 'reference', 'L11-02': 'kind of reference', 'REF-01': 'kind of reference', 'REF-02': 'reference' },
  ...{
    'N1-01': 'kind of party',
    'N1-02': 'name',
    'N1-03': 'kind of id',
    'N1-04': 'id',
    'N3-01': 'street',
    'N3-02': 'street',
  },
  ...{ 'N4-01': 'city', 'N4-02': 'state', 'N4-03': 'postal code', 'N4-04': 'country' },
  ...{ 'G62-01': 'kind of date', 'G62-02': 'date', 'G62-03': 'kind of time', 'G62-04': 'time', 'G62-05': 'time zone' },
  ...{ 'G61-03': 'kind of contact', 'G61-04': 'contact', 'PER-02': 'contact', 'S5-01': 'number of the stop' },
  ...{
    'BCH-01': 'purpose',
    'BCH-05': 'order number',
    'POC-02': 'kind of change',
    'POC-03': 'quantity',
    'NTE-02': 'note',
  },
  ...{ 'DTM-01': 'time', 'BGM-02': 'document number', 'BGM-03': 'function of the message', 'RFF-01': 'reference' },
  ...{
    'STS-01': 'kind of status',
    'STS-02': 'status',
    'STS-03': 'reason of the status',
    'NAD-02': 'id',
    'NAD-06': 'city',
  },
  ...{
    'LOC-01': 'kind of place',
    'LOC-02': 'place',
    'TDT-08': 'equipment',
    'EQD-02': 'equipment number',
    'MSG-01': 'text',
  },
};

/** A segment, which of its kind, the element, its component. */
const ELEMENT = /^([A-Z][A-Z0-9]{1,2})(?:\[[^\]]*\])?(?:-)(\d\d)(?:\.\d+)?$/;
/** `position[1]`: an entry of a list in JSON. */
const ENTRY = /^(.+)\[(\d+)\]$/;

/** A column as its file names it, with plain words in front where that is a code: `status (AT7-01)`, `entry 2 of position (position[1])`. */
export function spokenColumn(column: string): string {
  const [, tag, element] = ELEMENT.exec(column) ?? [];
  const name = tag === undefined ? undefined : NAMES[`${tag}-${element}`];
  if (name !== undefined) return `${name} (${column})`;
  const [, list, entry] = ENTRY.exec(column) ?? [];
  return list === undefined ? column : `entry ${Number(entry) + 1} of ${list} (${column})`;
}
