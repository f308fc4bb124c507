/** What the operators' view of undelivered work asks of registers, batches and subjects: ports of the caller. */

import type { ReplayPlan, ReplayWanted } from '../../batch/actions/replay.ts';
import type { Letter, LetterFilter, LetterMark, LetterWhole } from '../../batch/core/letters.ts';
import type { RequestPlace } from '../../delivery/outcome.ts';
import type { ListedBatch } from '../../intake/register.ts';
import { loadName, orderName, type PartnerScope } from '../../kernel/names.ts';
import type { Result } from '../../kernel/result.ts';
import { loadNumberOf, orderRefOf, orderSubject } from '../../mapping/request.ts';
import type { DecisionAsked, DecisionMade, DecisionRefusal, SubjectHistory } from '../../tracking/subject-decision.ts';
import type { PartnerList } from '../directory/partner-list.ts';

export interface LetterRegister {
  knows(batchId: string): Promise<boolean>;
  list(before: number | null, limit: number): Promise<ListedBatch[]>;
}

export interface LetterBatch {
  letters(filter: LetterFilter, after: LetterMark, limit: number): Promise<Letter[]>;
  letter(place: LetterMark): Promise<LetterWhole | undefined>;
  planReplay(wanted: ReplayWanted): Promise<ReplayPlan>;
}

export interface LetterSubject {
  history(place: RequestPlace): Promise<SubjectHistory>;
  decide(asked: DecisionAsked): Promise<Result<DecisionMade, DecisionRefusal>>;
}

export interface LetterPorts {
  partners: Pick<PartnerList, 'names'>;
  register(scope: PartnerScope): LetterRegister;
  batch(scope: PartnerScope, batchId: string): LetterBatch;
  load(name: string): LetterSubject;
  order(name: string): LetterSubject;
}

/** @param found as its batch names it. */
export function subjectOf(
  ports: LetterPorts,
  scope: PartnerScope,
  found: { subject: string; scac: string },
): LetterSubject {
  return found.subject.startsWith(orderSubject(''))
    ? ports.order(orderName(scope, orderRefOf(found.subject)))
    : ports.load(loadName(scope, found.scac, loadNumberOf(found.subject)));
}
