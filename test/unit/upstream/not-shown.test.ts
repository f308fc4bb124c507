/** The list of choices made where the service's documentation says "not shown". A new one, or a changed one, changes this test too. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { NOT_SHOWN } from '../../../src/upstream/contracts/not-shown.ts';

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
      'orderScacHeader',
      'orderIdPath',
      'orderRefPath',
      'orderStatus',
      'milestoneRequired',
      'traceRequired',
      'tracePointRequired',
      'loadMilestoneEventRequired',
      'authByApi',
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
      'offsetMinutesForm',
    ]);
  });

  it('names for every group of choices the clause that leaves it open', () => {
    const body = SOURCE.slice(SOURCE.indexOf('export const NOT_SHOWN'), SOURCE.indexOf('} as const;'));
    const groups = body.split(/\n\n/);
    expect(groups.length).toBeGreaterThan(8);
    for (const group of groups) expect(group).toMatch(/\/\*\* seed \d/);
  });

  it('signs in by the key alone but for the API whose example carries a bearer token (seed 4.3, 5.4)', () => {
    const bearer = Object.entries(NOT_SHOWN.authByApi).filter(([, method]) => method === 'key+bearer');
    expect(bearer.map(([api]) => api)).toEqual(['loadMilestoneEvents']);
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
