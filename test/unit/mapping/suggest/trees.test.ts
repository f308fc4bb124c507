/** Mappings suggested for JSON: where the records are, and the events inside of them. */
import { describe, expect, it } from 'vitest';
import { factOf, fieldLines, openIds, suggestFor } from './samples.ts';

const activity = (date: string, time: string, description: string) => ({
  location: { address: { city: 'Anytown', stateProvince: 'GA' } },
  status: { type: 'I', description, code: 'XX' },
  date,
  time,
  gmtOffset: '-05:00',
});
const TRACKED = {
  trackResponse: {
    shipment: [
      {
        inquiryNumber: '1Z1',
        package: [
          {
            trackingNumber: '1Z1',
            activity: [activity('20260225', '114500', 'DELIVERED'), activity('20260224', '021100', 'Departure Scan')],
          },
        ],
      },
    ],
  },
};

describe('events in arrays inside of shipments', () => {
  it('are found with their date, time and offset, and the numbers around them', async () => {
    const found = await suggestFor(JSON.stringify(TRACKED), { fileName: 'track.json' });
    expect([factOf(found, 'records'), factOf(found, 'events')]).toEqual([
      'trackResponse.shipment [likely]',
      'package[].activity[] [likely]',
    ]);
    expect(fieldLines(found)).toEqual([
      'fields.time = {"from":["date","time"],"parse":"yyyyMMdd HHmmss"} [sure]',
      'zone = "gmtOffset" [sure]',
      'fields.loadNumber = "../../inquiryNumber" [unsure]',
      'fields.eventCode = {"from":"status.description","lookup":"track-status"} [likely]',
      'fields.eventCity = "location.address.city" [sure]',
      'fields.eventState = "location.address.stateProvince" [sure]',
      'fields.references.WAYBILL = {"name":"WAYBILL","value":"../trackingNumber","omitWhenEmpty":true} [sure]',
    ]);
    expect([openIds(found), found.problems, found.isValid]).toEqual([[], [], true]);
  });
});

describe('lines of JSON', () => {
  const line = (load: string, at: number) => `${JSON.stringify({ load, event: 'X3', at })}\n`;
  it('have times counted in seconds, also when the last line is cut off', async () => {
    const found = await suggestFor(`${line('L1', 1772460900)}${line('L2', 1772461000)}{"load":"L3","ev`, {
      isPart: true,
    });
    expect(fieldLines(found)).toContain('fields.time = {"from":"at","parse":"epochSeconds"} [likely]');
    expect([factOf(found, 'format'), found.isValid, openIds(found)]).toEqual(['ndjson [sure]', true, []]);
  });
});
