/** What must be known of an EDIFACT interchange, or of a group, before its first message is told of. Pure. */
import { syntaxFor, type WrittenEdifactElement } from '../../formats/edifact/write.ts';
import { type EnvelopeProblem, elementText } from '../../formats/segments/segment.ts';
import { ACKNOWLEDGED, envelopeFault, groupLine, messageLines, REJECTED } from './contrl-lines.ts';
import { type Judged, type SetVerdict, sharesFault } from './judge.ts';

export interface LevelOutcome {
  /** Action and error of UCI or UCF. */
  verdict: readonly WrittenEdifactElement[];
  /** Whether all that is told of what stands in it can be written in Latin-1. */
  isLatin: boolean;
}

/** An interchange or a group of it. */
interface Level {
  first: EnvelopeProblem | undefined;
  accepted: number;
  rejected: number;
  /** One message was broken, and the partner wants all to share its fate. */
  isRefused: boolean;
  isLatin: boolean;
  /** A group of it is told of. */
  hasGroup: boolean;
}

export type LevelKind = 'interchange' | 'group';

/** @returns one for each interchange, or group, in their order; null for one that is not answered. */
export async function* levelOutcomes(
  judged: AsyncIterable<Judged>,
  kind: LevelKind,
): AsyncGenerator<LevelOutcome | null, undefined> {
  let interchange: Level | null = null;
  let group: Level | null = null;
  for await (const each of judged) {
    switch (each.kind) {
      case 'interchange':
        interchange = levelOf(each.problems);
        break;
      case 'group':
        group = levelOf(each.problems);
        group.isLatin = isLatin([groupLine(each.header, [])]);
        break;
      case 'set': {
        const level = group ?? interchange;
        if (level !== null && isTold(each.verdict)) addMessage(level, each.verdict);
        break;
      }
      case 'unopened': {
        const level = group ?? interchange;
        if (level === null) break;
        level.first ??= each.problems[0];
        level.rejected += 1;
        break;
      }
      case 'group_end': {
        if (group === null) break;
        group.first ??= each.problems[0];
        const outcome = outcomeOf(group, each.counted);
        if (interchange !== null) addGroup(interchange, group, outcome);
        group = null;
        if (kind === 'group') yield outcome;
        break;
      }
      case 'interchange_end': {
        if (interchange === null) break;
        interchange.first ??= each.problems[0];
        const outcome = outcomeOf(interchange, each.counted);
        interchange = null;
        if (kind === 'interchange') yield outcome;
        break;
      }
    }
  }
}

/** A CONTRL is not acknowledged. */
export const isTold = ({ opening }: SetVerdict): boolean => elementText(opening, 2, 1).trim() !== 'CONTRL';

const levelOf = (problems: readonly EnvelopeProblem[]): Level => ({
  ...{ first: problems[0], accepted: 0, rejected: 0 },
  ...{ isRefused: false, isLatin: true, hasGroup: false },
});

function addMessage(level: Level, verdict: SetVerdict): void {
  if (level.isLatin) level.isLatin = isLatin(messageLines(verdict));
  if (verdict.faults.some(sharesFault)) level.isRefused = true;
  if (verdict.outcome === 'rejected') level.rejected += 1;
  else level.accepted += 1;
}

function addGroup(interchange: Level, group: Level, outcome: LevelOutcome | null): void {
  interchange.accepted += group.accepted;
  interchange.rejected += group.rejected;
  if (group.isRefused) interchange.isRefused = true;
  if (outcome === null) return;
  interchange.hasGroup = true;
  if (!outcome.isLatin) interchange.isLatin = false;
}

/** One whose messages are all passed over may hold CONTRLs alone, which are not answered; one without any is. */
function outcomeOf(level: Level, counted: number): LevelOutcome | null {
  const { accepted, rejected, first, hasGroup } = level;
  if (accepted + rejected === 0 && counted > 0 && !hasGroup) return null;
  return { verdict: [actionOf(level), ...envelopeFault(first)], isLatin: level.isLatin };
}

/** Refused with all that is in it: the envelope is at fault and nothing of it was taken, or one message spoiled all. */
const actionOf = ({ accepted, first, isRefused }: Level): string =>
  isRefused || (accepted === 0 && first !== undefined) ? REJECTED : ACKNOWLEDGED;

const isLatin = (lines: readonly string[]): boolean => syntaxFor(lines) === 'UNOC';
