/** What an 860 does to orders that came otherwise: the lines name the item and its quantity, and nothing else of it is asked. */
import { describe, expect, it } from 'vitest';
import { type CountedDelta, type Merged, mergeChange } from '../../../src/delivery/orders/merge.ts';
import { bytesInMemory } from '../../../src/formats/slices.ts';
import { mapFile } from '../../../src/mapping/compile/map-file.ts';
import type { OrderChange } from '../../../src/mapping/request.ts';
import { type OrderDocument, orderDifferences, pathText } from '../../../src/upstream/contracts/order-difference.ts';
import { SHIPPED } from '../mapping/shipped.ts';

/** @param bch its elements. @param control of the interchange. */
async function changeOf(lines: readonly string[], bch = '04*SA*SO-1**1*20260303', control = 41): Promise<OrderChange> {
  const { mapping } = SHIPPED.get('x12-860') ?? {};
  if (mapping === undefined) throw new Error('no mapping x12-860');
  const number = String(control).padStart(9, '0');
  const text = [
    `ISA*00*          *00*          *02*DEMO           *ZZ*TRANSLOAD      *260302*1500*U*00401*${number}*0*T*>`,
    `GS*PC*DEMO*TRANSLOAD*20260302*1500*${control}*X*004010`,
    'ST*860*0001',
    `BCH*${bch}`,
    ...lines,
    `SE*${lines.length + 3}*0001`,
    `GE*1*${control}`,
    `IEA*1*${number}`,
    '',
  ].join('~\n');
  for await (const step of mapFile(mapping, bytesInMemory(new TextEncoder().encode(text)))) {
    const [request] = step.outcome === 'records' ? (step.records[0]?.mapped.requests ?? []) : [];
    if (request?.kind === 'order.update') return request.body;
    throw new Error(JSON.stringify(step));
  }
  throw new Error('nothing was mapped');
}

const BY_CSV: OrderDocument = {
  orderRef: 'SO-1',
  skus: [
    { sku: 'SOFA-3', quantity: 2 },
    { sku: 'CHAIR-1', description: 'Chair', quantity: 4, weightKg: 4.5 },
  ],
};
const BY_940: OrderDocument = {
  orderRef: 'SO-1',
  skus: [
    { sku: 'SOFA-3', description: 'Sofa', quantity: 2, unitOfMeasure: 'EA' },
    { sku: 'CHAIR-1', quantity: 4, unitOfMeasure: 'CS' },
  ],
};
const BY_850: OrderDocument = {
  orderRef: 'SO-1',
  skus: [
    { line: '10', sku: 'SOFA-3', quantity: 2, unitOfMeasure: 'EA' },
    { line: '20', sku: 'CHAIR-1', quantity: 4, unitOfMeasure: 'CS' },
  ],
};

const COUNTED = new Map<string, CountedDelta>();

function inShort(before: OrderDocument, result: Merged): unknown {
  if (result.outcome === 'same') return 'same';
  if (result.outcome === 'refused') return `${result.refusal.code} ${result.refusal.path}`;
  const differences = orderDifferences(before, result.document);
  return Object.fromEntries(differences.map(({ path, after }) => [pathText(path), after]));
}

describe.each([
  ['CSV', BY_CSV],
  ['a 940', BY_940],
  ['an 850', BY_850],
])('an order made by %s', (_source, before) => {
  const changed = async (...lines: string[]) =>
    inShort(
      before,
      mergeChange(before, await changeOf(lines), (line) => COUNTED.get(line)),
    );

  it.each<[string, string, unknown]>([
    ['has more of an item', 'POC*1*QI*5**EA***VN*SOFA-3', { 'skus[SOFA-3].quantity': 7 }],
    ['has less of an item', 'POC*1*QD*1**EA***VN*SOFA-3', { 'skus[SOFA-3].quantity': 1 }],
    ['has the quantity of a changed line', 'POC*1*CA*9**EA***VN*SOFA-3', { 'skus[SOFA-3].quantity': 9 }],
    ['has nothing of a deleted line', 'POC*1*DI*2**EA***VN*SOFA-3', { 'skus[SOFA-3].quantity': 0 }],
    ['is as it was behind a changed line that says the same', 'POC*1*CA*2**EA***VN*SOFA-3', 'same'],
    ['takes no new item', 'POC*3*AI*1**EA***VN*RUG-4', 'not_updatable skus[RUG-4]'],
  ])('%s', async (_what, line, wanted) => expect(await changed(line, 'PID*F****Words')).toEqual(wanted));
});

describe('an added line', () => {
  it('is the whole item, as is every line of a whole order', async () => {
    const line = ['POC*1*AI*3**EA***VN*RUG-4', 'PID*F****Rug'];
    const item = { line: '1', sku: 'RUG-4', description: 'Rug', quantity: 3, unitOfMeasure: 'EA' };
    expect((await changeOf(line)).order).toEqual({ skus: [{ change: 'ADD', ...item }] });
    const whole = { orderedOn: '2026-03-03', skus: [{ change: 'ADD', ...item }] };
    expect((await changeOf(line, '05*SA*SO-1**1*20260303')).order).toEqual(whole);
    const kept = ['POC*1*CA*3**EA***VN*RUG-4', 'PID*F****Rug'];
    const changed = { ...whole, skus: [{ change: 'CHANGE', ...item }] };
    expect((await changeOf(kept, '05*SA*SO-1**1*20260303')).order).toEqual(changed);
  });
});

describe('what names an 860', () => {
  const LINE = ['POC*1*QI*3**EA***VN*SOFA-3'];
  const nameOf = async (bch: string, control = 41) => (await changeOf(LINE, bch, control)).changeRef;

  it.each<[string, string, string]>([
    ['the number that its sender gives it', '04*SA*SO-1**2*20260303', '02/DEMO/BCH/2'],
    ['that of a release, together with the release', '04*SA*SO-1*R7*2*20260303', '02/DEMO/BCH/R7/2'],
    ['the control numbers where it gives none', '04*SA*SO-1***20260303', '02/DEMO/000000041/41/0001'],
  ])('is %s', async (_what, bch, wanted) => expect(await nameOf(bch)).toBe(wanted));

  it('is the same in a corrected interchange, so that its differences count once', async () => {
    const counted = new Map<string, CountedDelta>();
    const merged = async (bch: string, control: number) =>
      mergeChange(BY_CSV, await changeOf(LINE, bch, control), (line) => counted.get(line));
    const first = await merged('04*SA*SO-1**2*20260303', 41);
    if (first.outcome !== 'document') throw new Error(first.outcome);
    for (const { line, amount } of first.lines) counted.set(line, { amount, seq: 1 });
    expect(await merged('04*SA*SO-1**2*20260303', 42)).toEqual({ outcome: 'same', repeats: 1 });
    expect((await merged('04*SA*SO-1**3*20260303', 43)).outcome).toBe('document');
  });
});

describe('a quantity in another unit', () => {
  it.each(['QI', 'QD', 'CA', 'AI'])('is never applied (%s): the refusal names both units', async (what) => {
    const change = await changeOf([`POC*1*${what}*1**CS***VN*SOFA-3`]);
    const result = mergeChange(BY_940, change, () => undefined);
    expect(inShort(BY_940, result)).toBe('unit_differs skus[SOFA-3].unitOfMeasure');
    expect(result).toMatchObject({ refusal: { message: expect.stringMatching(/"EA".*"CS"/) } });
  });
  it('is taken for the unit of the item where the line names none, or the item has none', async () => {
    const none = await changeOf(['POC*1*QI*1*****VN*SOFA-3']);
    expect(
      inShort(
        BY_940,
        mergeChange(BY_940, none, () => undefined),
      ),
    ).toEqual({ 'skus[SOFA-3].quantity': 3 });
    const cases = await changeOf(['POC*1*QI*1**CS***VN*SOFA-3']);
    expect(
      inShort(
        BY_CSV,
        mergeChange(BY_CSV, cases, () => undefined),
      ),
    ).toEqual({ 'skus[SOFA-3].quantity': 3 });
  });
  it('does not matter where nothing of the item is wanted any more', async () => {
    const change = await changeOf(['POC*1*DI*1**CS***VN*SOFA-3']);
    expect(
      inShort(
        BY_940,
        mergeChange(BY_940, change, () => undefined),
      ),
    ).toEqual({ 'skus[SOFA-3].quantity': 0 });
  });
});
