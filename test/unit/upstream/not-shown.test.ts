/** The list of choices made where the service's documentation says "not shown". A new one, or a changed one, changes this test too. */
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { ORDER_REF_MEMBER } from '../../../src/mapping/document/order-spec.ts';
import { NOT_SHOWN } from '../../../src/upstream/contracts/not-shown.ts';
import { DEFAULT_ANSWER_MAPPING } from '../../../src/upstream/statuses/answer-mapping.ts';

const SOURCE = readFileSync('src/upstream/contracts/not-shown.ts', 'utf8');

describe('NOT_SHOWN', () => {
  it('holds these choices and no other', () => {
    expect(Object.keys(NOT_SHOWN)).toEqual([
      'fleetApiName',
      'locationsApiName',
      'fleetApiVersion',
      'serviceHistoryVehicleParameter',
      'serviceHistoryFromParameter',
      'serviceHistoryToParameter',
      'locationFilterParameters',
      'listKeys',
      'vehicleFacts',
      'locationFacts',
      'locationCode',
      'orderScacHeader',
      'orderIdPath',
      'orderRefPath',
      'orderStatus',
      'eventCodeLists',
      'reasonCodeList',
      'resourceTypes',
      'temperatureScale',
      'odometerUnit',
      'unknownOrderRefStatus',
      'milestoneRequired',
      'traceRequired',
      'tracePointRequired',
      'loadMilestoneEventRequired',
      'authByApi',
      'tokenCredentials',
      'missingCredentialsStatus',
      'scacNotOnboardedStatus',
      'refusalStatus',
      'errorKey',
      'loadUnknown',
      'confirmationIdPath',
      'orderPartnerIdPath',
      'orderClientIdPath',
      'orderReferencesPath',
      'orderActionStatus',
      'orderAction',
      'orderUpdatable',
      'orderMembers',
      'offsetMinutesForm',
      'clockWithoutAbbreviation',
    ]);
  });

  it('names for every group of choices the clause that leaves it open', () => {
    const body = SOURCE.slice(SOURCE.indexOf('export const NOT_SHOWN'), SOURCE.indexOf('} as const;'));
    const groups = body.split(/\n\n/);
    expect(groups.length).toBeGreaterThan(8);
    for (const group of groups) expect(group).toMatch(/\/\*\*(?:\n {3}\*)? seed \d/);
  });

  it('signs in by the key alone but for the API whose example carries a bearer token (seed 4.3, 5.4)', () => {
    const bearer = Object.entries(NOT_SHOWN.authByApi).filter(([, method]) => method === 'key+bearer');
    expect(bearer.map(([api]) => api)).toEqual(['loadMilestoneEvents']);
  });

  it('names the parts of a place, where the status of an order tells of one, as an address names them (seed 2.7)', () => {
    const { locationFacts, orderStatus } = NOT_SHOWN;
    for (const part of ['city', 'state', 'postalCode', 'country'] as const) {
      expect(orderStatus.place[part]).toEqual([locationFacts[part].at(-1)]);
    }
  });

  it('names what can be updated of an order as the shipped mappings write it (seed 2.8)', () => {
    const shipped = ['orders-csv', 'order-changes-csv'].map((name) => readFileSync(`mappings/${name}.yaml`, 'utf8'));
    const { members, items } = NOT_SHOWN.orderUpdatable;
    for (const text of shipped) {
      for (const name of [...members, items.list]) expect(text).toMatch(new RegExp(`^  ${name}:`, 'm'));
      for (const name of [items.key, items.quantity]) expect(text).toMatch(new RegExp(`^ {6,}${name}:`, 'm'));
    }
  });

  it('is where the paths of the fleet and the SCAC header of orders are taken from', () => {
    expect(readFileSync('src/upstream/contracts/endpoints.ts', 'utf8')).toContain('NOT_SHOWN.fleetApiName');
    expect(readFileSync('src/upstream/compose.ts', 'utf8')).toContain('NOT_SHOWN.orderScacHeader');
  });
});

/** Choices of this kind stand where the upstream's bodies are made: in shipped mappings, and in code. */
describe('a choice that is not in it', () => {
  type Node = { [name: string]: unknown };
  const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null;
  const documentsIn = (folder: string): [string, Node][] =>
    readdirSync(folder)
      .filter((file) => file.endsWith('.yaml'))
      .map((file) => [file, parse(readFileSync(`${folder}/${file}`, 'utf8')) as Node]);
  const MAPPINGS = documentsIn('mappings');
  const LISTS = new Map(documentsIn('mappings/code-lists').map(([, list]) => [String(list.list), list.codes as Node]));

  /** Everything under this name in the shipped mappings, but for their examples: `file: value`. */
  function under(name: string, isWanted: (around: Node) => boolean = () => true): [file: string, value: unknown][] {
    const found: [string, unknown][] = [];
    const walk = (file: string, value: unknown): void => {
      if (!isNode(value)) return;
      for (const [key, member] of Object.entries(value)) {
        if (key === 'examples') continue;
        if (key === name && isWanted(value)) found.push([file, member]);
        walk(file, member);
      }
    };
    for (const [file, document] of MAPPINGS) walk(file, document);
    return found;
  }
  /** What a field may come to that its document says itself: constants, defaults, codes of its lists. */
  const own = (field: unknown): string[] =>
    isNode(field)
      ? [
          ...['const', 'default'].flatMap((key) => (typeof field[key] === 'string' ? [field[key]] : [])),
          ...[field.lookup ?? []].flat().flatMap((list) => Object.values(LISTS.get(String(list)) ?? {}).map(String)),
        ]
      : [];
  const differing = (found: [string, unknown][], known: readonly unknown[], of = own): string[] =>
    found.flatMap(([file, value]) => of(value).flatMap((text) => (known.includes(text) ? [] : [`${file}: ${text}`])));
  const codesOf = (...names: string[]): unknown[] => names.flatMap((name) => Object.values(LISTS.get(name) ?? {}));

  it('is found in shipped mappings: eventCode and reasonCode are X12 codes', () => {
    const events = codesOf(...NOT_SHOWN.eventCodeLists);
    expect(events.length).toBeGreaterThan(50);
    expect(differing(under('eventCode'), events)).toEqual([]);
    expect(differing(under('reasonCode'), codesOf(NOT_SHOWN.reasonCodeList))).toEqual([]);
  });

  it('is found in shipped mappings: the kind of resource, the scale and the unit of the odometer', () => {
    expect(differing(under('resourceType'), NOT_SHOWN.resourceTypes)).toEqual([]);
    const scales = under('unitOfMeasure', (around) => Object.hasOwn(around, 'value'));
    expect(scales.length).toBeGreaterThan(2);
    expect(differing(scales, [NOT_SHOWN.temperatureScale])).toEqual([]);
    const unit = (field: unknown): string[] =>
      isNode(field) && isNode(field.unit) && typeof field.unit.to === 'string' ? [field.unit.to] : [];
    expect(differing(under('odometer'), [NOT_SHOWN.odometerUnit], unit)).toEqual([]);
  });

  it('is found in shipped mappings: members of orders', () => {
    const members = (order: unknown): string[] => (isNode(order) ? Object.keys(order) : []);
    expect(differing(under('order'), NOT_SHOWN.orderMembers, members)).toEqual([]);
  });

  /** What stands elsewhere in code, and why it may. */
  const ELSEWHERE: Readonly<Record<string, readonly string[]>> = {
    NS: ['src/mapping/values/coordinate.ts', 'src/feed/x12-214.ts'], // compass points; the X12 we write
    consignee: ['src/mapping/values/element-names.ts'], // what N1 and NAD name
    // what becomes of a proposed mapping
    declined: [
      'src/http/ops/mapping-proposals.ts',
      'src/ops/publishing/proposals.ts',
      'src/console/pages/workbench/proposals.tsx',
    ],
  };
  const CHOSEN = [
    ...NOT_SHOWN.resourceTypes,
    ...NOT_SHOWN.orderMembers.filter((name) => name !== ORDER_REF_MEMBER && name.length > 5 && name !== 'references'),
    ...[NOT_SHOWN.serviceHistoryFromParameter, NOT_SHOWN.serviceHistoryToParameter],
    ...NOT_SHOWN.orderAction.refusedCodes.filter((code) => code === 'declined'),
    ...NOT_SHOWN.orderStatus.cancelledCodes.filter((code) => code === 'canceled'),
    NOT_SHOWN.orderStatus.time,
    'NS',
  ];

  it('is found in code: no literal of one stands outside of the contracts', () => {
    const files = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((file) => /\.tsx?$/.test(file));
    const found = files.flatMap((file) => {
      const path = `src/${file}`;
      // A suggestion writes a document such as the shipped ones, for somebody to read and change.
      if (path.startsWith('src/upstream/contracts/') || path.startsWith('src/mapping/suggest/')) return [];
      const text = readFileSync(path, 'utf8');
      return CHOSEN.filter((name) => text.includes(`'${name}'`) && !ELSEWHERE[name]?.includes(path)).map(
        (name) => `${path}: ${name}`,
      );
    });
    expect(found).toEqual([]);
  });

  it('is found in code: where one may stand, one stands', () => {
    for (const [name, paths] of Object.entries(ELSEWHERE))
      for (const path of paths) expect(readFileSync(path, 'utf8'), path).toContain(`'${name}'`);
  });

  it('is found in code: what mapping and answers take for given is what stands here', () => {
    expect(NOT_SHOWN.orderRefPath).toEqual([ORDER_REF_MEMBER]);
    expect(NOT_SHOWN.resourceTypes).toContain('TRUCK');
    expect(DEFAULT_ANSWER_MAPPING.finalCodes).toEqual([
      ...NOT_SHOWN.orderStatus.finalCodes,
      ...NOT_SHOWN.orderStatus.cancelledCodes,
    ]);
    expect(NOT_SHOWN.locationFacts).toHaveProperty(NOT_SHOWN.locationCode);
  });
});
