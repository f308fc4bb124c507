/** Limits of the directory: keys, and the audit of what operators did. */

/** How long an entry of the audit is kept, in days: as long as the batches it may be about. Ours; AUDIT_DAYS sets another. */
export const AUDIT_RETENTION_DAYS = 2 * 365;
/** Entries of the audit deleted in one run of the cron. Ours: a minute's work of many operators, and far from a long statement. */
export const AUDIT_SWEPT_AT_ONCE = 1_000;
/** Entries on a page of the audit, if the caller names no number, and at most. Ours. */
export const AUDIT_PAGE = { usual: 50, most: 200 } as const;
