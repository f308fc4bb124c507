/** What must hold of an order at the end: what the bridge believes it to be is what the upstream has, and differences counted once. */
import type { OrderChange } from '../../src/mapping/request.ts';
import type { StoredRequest } from '../../src/tracking/request.ts';
import type { StoredOperation } from '../../src/tracking/store/subject-tables.ts';
import { sameDocument, sameEnd } from '../invariants/orders.ts';
import { COUNTED_SKU } from './files.ts';
import type { Upstream, UpstreamOrder } from './upstream.ts';
import type { Witness } from './witness.ts';
import type { Home } from './world.ts';

interface AcceptedRow {
  seq: number;
  incarnation: number;
  order_id: string;
  document: string;
}

export function checkOrder(home: Home, upstream: Upstream, witness: Witness): void {
  const { database, name } = home;
  const accepted = database.read<AcceptedRow>('SELECT * FROM accepted ORDER BY seq');
  const ended = new Set(
    database.read<{ incarnation: number }>('SELECT incarnation FROM ended').map(({ incarnation }) => incarnation),
  );
  const requests = database.read<StoredRequest>('SELECT * FROM request ORDER BY seq');
  const operations = new Map(database.read<StoredOperation>('SELECT * FROM operation').map((each) => [each.seq, each]));
  for (const [incarnation, versions] of Map.groupBy(accepted, (row) => row.incarnation)) {
    const last = versions.at(-1);
    const order = upstream.orders.find(({ id }) => id === last?.order_id);
    if (last === undefined || order === undefined) continue; // I8 tells of an order that is not there
    if (!isOpen(requests, operations, incarnation)) {
      witness.found(
        sameEnd(`${name}, incarnation ${incarnation},`, ended.has(incarnation), order.cancelledMs !== null),
      );
    }
    if (isDoubtful(requests, operations, incarnation, last.seq)) continue;
    witness.found(sameDocument(name, JSON.parse(last.document), order.document));
    checkCounted(name, { requests, operations, incarnation }, order, versions[0], witness);
  }
}

/** A person has still to decide about something that may have been done. */
const isOpen = (
  requests: readonly StoredRequest[],
  operations: ReadonlyMap<number, StoredOperation>,
  incarnation: number,
): boolean =>
  requests.some(
    ({ seq, state, outcome }) =>
      operations.get(seq)?.incarnation === incarnation &&
      (state === 'held' || (state === 'dead' && outcome === 'unknown')),
  );

/** An update behind the last accepted one may have been done. */
const isDoubtful = (
  requests: readonly StoredRequest[],
  operations: ReadonlyMap<number, StoredOperation>,
  incarnation: number,
  after: number,
): boolean =>
  isOpen(
    requests.filter(({ seq }) => seq > after),
    operations,
    incarnation,
  );

/** I26: each named difference that was delivered stands in the quantity once, whatever files it came in. */
function checkCounted(
  name: string,
  {
    requests,
    operations,
    incarnation,
  }: { requests: readonly StoredRequest[]; operations: ReadonlyMap<number, StoredOperation>; incarnation: number },
  order: UpstreamOrder,
  first: AcceptedRow | undefined,
  witness: Witness,
): void {
  const counted = new Set<string>();
  let wanted = quantityIn(JSON.parse(first?.document ?? '{}'));
  if (wanted === null) return;
  for (const { seq, state, body } of requests) {
    const operation = operations.get(seq);
    if (state !== 'delivered' || operation?.does !== 'update' || operation.incarnation !== incarnation) continue;
    const { changeRef, order: members } = JSON.parse(body) as OrderChange;
    const more = (members as { skus?: { more?: number }[] }).skus?.[0]?.more;
    if (more === undefined || changeRef === undefined || counted.has(changeRef)) continue;
    counted.add(changeRef);
    wanted += more;
  }
  const received = quantityIn(order.document);
  if (received !== wanted)
    witness.breach('I26', `${name}: ${wanted} of ${COUNTED_SKU} were ordered, upstream stand ${received}`);
}

function quantityIn(document: unknown): number | null {
  const { skus = [] } = document as { skus?: { sku: string; quantity: number }[] };
  return skus.find(({ sku }) => sku === COUNTED_SKU)?.quantity ?? null;
}
