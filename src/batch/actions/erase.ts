/**
 * Takes what a batch stores about one load or order out of it, on request: the bytes of its file, the bodies of the
 * requests, what was answered, and what was wrong with their rows. What became of each row stays, and so do all other
 * rows. Every step can be repeated.
 */
import { BATCH_ISSUES_MAX } from '../../kernel/limits.ts';
import { issueIdOf } from '../core/issue.ts';
import { type BatchProgress, START } from '../core/progress.ts';
import type { BatchTicket } from '../core/ticket.ts';
import type { ActionPort } from '../object/ports.ts';
import type { Indexing } from '../steps/batch-index.ts';
import { deleteBytes } from '../steps/ending.ts';
import type { ErasedSubject } from '../store/erased.ts';

/** @property isUnderWay something of the batch is not decided or not reported. */
export interface ErasablePart {
  rows: number;
  /** Of the load or order. */
  requests: number;
  hasBytes: boolean;
  isUnderWay: boolean;
  /** `batch/record` of rows in whose place its rows were sent. */
  replaced: string[];
}

/** @property who id of the operator's key or of the person. */
export interface EraseRequest extends ErasedSubject {
  who: string;
  name: string;
  why: string;
}

/** @returns undefined: there is no such batch. */
export function erasablePart({ store, created }: ActionPort, of: ErasedSubject): ErasablePart | undefined {
  if (store.ticket() === undefined) return undefined;
  const { ticket, progress } = created();
  const { requests, replaced } = store.erasable(of);
  return {
    rows: store.lastRecord(),
    requests: requests.length,
    hasBytes: progress.bytesDeletedAtMs === undefined,
    isUnderWay: isUnderWay(ticket, progress),
    replaced: [...replaced],
  };
}

function isUnderWay(ticket: BatchTicket, progress: BatchProgress): boolean {
  const isOver = progress.state === 'settled' || progress.state === 'unreadable';
  const isWithdrawing = progress.withdrawal !== undefined && progress.state !== 'unreadable';
  const isActedOn = isWithdrawing || progress.retrying === true;
  return !isOver || isActedOn || (!progress.reported && ticket.dryRun !== true);
}

/** @returns false: something is under way again, and nothing was done. */
export async function eraseSubject(
  port: ActionPort,
  { files, indexing }: { files: R2Bucket; indexing: Indexing },
  asked: EraseRequest,
): Promise<boolean> {
  const { store, created, keep, actions, nowMs } = port;
  if (store.ticket() === undefined) return true;
  const { ticket, progress } = created();
  if (isUnderWay(ticket, progress)) return false;
  const { who, name, why } = asked;
  const issues = store.commit(() => {
    const { records, requests } = store.erasable(asked);
    const ids = port.letters.issuesOf(records).map(issueIdOf);
    const left = [...new Set([...(progress.erased?.issues ?? []), ...ids])];
    keep({ isClosed: true, erased: { issues: left } }); // a message that came now would lose its bytes
    store.erase(asked);
    if (requests.length > 0)
      actions.note({ atMs: nowMs(), who, what: 'erase', detail: { name, why, requests: requests.length } });
    return left;
  });
  if (progress.bytesDeletedAtMs === undefined) {
    await deleteBytes(port, files);
    keep({ bytesDeletedAtMs: nowMs() });
  }
  if (issues.length > 0) await indexing.forgetIssues(issues);
  const left = created().progress.erased?.issues ?? []; // another erasure may have begun meanwhile
  keep({ erased: { issues: left.filter((id) => !issues.includes(id)) } });
  return true;
}

/** Begins to erase all of it, with its loads and orders: steps of its retention do that. Idempotent. */
export function eraseBatch({ store, created, keep, letters }: ActionPort): 'begun' | 'under_way' | 'gone' {
  if (store.ticket() === undefined) return 'gone';
  const { ticket, progress } = created();
  if (isUnderWay(ticket, progress)) return 'under_way';
  if (progress.erasing !== undefined) return 'begun';
  const after = ticket.dryRun ? null : START; // its requests went to nobody
  const left = progress.erased?.issues ?? []; // of rows that were erased before, and that the index may not have forgotten
  const issues = new Set([...left, ...letters.issues(BATCH_ISSUES_MAX).map(({ id }) => id)]);
  keep({ isClosed: true, erasing: { after, issues: [...issues] } });
  return 'begun';
}
