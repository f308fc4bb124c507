/** Limits of the directory: keys, and the audit of what operators did. */
import { DAY_MS, HOUR_MS } from '../../kernel/clock.ts';

/** How long an entry of the audit is kept, in days: as long as the batches it may be about. Ours; AUDIT_DAYS sets another. */
export const AUDIT_RETENTION_DAYS = 2 * 365;
/** Entries of the audit deleted in one run of the cron. Ours: a minute's work of many operators, and far from a long statement. */
export const AUDIT_SWEPT_AT_ONCE = 1_000;
/** Entries on a page of the audit, if the caller names no number, and at most. Ours. */
export const AUDIT_PAGE = { usual: 50, most: 200 } as const;
/** How long a key lives if its maker names no end, in ms: a year. Ours: a key that was forgotten ends by itself; "never" must be asked for. */
export const KEY_LIFETIME_MS = 365 * DAY_MS;
/** Keys of one holder that live at once: one in use, and one to change over to. Ours: more would hide who uses which. */
export const KEYS_LIVE_MAX = 2;
/** New keys of one holder in one time, in ms: a program that renews its key in a loop is a mistake, and each is kept. Ours: a person who sets up a system needs a few. */
export const KEYS_MADE = { most: 10, withinMs: HOUR_MS } as const;
/** How long a key that was rotated works on, in hours, if nothing is said, and at most. Ours: a day is enough to change a setting, a month for a slow partner. */
export const KEY_OVERLAP_HOURS = { usual: 24, most: 30 * 24 } as const;
/** How long before its end a key needs somebody, in ms: two weeks. Ours: a partner has to be asked, and to act. */
export const KEY_ENDING_MS = 14 * DAY_MS;
/** The use of a key is noted once in this time, in ms. Ours: sign-in reads one row and writes none. */
export const KEY_USE_NOTED_MS = HOUR_MS;
/** How often a key is looked up in one second, in each process; what it asks then is answered by the last look. Ours: a person never asks so often. */
export const KEY_LOOKS_PER_SECOND = 20;
/** Keys of a holder that are listed, those that work first. Ours: years of rotations. */
export const KEYS_SHOWN = 100;
/** Keys of operators that are listed, those that work first. Ours: a deployment has tens of them. */
export const OPS_KEYS_SHOWN = 500;
/** How long an upload link is open at most, and if nothing is said, in days. Ours: a week covers a holiday; who needs more gets a key. */
export const UPLOAD_LINK_DAYS = { usual: 3, most: 7 } as const;
/** Upload links of a partner that are open at once. Ours: more would hide who has one. */
export const UPLOAD_LINKS_LIVE_MAX = 20;
/** Upload links that are listed, newest first. Ours. */
export const UPLOAD_LINKS_SHOWN = 100;
/** Partners on a page of the list, if the caller names no number, and at most. Ours. */
export const PARTNERS_PAGE = { usual: 100, most: 500 } as const;
/** Longest name of a partner, and longest name that people read, in characters. Ours: names are part of addresses and of object names. */
export const PARTNER_CHARACTERS_MAX = { name: 40, displayName: 100, origin: 200 } as const;
/** Pages of other sites that may call the API with the keys of a partner. Ours: a portal, its test and its preview, several times over. */
export const PARTNER_ORIGINS_MAX = 20;
