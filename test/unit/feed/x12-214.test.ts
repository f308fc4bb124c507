/** Events as 214s: what our reader and our mapping make of them is what the log holds. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { EventRow } from '../../../src/feed/feed-tables.ts';
import { eventSets, setsAsX12, type X12Envelope, type X12Events } from '../../../src/feed/x12-214.ts';
import { bytesInMemory } from '../../../src/formats/slices.ts';
import { trimmed, unseenAt } from '../../../src/kernel/text.ts';
import { answered, recordLine } from '../../../src/mapping/compile/compile.ts';
import { mapFile } from '../../../src/mapping/compile/map-file.ts';
import { answersFrom } from '../../../src/mapping/lookups/lookup.ts';
import { SHIPPED } from '../mapping/shipped.ts';

const AT_MS = Date.UTC(2026, 2, 1, 8);
const NOTIFIED: X12Events = { scac: 'DEMO', codes: { delivered: 'D1', received: 'AF', 'left*it': 'P1' } };
const ENVELOPE: X12Envelope = {
  environment: 'test',
  parties: { sender: 'ZZ:TRANSLOAD', receiver: '02:DEMO' },
  control: 17,
};
const textOf = (events: readonly EventRow[]): string => setsAsX12(eventSets(events, NOTIFIED), ENVELOPE);

const row = (more: Partial<EventRow> = {}): EventRow => ({
  seq: 1,
  order_ref: 'SO-1',
  order_id: null,
  hash: '',
  code: 'delivered',
  at_ms: AT_MS,
  level: 'milestone',
  place: '{}',
  poll_no: 1,
  learned_at_ms: AT_MS,
  corrects: null,
  ...more,
});

interface ReadBack {
  scac: string;
  body: {
    loadNumber: string;
    eventCode: string;
    eventCity?: string;
    eventState?: string;
    time: { dateTime: string };
    references: { name: string; value: string }[];
  };
}

interface ReadLine {
  requests: ReadBack[];
  errors: { code: string; fix: string }[];
}

async function readBy(name: string, text: string): Promise<ReadLine[]> {
  const { mapping } = SHIPPED.get(name) ?? {};
  if (mapping === undefined) throw new Error('no such mapping');
  const read: ReadLine[] = [];
  const bytes = new TextEncoder().encode(text);
  for await (const step of mapFile(answered(mapping, answersFrom({})), bytesInMemory(bytes))) {
    if (step.outcome !== 'records') throw new Error(JSON.stringify(step));
    read.push(...step.records.map((record): ReadLine => JSON.parse(recordLine(record))));
  }
  return read;
}

async function readBack(text: string): Promise<ReadBack[]> {
  const lines = await readBy('x12-214-order-events', text);
  expect(lines.flatMap(({ errors }) => errors)).toEqual([]);
  return lines.flatMap(({ requests }) => requests);
}

/** The fields of an event, out of the log and out of what was read. */
const logged = ({ seq, order_ref, order_id, code, at_ms, level, place, learned_at_ms, corrects }: EventRow) => ({
  orderRef: order_ref,
  orderId: order_id ?? undefined,
  status: NOTIFIED.codes[code],
  code,
  at: new Date(at_ms).toISOString().replace('Z', '0000+00:00'),
  learnedAt: new Date(learned_at_ms).toISOString(),
  level,
  seq: String(seq),
  corrects: corrects === null ? undefined : String(corrects),
  place: JSON.parse(place) as unknown,
  scac: 'DEMO',
});
const told = ({ scac, body }: ReadBack) => {
  const value = (name: string) => body.references.find((reference) => reference.name === name)?.value;
  const { eventCity: city, eventState: state } = body;
  const place = { city, state, postalCode: value('POSTAL_CODE'), country: value('COUNTRY') };
  return {
    orderRef: body.loadNumber,
    orderId: value('ORDER_ID'),
    status: body.eventCode,
    code: value('CODE'),
    at: body.time.dateTime,
    learnedAt: value('LEARNED_AT'),
    level: value('LEVEL'),
    seq: value('SEQ'),
    corrects: value('CORRECTS'),
    place: Object.fromEntries(Object.entries(place).filter(([, part]) => part !== undefined)),
    scac,
  };
};

/** As a status is read: trimmed, well-formed, without control characters here, and no apostrophe at its head: no file names an order so. */
const word = fc
  .oneof(
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 30 }),
    fc.string({ unit: fc.constantFrom(...`a1 *>^~|:!'é`), minLength: 1, maxLength: 12 }),
    fc.constantFrom('Montréal', 'São Paulo', '東京', "O'Fallon", 'a*b>c^d~e|f:g!h', 'İzmir', 'straße'),
  )
  .map(trimmed)
  .filter((text) => text !== '' && text.isWellFormed() && !/^'|\p{Cc}/u.test(text) && unseenAt(text) === -1);
const part = fc.option(word, { nil: undefined });
const moment = fc.integer({ min: Date.UTC(1990, 0, 1), max: Date.UTC(2089, 0, 1) });
const event = fc
  .record({
    orderRef: word,
    orderId: fc.option(word),
    code: fc.constantFrom('delivered', 'received', 'left*it'),
    atMs: moment,
    learnedAtMs: moment,
    level: fc.constantFrom('milestone' as const, 'detail' as const),
    place: fc.record({
      city: part,
      state: fc.constantFrom('IL', 'ON', 'JAL', undefined),
      postalCode: part,
      country: part,
    }),
    corrects: fc.option(fc.integer({ min: 1, max: 1_000_000 })),
  })
  .map(({ orderRef, orderId, code, atMs, learnedAtMs, level, place, corrects }) =>
    row({
      order_ref: orderRef,
      order_id: orderId,
      code,
      at_ms: atMs,
      level,
      place: JSON.stringify(place),
      learned_at_ms: learnedAtMs,
      corrects,
    }),
  );

describe('events written as 214s', () => {
  it('are read back by our mapping field by field, whatever their texts hold', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(event, { minLength: 1, maxLength: 6 }), async (events) => {
        const rows = events.map((each, index) => ({ ...each, seq: index + 1 }));
        const { sets, leftOut } = eventSets(rows, NOTIFIED);
        expect([sets.length, leftOut]).toEqual([rows.length, []]);
        expect((await readBack(textOf(rows))).map(told)).toEqual(rows.map(logged));
      }),
    );
  });

  it('say in their AT7 when it was, to the hundredth of a second for those who read no more', () => {
    const text = textOf([row({ at_ms: Date.UTC(2026, 2, 1, 8, 15, 30, 257) })]);
    expect(text).toContain('AT7*D1*NS***20260301*08153025*UT~');
  });

  it('stand in an interchange of their version, each set with a control number of its own', () => {
    const text = textOf([row({ seq: 1 }), row({ seq: 2, order_ref: 'SO-2' })]);
    expect(text.slice(83, 90)).toBe('*00501*');
    expect(text.match(/(?:ST\*214|SE\*\d+)\*\d+~/g)?.map((each) => each.replace(/SE\*\d+/, 'SE'))).toEqual([
      'ST*214*0001~',
      'SE*0001~',
      'ST*214*0002~',
      'SE*0002~',
    ]);
  });

  it('choose delimiters that no value holds, the usual ones first, the same each time', () => {
    const delimitersOf = (...refs: string[]) => {
      const events = refs.map((order_ref, index) => row({ order_ref, seq: index + 1 }));
      const text = textOf(events);
      expect(textOf(events)).toBe(text);
      return [text[3], text[104], text[82], text[105]].join('');
    };
    expect(delimitersOf('SO-1')).toBe('*>^~');
    expect(delimitersOf('SO-1', 'A*1')).toBe('|>^~');
    expect(delimitersOf('SO|1', 'A*1', 'a>b:c', '^', '~')).toBe(`\x1d\x1f!'`);
    expect(delimitersOf('*|', '>:', '^!', `~'`)).toBe('\x1d\x1f\x1e\x1c');
  });

  it('leave out what no 214 can say, and hold the rest', async () => {
    const events = [
      row({ seq: 1, code: 'scheduled' }),
      row({ seq: 2, order_ref: 'A\tB' }),
      row({ seq: 3, place: JSON.stringify({ city: 'Jol\u0000iet' }) }),
      row({ seq: 4, order_id: 'x\u0085' }),
      row({ seq: 5, code: 'toString' }),
      row({ seq: 6 }),
    ];
    const { sets, leftOut } = eventSets(events, NOTIFIED);
    expect([sets.length, leftOut]).toEqual([1, [1, 2, 3, 4, 5]]);
    expect((await readBack(textOf(events))).map(told)).toEqual([logged(row({ seq: 6 }))]);
    expect(eventSets([row({ code: 'scheduled' })], NOTIFIED)).toEqual({ sets: [], leftOut: [1], learnedMs: 0 });
  });

  it.each([
    ['x12-214-order-events', 'N4-02'],
    ['x12-214', 'MS1-02'],
  ])(
    'say a state as the log has it; one by its name is no code, and %s refuses it with the code to write',
    async (name, path) => {
      const text = textOf([row({ place: JSON.stringify({ city: 'Joliet', state: 'Illinois' }) })]);
      expect(text).toContain('N4*Joliet*Illinois');
      const [line] = await readBy(name, text);
      expect(line).toMatchObject({ requests: [], errors: [{ code: 'state_invalid' }] });
      expect(line?.errors[0]?.fix).toMatch(new RegExp(`^Write "IL" into .*${path}`));
    },
  );

  it('are dated by the newest of those that are written: one left out behind them changes nothing', () => {
    const events = [row({ seq: 1 }), row({ seq: 2, order_ref: 'SO-2', learned_at_ms: AT_MS + 60_000 })];
    const beside = row({ seq: 3, code: 'scheduled', learned_at_ms: AT_MS + 3_600_000 });
    expect(textOf([...events, beside])).toBe(textOf(events));
    expect(textOf(events)).toContain('GS*QM*TRANSLOAD*DEMO*20260301*0801*17*X*005010~');
  });

  it.each([
    ['02:DEMO', '02', 'DEMO'],
    ['DEMO', 'ZZ', 'DEMO'],
    ['01:00:7', '01', '00:7'],
  ])('are addressed to %s under the qualifier %s', (receiver, qualifier, id) => {
    const envelope = { ...ENVELOPE, parties: { ...ENVELOPE.parties, receiver } };
    const [isa = []] = setsAsX12(eventSets([row()], NOTIFIED), envelope)
      .split('~')
      .map((segment) => segment.split('*'));
    expect([isa[7], isa[8]?.trim()]).toEqual([qualifier, id]);
  });
});
