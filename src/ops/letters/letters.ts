/**
 * Everything of an environment that did not arrive, partner by partner, newest batch first, in record order; and one of them whole.
 *
 * Never a scan of loads or orders: the directory names partners, their registers name batches, and those know their rows.
 */
import type { Letter, LetterFilter, LetterMark, LetterWhole } from '../../batch/core/letters.ts';
import type { BatchTicket } from '../../batch/core/ticket.ts';
import { BATCHES_PAGE_MAX, LETTER_BATCHES_MAX } from '../../kernel/limits.ts';
import type { Environment, PartnerScope } from '../../kernel/names.ts';
import { err, ok, type Result } from '../../kernel/result.ts';
import type { SubjectHistory } from '../../tracking/subject-decision.ts';
import { BATCH_END, type LetterCursor } from './cursor.ts';
import { type LetterPorts, subjectOf } from './ports.ts';

/** null: any. */
export interface LettersAsked {
  environment: Environment;
  partner: string | null;
  batchId: string | null;
  filter: LetterFilter;
  cursor: LetterCursor | null;
  limit: number;
}

export type PartnerLetter = Letter & { partner: string };

/** @property next null: there are no more. A page may come short though there are. */
export interface LettersPage {
  letters: PartnerLetter[];
  next: LetterCursor | null;
}

export type LettersRefusal = { code: 'directory_unavailable' } | { code: 'partner_unknown'; partner: string };

const START: LetterMark = { record: 0, request: -1 };

export async function listLetters(
  ports: LetterPorts,
  asked: LettersAsked,
): Promise<Result<LettersPage, LettersRefusal>> {
  const partners = await partnersAsked(ports, asked);
  if (!partners.ok) return partners;
  const { environment, cursor, filter, limit } = asked;
  const letters: PartnerLetter[] = [];
  let batchesLeft = LETTER_BATCHES_MAX;
  for (const partner of partners.value) {
    if (cursor !== null && partner < cursor.partner) continue;
    const from = cursor?.partner === partner ? cursor : null;
    for await (const { batchId, seq } of batchesOf(ports, { environment, partner }, asked.batchId, from)) {
      const after = from?.seq === seq ? from.after : START;
      const room = limit - letters.length;
      const found = await ports.batch({ environment, partner }, batchId).letters(filter, after, room);
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

async function partnersAsked(
  { partners }: Pick<LetterPorts, 'partners'>,
  { environment, partner }: Pick<LettersAsked, 'environment' | 'partner'>,
): Promise<Result<string[], LettersRefusal>> {
  const names = await partners.names(environment);
  if (!names.ok || partner === null) return names;
  return names.value.includes(partner) ? ok([partner]) : err({ code: 'partner_unknown', partner });
}

/** Newest first; of a page that goes on, from the batch it stopped in. */
async function* batchesOf(
  ports: LetterPorts,
  scope: PartnerScope,
  only: string | null,
  from: LetterCursor | null,
): AsyncGenerator<{ batchId: string; seq: number }> {
  const register = ports.register(scope);
  if (only !== null) {
    if (await register.knows(only)) yield { batchId: only, seq: 0 };
    return;
  }
  for (let before = from === null ? null : from.seq + 1; ; ) {
    const page = await register.list(before, BATCHES_PAGE_MAX);
    for (const { batch_id, seq, ticket } of page) {
      if (!(JSON.parse(ticket) as BatchTicket).dryRun) yield { batchId: batch_id, seq };
    }
    const last = page.at(-1);
    if (last === undefined || page.length < BATCHES_PAGE_MAX) return;
    before = last.seq;
  }
}

export interface LetterAsked {
  environment: Environment;
  /** null: whose batch it is. */
  partner: string | null;
  batchId: string;
  place: LetterMark;
}

/** @property history null for a row that never became a request. */
export interface FoundLetter {
  partner: string;
  whole: LetterWhole;
  history: SubjectHistory | null;
}

export async function findLetter(
  ports: LetterPorts,
  asked: LetterAsked,
): Promise<Result<FoundLetter, LettersRefusal | { code: 'letter_unknown' }>> {
  const owner = await ownerOf(ports, asked);
  if (!owner.ok) return owner;
  const scope = { environment: asked.environment, partner: owner.value };
  const whole = await ports.batch(scope, asked.batchId).letter(asked.place);
  if (!whole) return err({ code: 'letter_unknown' });
  const { subject, scac } = whole;
  const history =
    subject === null || scac === null
      ? null
      : await subjectOf(ports, scope, { subject, scac }).history({ batchId: asked.batchId, ...asked.place });
  return ok({ partner: owner.value, whole, history });
}

/** The register is asked first, so that a made-up id never creates an object. */
export async function ownerOf(
  ports: Pick<LetterPorts, 'partners' | 'register'>,
  { environment, partner, batchId }: Pick<LetterAsked, 'environment' | 'partner' | 'batchId'>,
): Promise<Result<string, LettersRefusal | { code: 'letter_unknown' }>> {
  const partners = await partnersAsked(ports, { environment, partner });
  if (!partners.ok) return partners;
  for (const name of partners.value) {
    if (await ports.register({ environment, partner: name }).knows(batchId)) return ok(name);
  }
  return err({ code: 'letter_unknown' });
}
