/**
 * What real files of other people say, written by hand from their text: reference, code, local time with its offset, place,
 * quantities (weights, of the shipments of a 204). One entry per AT7 of a 214, else per set.
 */
export interface StatusGolden {
  loadNumber: string;
  eventCode: string;
  reasonCode: string;
  dateTime: string;
  eventCity?: string;
}
export interface OrderGolden {
  kind: string;
  orderRef: string;
  requestedDate?: string;
  city?: string;
  state?: string;
  street?: string;
  /** Of a 204, its heading first, then its stops. */
  times?: string[];
  lines: (readonly [sku: string, quantity: number])[];
}
export type Golden = StatusGolden | OrderGolden | { error: string };

const COAST = '.0000000-08:00';
const ofLoad = (rows: readonly (readonly [code: string, reason: string, time: string])[]): StatusGolden[] =>
  rows.map(([eventCode, reasonCode, time]) => ({
    loadNumber: '99948782',
    eventCode,
    reasonCode,
    dateTime: `${time}:00${COAST}`,
  }));

export const GOLDENS: Record<string, readonly Golden[]> = {
  'apimeister__x12-types/test_214.parse_214_1.edi': ofLoad([
    ['AA', 'NA', '2011-12-17T08:30'],
    ['X3', 'NS', '2011-12-17T09:30'],
    ['CP', 'NS', '2011-12-17T09:30'],
    ['AB', 'NA', '2011-12-22T07:45'],
    ['X1', 'AD', '2011-12-22T07:45'],
    ['D1', 'NS', '2011-12-22T07:45'],
    ['AA', 'NA', '2011-12-17T08:30'],
    ['X3', 'NS', '2011-12-17T09:30'],
    ['CP', 'NS', '2011-12-17T09:30'],
    ['AB', 'NA', '2011-12-18T11:00'],
    ['X1', 'AD', '2011-12-18T11:00'],
    ['D1', 'NS', '2011-12-19T11:00'],
    ['AA', 'NA', '2011-12-17T08:30'],
    ['X3', 'NS', '2011-12-17T09:30'],
    ['CP', 'NS', '2011-12-17T09:30'],
    ['AB', 'NA', '2011-12-18T03:30'],
    ['X1', 'AD', '2011-12-19T04:30'],
    ['D1', 'NS', '2011-12-19T04:30'],
  ]),
  // LT, the time of the place: nothing in the file says which zone that is.
  'indice-co__EDI.Net/214-MGCTLYST-SAMPLE.EDI': [{ error: 'time_zone_missing AT7-07' }],
  'kputnam__stupidedi/SM204__case__1.edi': [
    {
      kind: 'order.create',
      orderRef: '12345678',
      city: 'ATTALLA',
      state: 'AL',
      street: '700 RODNEY AUSTIN',
      times: [
        '2022-08-22T11:20:00.0000000-04:00', // of the heading: ET, in summer
        '2022-08-23T16:30:00.0000000-05:00', // CD
        '2022-08-24T07:00:00.0000000-04:00', // ED
      ],
      lines: [
        ['4728162872', 8888.88],
        ['2231522233', 12341.24],
        ['2222228403', 8888.88],
        ['221231238647', 12341.24],
      ],
    },
  ],
  'apimeister__x12-types/004010_850.edi': [
    {
      kind: 'order.create',
      orderRef: 'A99999-01',
      requestedDate: '1997-12-19',
      city: 'ATHENS',
      state: 'GA',
      street: '1000 N. SAMPLE HIGHWAY',
      lines: [
        ['000111111', 16],
        ['000555555', 13],
        ['000666666', 32],
        ['000874917', 51],
        ['000874958', 9],
        ['000874990', 85],
        ['000875088', 1],
      ],
    },
  ],
  'olmelabs__EdiEngine/850.OK.edi': [
    {
      kind: 'order.create',
      orderRef: '08292233294',
      requestedDate: '2010-12-14',
      city: 'SOLON',
      state: 'OH',
      street: '31875 SOLON RD',
      lines: [
        ['AB3542', 120],
        ['RD5322', 220],
        ['XY5266', 126],
        ['VX2332', 76],
        ['RV0524', 72],
        ['DX1875', 696],
      ],
    },
  ],
  'ahuggins-nhs__node-x12/850_3.edi': [
    {
      kind: 'order.create',
      orderRef: '----------',
      city: 'SAN DIEGO',
      state: 'CA',
      street: '9125 REHCO RD',
      lines: [['000000000001010700', 1]],
    },
  ],
  'indice-co__EDI.Net/x12.850.edi': [
    {
      kind: 'order.create',
      orderRef: '1000012',
      city: 'Hauppauge',
      state: 'NY',
      street: '126 Any St',
      lines: [['0054321', 1]],
    },
  ],
  'apimeister__x12-types/test_940.test_940_2.edi': [
    {
      kind: 'order.create',
      orderRef: '0080215659',
      requestedDate: '2018-03-27',
      city: 'Chicago',
      state: '010',
      street: 'No 27 Huangping Road',
      lines: [['E000169', 2]],
    },
  ],
  'apimeister__x12-types/test_940.test_940_3.edi': [
    {
      kind: 'order.create',
      orderRef: '18061923',
      requestedDate: '2011-12-12',
      city: 'STOCKTON',
      state: 'CA',
      street: '2121 BOEING WAY',
      lines: [
        ['0638746000', 750],
        ['0143872000', 170],
      ],
    },
  ],
  'apimeister__x12-types/test_940.test_940_4.edi': [
    {
      kind: 'order.update',
      orderRef: '18061930',
      requestedDate: '2011-12-05',
      city: 'FONTANA',
      state: 'CA',
      street: '11618 MULBERRY AVE',
      lines: [['0172183000', 300]],
    },
  ],
  'apimeister__x12-types/test_940.test_940_5.edi': [{ kind: 'order.cancel', orderRef: '18061923', lines: [] }],
  'olmelabs__EdiEngine/940.2.OK.edi': [{ kind: 'order.create', orderRef: '35131', lines: [['110220', 1]] }],
};
