/** What must hold once nothing is left to happen: every row accounted for, and every state true to what the upstream did. */

import { DEAD_LETTER_STATES } from '../../src/batch/core/dead-letters.ts';
import type { BatchProgress, IndexCheckpoint } from '../../src/batch/core/progress.ts';
import type { StoredBatchRequest, StoredRecord, Tally } from '../../src/batch/core/row.ts';
import { paired } from '../../src/batch/core/run.ts';
import { countedState, foldRow, followedState } from '../../src/delivery/outcome.ts';
import { isFinal, type RequestState } from '../../src/delivery/states.ts';
import {
  batchName,
  loadName,
  type OrderFeedKey,
  orderName,
  registerName,
  requestKey,
  sourceKey,
} from '../../src/kernel/names.ts';
import type { CompiledMapping } from '../../src/mapping/compile/compile.ts';
import { mapFile } from '../../src/mapping/compile/map-file.ts';
import { loadNumberOf, orderRefOf } from '../../src/mapping/request.ts';
import type { StoredAttempt, StoredRequest } from '../../src/tracking/request.ts';
import { noStrangers, type RequestEnd, requestViolations } from '../invariants/requests.ts';
import { everyRowThere } from '../invariants/rows.ts';
import { changedFinals, keptOf, messagesOf, rowsOf } from './batch-rows.ts';
import { checkFeed } from './check-feed.ts';
import { checkOrder } from './check-order.ts';
import type { OrderLives } from './order-lives.ts';
import { type Partner, SCAC, SCOPE } from './partner.ts';
import { isOnlyUnconfirmed, OpenInBatches } from './quiet.ts';
import type { Directory, Files } from './stores.ts';
import type { Upstream } from './upstream.ts';
import type { Witness } from './witness.ts';
import type { Home, World } from './world.ts';

interface Evidence {
  world: World;
  witness: Witness;
  upstream: Upstream;
  partner: Partner;
  files: Files;
  directory: Directory;
  mappings: Readonly<Record<string, CompiledMapping>>;
  lives: OrderLives;
}

/** Whether a request is open for good reason: a person must decide. */
const isDone = (state: RequestState): boolean => isFinal(state) || state === 'held' || state === 'coalesced';

export async function checkEnd(evidence: Evidence): Promise<void> {
  const { world, witness, upstream } = evidence;
  checkClaims(evidence);
  const subjects = new Map<string, Map<string, StoredRequest>>();
  const open = new OpenInBatches(world);
  for (const home of world.homes.values()) {
    if (home.className === 'Load' || home.className === 'Order')
      subjects.set(keyOf(home), checkSubject(home, { world, witness, open }));
    if (home.className === 'Order') checkOrder(home, upstream, witness);
  }
  const known = new Set<string>();
  for (const home of world.homes.values()) {
    if (home.className === 'Batch') await checkBatch(home, evidence, subjects, known);
  }
  if (evidence.lives.isFollowed) checkFeed(world, evidence.lives, witness);
  for (const requests of subjects.values()) witness.found(noStrangers(requests.keys(), known));
}

const keyOf = ({ className, name }: Home): string => `${className} ${name}`;

interface RegisteredBatch {
  batch_id: string;
  created: number;
  state: string;
}

/** I1, I2, I16. */
function checkClaims({ world, witness, partner, files }: Evidence): void {
  const register = world.homes.get(`IntakeRegister ${registerName(SCOPE)}`);
  const registered = register?.database.read<RegisteredBatch>('SELECT batch_id, created, state FROM batch') ?? [];
  const byId = new Map(registered.map((row) => [row.batch_id, row]));
  for (const { batch_id, created } of registered) {
    if (created === 0) witness.breach('I12', `batch ${batch_id} was claimed and never created`);
  }
  const batchOf = (batchId: string) => world.homes.get(`Batch ${batchName(SCOPE, batchId)}`);
  const claimed =
    register?.database.read<{ upload_id: string; batch_id: string }>('SELECT upload_id, batch_id FROM message') ?? [];
  for (const { upload_id, batch_id } of claimed) {
    if (!messagesOf(batchOf(batch_id)).some((part) => part.upload_id === upload_id))
      witness.breach('I12', `message ${upload_id} was claimed and never placed`);
  }
  for (const { batchId, message, uploadId, sha256 } of partner.receipts) {
    const sent = partner.sent.get(uploadId);
    const isKept = byId.has(batchId) && keptOf(batchOf(batchId), 'ticket') !== undefined;
    if (!isKept) witness.breach('I1', `batch ${batchId} was promised and is not there`);
    const isThere = message === null || messagesOf(batchOf(batchId)).some((part) => part.upload_id === uploadId);
    if (!isThere) witness.breach('I1', `message ${message} of ${batchId} was promised and is not there`);
    if (!files.stored.has(sourceKey(SCOPE, uploadId))) witness.breach('I1', `the bytes of ${uploadId} are gone`);
    if (sent?.ticket.sha256 !== sha256) witness.breach('I2', `the bytes of ${uploadId} are others`);
  }
  const firsts = new Map<string, string>();
  for (const { batch_id } of registered) {
    const ticket = partner.sent.get(batch_id)?.ticket;
    if (ticket === undefined || ticket.forced === true || ticket.message === true) continue;
    if (keptOf<BatchProgress>(batchOf(batch_id), 'progress')?.claimsNothing === true) continue;
    const claim = JSON.stringify([ticket.mappingSha256, ticket.sha256, ticket.scac]);
    const first = firsts.get(claim);
    if (first !== undefined) witness.breach('I16', `one file became batch ${first} and batch ${batch_id}`);
    firsts.set(claim, batch_id);
  }
}

interface LookedAt extends Pick<Evidence, 'world' | 'witness'> {
  open: OpenInBatches;
}

/** I4, I7, I8, I9, I12 of a load or an order. @returns its requests by key. */
function checkSubject(home: Home, { world, witness, open }: LookedAt): Map<string, StoredRequest> {
  const { database } = home;
  const requests = database.read<StoredRequest>('SELECT * FROM request ORDER BY seq');
  const bySeq = new Map(requests.map((request) => [request.seq, request]));
  const attempts = Map.groupBy(
    database.read<StoredAttempt>('SELECT * FROM attempt ORDER BY seq, attempt'),
    ({ seq }) => seq,
  );
  const ends: RequestEnd[] = [];
  for (const request of requests) {
    const carrier = request.state === 'coalesced' ? bySeq.get(request.into_seq ?? 0) : request;
    if (carrier === undefined) {
      witness.breach('I12', `${request.key} travels in nothing`);
      continue;
    }
    const like = request.awaits_seq === null ? undefined : bySeq.get(request.awaits_seq);
    const waits =
      (like !== undefined && !isFinal(like.state)) ||
      (request.lane === 'operations' && requests.some(({ seq, state }) => state === 'held' && seq < request.seq));
    if (!isDone(carrier.state) && !waits) witness.breach('I12', `${request.key} ended as ${carrier.state}`);
    ends.push({
      key: request.key,
      kind: request.kind,
      state: carrier.state,
      outcome: carrier.outcome,
      isMarked: carrier.possible_duplicate === 1,
      attempts: attempts.get(carrier.seq) ?? [],
      areItsOwn: carrier === request,
      done: witness.applied.get(request.key) ?? 0,
    });
  }
  witness.found(requestViolations(ends));
  checkEquals(requests, bySeq, witness);
  checkOrderOfRows(requests, witness);
  const [untold] = database.read<{ seq: number }>('SELECT seq FROM outbox LIMIT 1');
  // It may keep what its batch has stored and did not confirm: I19 compares them.
  if (untold !== undefined && !isOnlyUnconfirmed(home, world, open))
    witness.breach('I12', `${home.name}: the outcome of ${untold.seq} was never told`);
  return new Map(requests.map((request) => [request.key, request]));
}

/** I10: a batch brings its rows in their order. A retry is a later generation. */
function checkOrderOfRows(requests: readonly StoredRequest[], witness: Witness): void {
  const firsts = requests.filter(({ generation }) => generation === 1);
  for (const [, own] of Map.groupBy(firsts, ({ batch_id }) => batch_id)) {
    for (const [index, { key, record, request }] of own.entries()) {
      const before = own[index - 1];
      if (before === undefined || before.record < record) continue;
      if (before.record > record || before.request > request) witness.breach('I10', `${key} came after ${before.key}`);
    }
  }
}

/** I16: of events that say the same one is delivered; another one only where the first may not have arrived, and marked. */
function checkEquals(
  requests: readonly StoredRequest[],
  bySeq: ReadonlyMap<number, StoredRequest>,
  witness: Witness,
): void {
  const delivered = requests.filter(({ business_key, state, into_seq }) => {
    const shown = state === 'coalesced' ? bySeq.get(into_seq ?? 0)?.state : state;
    return business_key !== null && shown === 'delivered';
  });
  for (const [, equal] of Map.groupBy(delivered, ({ business_key }) => business_key)) {
    for (const { key, forced, possible_duplicate, into_seq } of equal.slice(1)) {
      const isMarked = possible_duplicate === 1 || bySeq.get(into_seq ?? 0)?.possible_duplicate === 1;
      if (forced === 0 && !isMarked) witness.breach('I16', `${key} repeats ${equal[0]?.key}, unmarked`);
    }
  }
}

async function checkBatch(
  home: Home,
  { witness, partner, mappings, world, directory }: Evidence,
  subjects: ReadonlyMap<string, Map<string, StoredRequest>>,
  known: Set<string>,
): Promise<void> {
  const progress = keptOf<BatchProgress>(home, 'progress');
  const batchId = JSON.parse(home.name)[2] as string;
  const parts = partsOf(home, batchId, partner, witness);
  if (progress === undefined || parts === undefined) return witness.breach('I1', `${home.name} was never created`);
  const { records, requests, tally, deliveredByMinute, undelivered } = rowsOf(home.database);
  for (const what of changedFinals(home.database)) witness.breach('I4', `${batchId}: ${what}`);
  const sent = parts.reduce((sum, part) => sum + part.records, 0);
  witness.found(everyRowThere(`batch ${batchId}`, sent, records));
  const isHeld = requests.some(({ state, into_state }) => {
    const shown = followedState(state, into_state);
    return shown === 'held' || shown === 'queued'; // it may wait behind a held one: its subject is asked
  });
  if (progress.state !== 'settled' && !isHeld) witness.breach('I12', `${batchId} ended as ${progress.state}`);
  const registered = world.homes
    .get(`IntakeRegister ${registerName(SCOPE)}`)
    ?.database.read('SELECT 1 FROM batch WHERE batch_id = ? AND state <> ?', batchId, 'open');
  const isTold = registered?.length === 1;
  if (progress.state === 'settled' && !isTold) witness.breach('I12', `the end of ${batchId} was not told`);
  for (const part of parts) {
    const end = part.before + part.records;
    const own = requests.filter(({ record }) => record > part.before && record <= end);
    await checkBodies(batchId, { ...part, pair: partner.pair }, mappings[part.mapping], own, witness);
  }
  for (const request of requests) checkReported(request, { batchId, subjects, known, witness });
  checkIndexed(batchId, home, directory, witness);
  checkCounts(batchId, tally, records, requests, witness);
  const delivered = requests.filter((request) => followedState(request.state, request.into_state) === 'delivered');
  if (delivered.length !== deliveredByMinute)
    witness.breach('I19', `${batchId}: ${delivered.length} are delivered, by the minute ${deliveredByMinute}`);
  checkUndelivered(batchId, undelivered, records, requests, witness);
}

/** What a batch takes for written stands in the index, whatever came late. */
function checkIndexed(batchId: string, home: Home, directory: Directory, witness: Witness): void {
  const mark = keptOf<IndexCheckpoint>(home, 'indexed');
  if (mark === undefined) witness.breach('I12', `${batchId} never wrote to the index`);
  const { revision, written_at_ms, dollars: _, ...row } = directory.index.get(batchId) ?? {};
  const isWritten = mark !== undefined && mark.written !== null && revision === mark.revision; // else the next write is to come
  if (isWritten && JSON.stringify(row) !== mark.written)
    witness.breach('I3', `the index shows ${batchId} as it is not`);
}

/** What was sent at once, and how many records of its batch came before it. */
interface SentPart {
  text: string;
  records: number;
  mapping: string;
  before: number;
}

/** The file of a batch, or its messages in the order in which they were read. */
function partsOf(home: Home, batchId: string, partner: Partner, witness: Witness): SentPart[] | undefined {
  const partOf = (uploadId: string, before: number): SentPart[] => {
    const sent = partner.sent.get(uploadId);
    return sent === undefined ? [] : [{ ...sent, mapping: sent.ticket.mapping, before }];
  };
  const messages = messagesOf(home);
  if (messages.length === 0) return partOf(batchId, 0).length === 0 ? undefined : partOf(batchId, 0);
  for (const { upload_id, records } of messages) {
    const sent = partner.sent.get(upload_id)?.records;
    if (records !== sent) witness.breach('I3', `message ${upload_id}: ${sent} records came in, ${records} are known`);
  }
  return messages.flatMap(({ upload_id, records_before }) => partOf(upload_id, records_before ?? 0));
}

/** I20: what was mapped in slices, with deaths between them, is what the file says when read at once. */
async function checkBodies(
  batchId: string,
  { text, before, pair }: SentPart & { pair: OrderFeedKey | null },
  mapping: CompiledMapping | undefined,
  requests: readonly StoredBatchRequest[],
  witness: Witness,
): Promise<void> {
  if (mapping === undefined) return;
  const bytes = new TextEncoder().encode(text);
  const source = {
    bytes: bytes.byteLength,
    read: async (at: number, length: number) => bytes.slice(at, at + length),
  };
  const expected = new Map<string, string>();
  for await (const step of mapFile(mapping, source)) {
    if (step.outcome !== 'records') continue;
    for (const { position, mapped } of step.records) {
      for (const [index, request] of mapped.requests.entries()) {
        const { body } = pair === null ? request : paired({ ...request, scac: SCAC }, pair);
        expected.set(`${position.record + before}/${index + 1}`, JSON.stringify([request.subject, body]));
      }
    }
  }
  for (const { record, request, subject, body } of requests) {
    const place = `${record}/${request}`;
    if (expected.get(place) !== `[${JSON.stringify(subject)},${body}]`) {
      witness.breach('I20', `${batchId} ${place}: its body is not what the file says`);
    }
    expected.delete(place);
  }
  const replaces = text.includes('_batch');
  if (expected.size > 0 && !replaces) witness.breach('I3', `${batchId}: ${[...expected.keys()].join(' ')} were lost`);
}

/** I19: the report says what the subject knows. */
function checkReported(
  row: StoredBatchRequest,
  at: {
    batchId: string;
    subjects: ReadonlyMap<string, Map<string, StoredRequest>>;
    known: Set<string>;
    witness: Witness;
  },
): void {
  const { batchId, witness } = at;
  for (let generation = 1; generation <= row.generation; generation += 1) {
    at.known.add(requestKey(batchId, row.record, row.request, generation));
  }
  const key = requestKey(batchId, row.record, row.request, row.generation);
  const isOrder = row.subject.startsWith('order:');
  const name = isOrder
    ? `Order ${orderName(SCOPE, orderRefOf(row.subject))}`
    : `Load ${loadName(SCOPE, row.scac, loadNumberOf(row.subject))}`;
  const own = at.subjects.get(name)?.get(key);
  if (own === undefined) {
    if (row.state !== 'cancelled') witness.breach('I3', `${key} is ${row.state} and its subject does not know it`);
    return;
  }
  if (own.body !== row.body) witness.breach('I20', `${key} has another body at its subject`);
  if (own.state !== row.state) witness.breach('I19', `${key} is ${own.state} and reported as ${row.state}`);
  if (own.attempts !== row.attempts)
    witness.breach('I19', `${key}: ${own.attempts} attempts, ${row.attempts} reported`);
}

function checkCounts(
  batchId: string,
  tally: Tally,
  records: readonly StoredRecord[],
  requests: readonly StoredBatchRequest[],
  witness: Witness,
): void {
  const counted = { records: {} as Record<string, number>, requests: {} as Record<string, number> };
  const statesOf = new Map<number, RequestState[]>();
  for (const { record, state, into_state } of requests) {
    const shown = countedState(state, into_state);
    counted.requests[shown] = (counted.requests[shown] ?? 0) + 1;
    statesOf.set(record, [...(statesOf.get(record) ?? []), followedState(state, into_state)]);
  }
  for (const { record, state, group_record } of records) {
    counted.records[state] = (counted.records[state] ?? 0) + 1;
    const states = statesOf.get(group_record ?? record);
    if (states !== undefined && state !== 'invalid' && state !== foldRow(states)) {
      witness.breach('I19', `${batchId}: record ${record} is ${state}, its requests say ${foldRow(states)}`);
    }
  }
  if (sorted(counted.records) !== sorted(tally.records) || sorted(counted.requests) !== sorted(tally.requests)) {
    witness.breach('I19', `${batchId}: counts ${JSON.stringify(tally)}, rows say ${JSON.stringify(counted)}`);
  }
}

/** I19: what is found as undelivered is what the rows say, no more and no less. */
function checkUndelivered(
  batchId: string,
  found: readonly { record: number; request: number; state: string }[],
  records: readonly StoredRecord[],
  requests: readonly StoredBatchRequest[],
  witness: Witness,
): void {
  const ofRequests = requests.map(({ record, request, state, into_state }) => ({
    ...{ record, request, state: followedState(state, into_state) as string },
  }));
  const ofRows = records.map(({ record, state }) => ({ record, request: 0, state: state as string }));
  const named = ({ record, request, state }: { record: number; request: number; state: string }): string =>
    `${record}/${request} ${state}`;
  const wanted = [
    ...ofRequests.filter(({ state }) => state !== 'invalid' && DEAD_LETTER_STATES.some((each) => each === state)),
    ...ofRows.filter(({ state }) => state === 'invalid'),
  ].map(named);
  const shown = found.map(named);
  if (shown.toSorted().join() !== wanted.toSorted().join())
    witness.breach('I19', `${batchId}: undelivered are ${wanted.join()}, found are ${shown.join()}`);
}

const sorted = (counts: object): string => JSON.stringify(Object.entries(counts).sort());
