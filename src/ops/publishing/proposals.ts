/** Mappings that partners propose, in D1: an operator publishes or declines each, and says why. */
import { iso } from '../../kernel/clock.ts';
import { timeSortedId } from '../../kernel/ids.ts';
import type { Environment, PartnerScope } from '../../kernel/names.ts';
import { err, ok, type Result } from '../../kernel/result.ts';
import { type DirectoryUnavailable, directoryReached } from '../directory/directory.ts';
import { PROPOSALS_OPEN_MAX, PROPOSALS_SHOWN_MAX } from './limits.ts';

export const PROPOSAL_STATES = ['open', 'published', 'declined', 'withdrawn'] as const;
type ProposalState = (typeof PROPOSAL_STATES)[number];

export interface ListedProposal {
  id: string;
  partner: string;
  name: string;
  note: string;
  proposedAt: string;
  state: ProposalState;
  decidedBy: string | null;
  decidedAt: string | null;
  reason: string | null;
}

export interface Proposal extends ListedProposal {
  written: string;
  codeLists: string[];
}

export type ProposalRefusal =
  | DirectoryUnavailable
  | { code: 'proposal_unknown' }
  | { code: 'proposal_decided'; state: ProposalState }
  | { code: 'too_many_proposals'; most: number };

interface NewProposal {
  environment: Environment;
  partner: string;
  name: string;
  written: string;
  codeLists: readonly string[];
  note: string;
  keyId: string;
}

/** @property partner null: an operator, who sees all of them. */
export interface ProposalReader {
  environment: Environment;
  partner: string | null;
}

const LINE =
  'proposal_id AS id, partner, name, note, proposed_at AS proposedAt, state, decided_by AS decidedBy, ' +
  'decided_at AS decidedAt, reason';

/** @property isCut there are more. */
interface ProposalList {
  proposals: ListedProposal[];
  isCut: boolean;
}

export type Proposals = ReturnType<typeof proposalsOf>;

export function proposalsOf(database: D1Database, nowMs: () => number) {
  const find = async ({ environment, partner }: ProposalReader, id: string): Promise<Proposal | null> => {
    const sql = `SELECT ${LINE}, written, code_lists AS codeLists FROM mapping_proposal
                 WHERE environment = ?1 AND proposal_id = ?2 AND (?3 IS NULL OR partner = ?3)`;
    const row = await database
      .prepare(sql)
      .bind(environment, id, partner)
      .first<Omit<Proposal, 'codeLists'> & { codeLists: string }>();
    return row === null ? null : { ...row, codeLists: JSON.parse(row.codeLists) as string[] };
  };
  return {
    propose: (asked: NewProposal): Promise<Result<{ id: string }, ProposalRefusal>> =>
      directoryReached<{ id: string }, ProposalRefusal>(async () => {
        const { environment, partner, name, written, codeLists, note, keyId } = asked;
        const id = timeSortedId('p', nowMs(), crypto.getRandomValues(new Uint8Array(16)));
        // Counted in the same statement: two at once cannot both be the last one.
        const sql = `INSERT INTO mapping_proposal
                       (environment, proposal_id, partner, name, written, code_lists, note, proposed_by, proposed_at, state)
                     SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, 'open'
                     WHERE (SELECT count(*) FROM mapping_proposal
                            WHERE environment = ?1 AND partner = ?3 AND state = 'open') < ?10`;
        const inserted = await database
          .prepare(sql)
          .bind(
            environment,
            id,
            partner,
            name,
            written,
            JSON.stringify(codeLists),
            note,
            keyId,
            iso(nowMs()),
            PROPOSALS_OPEN_MAX,
          )
          .run();
        return inserted.meta.changes > 0 ? ok({ id }) : err({ code: 'too_many_proposals', most: PROPOSALS_OPEN_MAX });
      }),
    /** Those that wait for a decision first, each newest first. @param state null: any. */
    list: ({ environment, partner }: ProposalReader, state: ProposalState | null) =>
      directoryReached<ProposalList, never>(async () => {
        const sql = `SELECT ${LINE} FROM mapping_proposal
                     WHERE environment = ?1 AND (?2 IS NULL OR partner = ?2) AND (?3 IS NULL OR state = ?3)
                     ORDER BY state <> 'open', proposed_at DESC, proposal_id DESC LIMIT ?4`;
        const found = await database
          .prepare(sql)
          .bind(environment, partner, state, PROPOSALS_SHOWN_MAX + 1)
          .all<ListedProposal>();
        const proposals = found.results.slice(0, PROPOSALS_SHOWN_MAX);
        return ok({ proposals, isCut: found.results.length > proposals.length });
      }),
    /** All that a partner ever proposed, newest first. */
    idsOf: ({ environment, partner }: PartnerScope) =>
      directoryReached<string[], never>(async () => {
        const sql = `SELECT proposal_id AS id FROM mapping_proposal WHERE environment = ? AND partner = ?
                     ORDER BY proposed_at DESC, proposal_id DESC`;
        const found = await database.prepare(sql).bind(environment, partner).all<{ id: string }>();
        return ok(found.results.map(({ id }) => id));
      }),
    find: (reader: ProposalReader, id: string): Promise<Result<Proposal, ProposalRefusal>> =>
      directoryReached<Proposal, ProposalRefusal>(async () => {
        const found = await find(reader, id);
        return found === null ? err({ code: 'proposal_unknown' }) : ok(found);
      }),
    /** Once: whoever comes second is told what became of it. */
    decide: (
      reader: ProposalReader,
      id: string,
      { state, by, reason }: { state: Exclude<ProposalState, 'open'>; by: string; reason: string },
    ): Promise<Result<Proposal, ProposalRefusal>> =>
      directoryReached<Proposal, ProposalRefusal>(async () => {
        const sql = `UPDATE mapping_proposal SET state = ?4, decided_by = ?5, decided_at = ?6, reason = ?7
                     WHERE environment = ?1 AND proposal_id = ?2 AND (?3 IS NULL OR partner = ?3) AND state = 'open'`;
        const { environment, partner } = reader;
        const updated = await database
          .prepare(sql)
          .bind(environment, id, partner, state, by, iso(nowMs()), reason)
          .run();
        const found = await find(reader, id);
        if (found === null) return err({ code: 'proposal_unknown' });
        return updated.meta.changes > 0 ? ok(found) : err({ code: 'proposal_decided', state: found.state });
      }),
  };
}
