/** Limits of the console: unit in the name, reason next to it. */
import { MINUTE_MS, SECOND_MS } from '../kernel/clock.ts';

/** Rows of a batch on one page. Ours: with two lines each, a page of them is less than 3,000 pixels high. */
export const BATCH_PAGE_ROWS = 32;
/** What failed alike, on the page of a batch. Ours: the rows are to be seen without much scrolling. */
export const BATCH_PAGE_ISSUES = 6;
/** How often a page that is open looks for what is new, in real ms. Ours. */
export const LIVE_LOOK_MS = SECOND_MS;
/** How long one stream of such news lasts before the browser connects again, in real ms. Ours: who signed out sees no more. */
export const LIVE_STREAM_MS = MINUTE_MS;
/** How soon a browser connects again, in real ms. Ours. */
export const LIVE_RECONNECT_MS = 2 * SECOND_MS;
/** A stream without news sends a sign of life this often, in real ms. Ours: what is between us and the browser closes silent connections. */
export const LIVE_SIGN_MS = 15 * SECOND_MS;
/** Rows to fix on one page. Ours: with their fields below the weight of a page, and as many as one goes through at a time. */
export const FIX_PAGE_ROWS = 25;
/** How long after the last key what was typed is checked, in ms. Ours: a pause between two words. */
export const FIX_PAUSE_MS = 400;
/** A field of the form with a file, in bytes. Ours: names, and the token of the session. */
export const UPLOAD_FIELD_BYTES_MAX = 4 * 1024;
/** Batches and interchanges shown for one search. Ours. */
export const SEARCH_SHOWN_MAX = 20;
