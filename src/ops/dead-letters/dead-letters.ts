/**
 * Everything of an environment that was not delivered, partner by partner, newest batch first, in record order; and one
 * dead letter with all details.
 * Never a scan of loads or orders: the directory lists partners, their registers list batches, and those know their
 * rows.
 */

import type { ReplayedFrom, ReplayPlan, ReplayWanted } from '../../batch/actions/replay.ts';
import type {
  DeadLetter,
  DeadLetterCheckpoint,
  DeadLetterFilter,
  WholeDeadLetter,
} from '../../batch/core/dead-letters.ts';
import type { BatchTicket } from '../../batch/core/ticket.ts';
import type { RequestLocation } from '../../delivery/outcome.ts';
import type { ListedBatch } from '../../intake/register.ts';
import { BATCHES_PAGE_MAX, DEAD_LETTER_BATCHES_MAX } from '../../kernel/limits.ts';
import { type Environment, loadName, orderName, type PartnerScope } from '../../kernel/names.ts';
import { err, ok, type Result } from '../../kernel/result.ts';
import { loadNumberOf, orderRefOf, orderSubject } from '../../mapping/request.ts';
import type { DecisionMade, DecisionRefusal, DecisionRequest, SubjectHistory } from '../../tracking/decisions.ts';
import type { PartnerList } from '../directory/directory.ts';

/* Where a page of dead letters continues: partner, its batch by number, and the last dead letter shown of it. */

/** @property seq of the batch in its register; 0 where one batch was requested by its id. */
export interface DeadLetterCursor {
  partner: string;
  seq: number;
  after: DeadLetterCheckpoint;
}

/** After every dead letter of a batch. */
export const BATCH_END: DeadLetterCheckpoint = { record: Number.MAX_SAFE_INTEGER, request: 0 };

export function writeCursor({ partner, seq, after }: DeadLetterCursor): string {
  const bytes = new TextEncoder().encode(JSON.stringify([partner, seq, after.record, after.request]));
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');
}

export function readCursor(text: string): Result<DeadLetterCursor, 'unreadable'> {
  let read: unknown;
  try {
    const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'));
    read = JSON.parse(new TextDecoder().decode(Uint8Array.from(binary, (character) => character.charCodeAt(0))));
  } catch {
    return err('unreadable');
  }
  if (!Array.isArray(read) || read.length !== 4) return err('unreadable');
  const [partner, seq, record, request] = read as unknown[];
  if (typeof partner !== 'string' || !isCount(seq) || !isCount(record) || !isCount(request)) return err('unreadable');
  return ok({ partner, seq, after: { record, request } });
}

const isCount = (value: unknown): value is number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;

/* What the operators' view of dead letters needs of registers, batches and subjects: ports of the caller. */

export interface DeadLetterRegister {
  knows(batchId: string): Promise<boolean>;
  list(before: number | null, limit: number): Promise<ListedBatch[]>;
}

interface DeadLetterBatch {
  deadLetters(filter: DeadLetterFilter, after: DeadLetterCheckpoint, limit: number): Promise<DeadLetter[]>;
  deadLetter(place: DeadLetterCheckpoint): Promise<WholeDeadLetter | undefined>;
  planReplay(wanted: ReplayWanted): Promise<ReplayPlan & ReplayedFrom>;
}

interface DeadLetterSubject {
  history(place: RequestLocation): Promise<SubjectHistory>;
  decide(asked: DecisionRequest): Promise<Result<DecisionMade, DecisionRefusal>>;
}

export interface DeadLetterPorts {
  partners: Pick<PartnerList, 'names'>;
  register(scope: PartnerScope): DeadLetterRegister;
  batch(scope: PartnerScope, batchId: string): DeadLetterBatch;
  load(name: string): DeadLetterSubject;
  order(name: string): DeadLetterSubject;
}

/** @param found as its batch names it. */
export function subjectOf(
  ports: Pick<DeadLetterPorts, 'load' | 'order'>,
  scope: PartnerScope,
  found: { subject: string; scac: string },
): DeadLetterSubject {
  return found.subject.startsWith(orderSubject(''))
    ? ports.order(orderName(scope, orderRefOf(found.subject)))
    : ports.load(loadName(scope, found.scac, loadNumberOf(found.subject)));
}

/** null: any. */
interface DeadLettersRequest {
  environment: Environment;
  partner: string | null;
  batchId: string | null;
  filter: DeadLetterFilter;
  cursor: DeadLetterCursor | null;
  limit: number;
}

export type PartnerDeadLetter = DeadLetter & { partner: string };

/** @property next null: there are no more. A page may be short although there are. */
interface DeadLettersPage {
  letters: PartnerDeadLetter[];
  next: DeadLetterCursor | null;
}

export type DeadLettersRefusal = { code: 'directory_unavailable' } | { code: 'partner_unknown'; partner: string };

const START: DeadLetterCheckpoint = { record: 0, request: -1 };

export async function listDeadLetters(
  ports: DeadLetterPorts,
  asked: DeadLettersRequest,
): Promise<Result<DeadLettersPage, DeadLettersRefusal>> {
  const partners = await partnersRequested(ports, asked);
  if (!partners.ok) return partners;
  const { environment, cursor, filter, limit } = asked;
  const letters: PartnerDeadLetter[] = [];
  let batchesLeft = DEAD_LETTER_BATCHES_MAX;
  for (const partner of partners.value) {
    if (cursor !== null && partner < cursor.partner) continue;
    const from = cursor?.partner === partner ? cursor : null;
    for await (const { batchId, seq } of batchesOf(ports, { environment, partner }, asked.batchId, from)) {
      const after = from?.seq === seq ? from.after : START;
      const room = limit - letters.length;
      const found = await ports.batch({ environment, partner }, batchId).deadLetters(filter, after, room);
      letters.push(...found.map((letter) => ({ partner, ...letter })));
      batchesLeft -= 1;
      const last = found.at(-1);
      if (last !== undefined && found.length === room) {
        return ok({ letters, next: { partner, seq, after: { record: last.record, request: last.request } } });
      }
      if (batchesLeft === 0) return ok({ letters, next: { partner, seq, after: BATCH_END } });
    }
  }
  return ok({ letters, next: null });
}

export async function partnersRequested(
  { partners }: Pick<DeadLetterPorts, 'partners'>,
  { environment, partner }: Pick<DeadLettersRequest, 'environment' | 'partner'>,
): Promise<Result<string[], DeadLettersRefusal>> {
  const names = await partners.names(environment);
  if (!names.ok || partner === null) return names;
  return names.value.includes(partner) ? ok([partner]) : err({ code: 'partner_unknown', partner });
}

/** Newest first; a continued page begins in the batch it stopped in. */
async function* batchesOf(
  ports: DeadLetterPorts,
  scope: PartnerScope,
  only: string | null,
  from: DeadLetterCursor | null,
): AsyncGenerator<{ batchId: string; seq: number }> {
  const register = ports.register(scope);
  if (only === null) yield* sentBatches(register, from === null ? null : from.seq + 1);
  else if (await register.knows(only)) yield { batchId: only, seq: 0 };
}

/** All but dry runs, newest first. */
async function* sentBatches(
  register: Pick<DeadLetterRegister, 'list'>,
  from: number | null,
): AsyncGenerator<{ batchId: string; seq: number }> {
  for (let before = from; ; ) {
    const page = await register.list(before, BATCHES_PAGE_MAX);
    for (const { batch_id, seq, ticket } of page) {
      if (!(JSON.parse(ticket) as BatchTicket).dryRun) yield { batchId: batch_id, seq };
    }
    const last = page.at(-1);
    if (last === undefined || page.length < BATCHES_PAGE_MAX) return;
    before = last.seq;
  }
}

interface DeadLetterRequest {
  environment: Environment;
  /** null: any partner. */
  partner: string | null;
  batchId: string;
  place: DeadLetterCheckpoint;
}

/** @property history null for a row that never became a request. */
export interface FoundDeadLetter {
  partner: string;
  whole: WholeDeadLetter;
  history: SubjectHistory | null;
}

export async function findDeadLetter(
  ports: DeadLetterPorts,
  asked: DeadLetterRequest,
): Promise<Result<FoundDeadLetter, DeadLettersRefusal | { code: 'letter_unknown' }>> {
  const owner = await ownerOf(ports, asked);
  if (!owner.ok) return owner;
  const scope = { environment: asked.environment, partner: owner.value };
  const whole = await ports.batch(scope, asked.batchId).deadLetter(asked.place);
  if (!whole) return err({ code: 'letter_unknown' });
  const { subject, scac } = whole;
  const history =
    subject === null || scac === null
      ? null
      : await subjectOf(ports, scope, { subject, scac }).history({ batchId: asked.batchId, ...asked.place });
  return ok({ partner: owner.value, whole, history });
}

/** Checks the register first, so that a made-up id never creates an object. */
export async function ownerOf(
  ports: Pick<DeadLetterPorts, 'partners' | 'register'>,
  { environment, partner, batchId }: Pick<DeadLetterRequest, 'environment' | 'partner' | 'batchId'>,
): Promise<Result<string, DeadLettersRefusal | { code: 'letter_unknown' }>> {
  const partners = await partnersRequested(ports, { environment, partner });
  if (!partners.ok) return partners;
  for (const name of partners.value) {
    if (await ports.register({ environment, partner: name }).knows(batchId)) return ok(name);
  }
  return err({ code: 'letter_unknown' });
}
