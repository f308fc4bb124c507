/**
 * The steps in which a Batch reads its files: slice by slice into rows, then the groups whose rows may be anywhere.
 * Progress, rows and checkpoint are one commit; each step can be repeated after a crash and gives the same rows.
 */

import { lookupResolver } from '../../fleet/lookup.ts';
import type { ReadPart } from '../../formats/segments/tree.ts';
import { readSlice } from '../../formats/slices.ts';
import { failpoint } from '../../kernel/failpoint.ts';
import { batchName, registerName } from '../../kernel/names.ts';
import { answered, type CompiledMapping } from '../../mapping/compile/compile.ts';
import type { Answers } from '../../mapping/lookups/lookup.ts';
import { upstreamOf } from '../../upstream/settings.ts';
import { setsOf } from '../acknowledgment/file.ts';
import { type EarlierBatches, queryReplaced } from '../actions/replaced-rows.ts';
import { afterSlice, contentInReading, fileInReading, mappingInReading } from '../core/contents.ts';
import { rowsAgain } from '../core/mapped-again.ts';
import type { BatchProgress } from '../core/progress.ts';
import { afterReplacing, concerns } from '../core/replacing.ts';
import {
  locatePending,
  type MappedRow,
  rowsOf,
  runSlice,
  scacRule,
  withOrderFeedKeys,
  withReplaced,
} from '../core/run.ts';
import { countRows, firstState } from '../core/tally.ts';
import type { BatchTicket } from '../core/ticket.ts';
import { policyOf, underPolicy } from '../envelopes/validate.ts';
import { forgetArrived, pinnedMapping, type ReadMemory, storedSource } from '../files/pinned.ts';
import type { ActionPort } from '../object/ports.ts';
import type { BatchStore } from '../store/batch-store.ts';
import type { ClaimStore } from '../store/claim-store.ts';
import type { GroupStore } from '../store/group-store.ts';
import type { MessageStore } from '../store/message-store.ts';
import { type LookingPort, type LookupStore, mapLookingUp } from './lookup.ts';
import { fileNumber, inOrder, keepRead, messageName, readingTicket } from './messages.ts';

/** Rows of pending groups that become requests in one step. Ours: one commit, as a slice is. */
const PENDING_ROWS_PER_STEP = 2_000;

export interface ReadingPort {
  lookUps: LookingPort;
  store: BatchStore;
  claims: ClaimStore;
  groups: GroupStore;
  messages: MessageStore;
  files: R2Bucket;
  memory: ReadMemory;
  /** The batches whose rows are replaced by rows of this one. */
  earlier: EarlierBatches;
  /** Current: reports and actions may have come in while a step waited. */
  progress(): BatchProgress;
}

/** @returns ms to wait before the slice is read again, because a lookup has no answer; null: it was read. */
export async function readNextSlice(
  port: ReadingPort,
  ticket: BatchTicket,
  progress: BatchProgress,
): Promise<number | null> {
  const { groups, messages, files } = port;
  const contents = progress.content ?? null;
  const pinned = underPolicy(
    await pinnedMapping(files, ticket.mappingSha256),
    ticket.envelopes === undefined ? null : policyOf(ticket.envelopes),
  );
  const part = inOrder(messages, progress);
  const mapping = mappingInReading(pinned, contents, part && { ...part, name: messageName(part.message) });
  const checkpoint = progress.checkpoint ?? mapping.reader.start;
  const reading = readingTicket(ticket, part);
  const source = storedSource(files, reading, contentInReading(contents), port.memory);
  const file = fileNumber(progress);
  const before = {
    open: groups.open(),
    wasClosed: (key: string) => groups.wasClosed(file, key),
    pendingSize: (key: string) => groups.pendingSize(file, key),
  };
  const looked = await mapLookingUp(port.lookUps, mapping.enrichment, progress.message ?? 0, (answers) =>
    readSlice(source, checkpoint.byte, (slice) =>
      runSlice(withAnswers(mapping, answers), scacRule(ticket), { ...slice, checkpoint }, before),
    ),
  );
  if (looked.outcome === 'later') return looked.waitMs;
  const run = looked.value;
  const isFirst = progress.checkpoint === null && fileInReading(contents) <= 1;
  const textsBefore = isFirst ? 0 : progress.setTexts;
  const rows = run.outcome === 'rows' ? await replacing(port, ticket, run.rows) : [];
  if (!isStill(progress, port.progress())) return null;
  // Nothing is awaited from here on, so that all of it is one commit.
  port.store.commit(() => {
    let kept = textsBefore;
    if (run.outcome === 'rows') {
      // Sets that are sent again were acknowledged with the file that they came in.
      const parts = ticket.again === undefined ? run.parts : undefined;
      const texts = kept === undefined || parts === undefined ? null : { parts, before: kept };
      const isKept = commitRows(port, ticket, rows, texts);
      kept = isKept && kept !== undefined ? kept + 1 : undefined;
      if (mapping.group !== undefined) {
        groups.keepSlice(file, run.groups);
        if (run.finished) groups.keepFile({ file, columns: run.columns, cut: run.endProblem !== null });
      }
    }
    const rules = mapping.delivery === null ? {} : { rules: mapping.delivery };
    const { setTexts: _, ...after } = afterSlice(port.progress(), run, Date.now());
    const now = { ...after, ...rules, ...(kept === undefined ? {} : { setTexts: kept }) };
    const isStaged = now.readingFinished && groups.hasPending();
    keepRead(port, isStaged ? { ...now, readingFinished: false, emitting: true } : now);
  });
  const { message, readingFinished } = port.progress();
  if (readingFinished || message !== progress.message) forgetArrived(port.memory, reading);
  await failpoint('slice_committed');
  return null;
}

/** Where a statement failed meanwhile, what a step began from may be forgotten: it begins again, and stores nothing. */
export const isStill = (before: BatchProgress, now: BatchProgress): boolean =>
  now.message === before.message && (now.content === undefined) === (before.content === undefined);

const withAnswers = (mapping: CompiledMapping, answers: Answers | undefined): CompiledMapping =>
  answers === undefined ? mapping : answered(mapping, answers);

/** Groups whose rows may be anywhere become rows once all files are read, a few at a time. @returns as above. */
export async function emitGroups(port: ReadingPort, ticket: BatchTicket): Promise<number | null> {
  const { groups, files } = port;
  const next = groups.nextPending(PENDING_ROWS_PER_STEP);
  if (next === undefined) {
    keepRead(port, { ...port.progress(), emitting: false, readingFinished: true });
    return null;
  }
  const mapping = await pinnedMapping(files, ticket.mappingSha256);
  const looked = await mapLookingUp(port.lookUps, mapping.enrichment, port.progress().message ?? 0, (answers) => {
    const bound = mapping.bind(next.file.columns, answers);
    if (!bound.ok) throw new Error('the columns of a file that was read are no longer bound');
    return rowsOf(locatePending(bound.value, next.groups, next.file.cut), scacRule(ticket), mapping);
  });
  if (looked.outcome === 'later') return looked.waitMs;
  const placed = looked.value;
  const records = next.groups.flatMap(({ rows }) => rows);
  const rows = await replacing(port, ticket, withReplaced(placed, records));
  port.store.commit(() => {
    commitRows(port, ticket, rows, null);
    groups.dropPending(next.groups);
  });
  return null;
}

/** Rows that replace earlier ones, classified by the batches that have those. */
async function replacing(port: ReadingPort, ticket: BatchTicket, mapped: MappedRow[]): Promise<MappedRow[]> {
  const rows = ticket.again === undefined ? mapped : rowsAgain(mapped, ticket.again);
  if (rows.every(({ replaces }) => replaces === undefined)) return rows;
  return afterReplacing(rows, await queryReplaced(concerns(rows), ticket, port.earlier));
}

/** @param sets what the rows were read from; null: what became of it is not kept. @returns whether that is kept. */
function commitRows(
  { store, claims, progress }: Pick<ReadingPort, 'store' | 'claims' | 'progress'>,
  ticket: BatchTicket,
  mapped: readonly MappedRow[],
  sets: { parts: readonly ReadPart[]; before: number } | null,
): boolean {
  const placed = withOrderFeedKeys(mapped, ticket.orderPair ?? null);
  const tally = store.tally();
  countRows(tally, mapped, ticket.dryRun);
  const rows = ticket.dryRun ? placed.map((row) => ({ ...row, requests: [] })) : placed;
  const kept = sets && {
    message: progress().message ?? 0,
    text: sets.before + 1,
    sets: setsOf(sets.parts, rows),
  };
  const isKept = store.addRows(rows, (row) => firstState(row, ticket.dryRun), kept, Date.now());
  if (!ticket.dryRun) claims.add(rows);
  store.keepTally(tally);
  return isKept;
}

/* What a Batch reads with: its own tables, the stored bytes, earlier batches, and the APIs for lookups. */

type Own = Pick<ReadingPort, 'store' | 'claims' | 'groups' | 'messages' | 'memory' | 'progress'> &
  Pick<ActionPort, 'keep'> & { lookUps: LookupStore };

/** Batches of the same partner: no other can be named. */
export const earlierBatches = (env: Env, ticket: BatchTicket) => ({
  register: env.INTAKE_REGISTER.getByName(registerName(ticket)),
  batch: (batchId: string) => env.BATCH.getByName(batchName(ticket, batchId)),
});

export function readingPort(env: Env, ticket: BatchTicket, { lookUps, keep, ...own }: Own): ReadingPort {
  const settings = upstreamOf(env);
  const { channel, partner, batchId } = ticket;
  return {
    ...own,
    files: env.FILES,
    earlier: earlierBatches(env, ticket),
    lookUps: {
      clock: settings.clock,
      request: lookupResolver(env, settings, { channel, partner, subject: `look-ups of ${batchId}` }),
      store: lookUps,
      awaited: () => own.progress().awaited,
      keep: (awaited) => keep({ awaited }),
    },
  };
}
