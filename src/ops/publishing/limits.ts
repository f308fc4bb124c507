/** Numbers of published names and of previews. All are ours. */
import { DOCUMENT_BYTES_MAX } from '../../kernel/limits.ts';

/**
 * Mappings of an environment, and code lists: all that use an edited list are proved and published in one request.
 * Ours.
 */
export const MAPPING_NAMES_MAX = 200;
/**
 * How often a change of published names is planned again because another came first. Ours: people publish, not
 * programs.
 */
export const CHANGE_TRIES_MAX = 5;
/** Partners that a mapping is for. Ours: one for more of them is shared. */
export const OWNERS_MAX = 100;
/** Publications per page of a name's history. Ours. */
export const PUBLICATIONS_PAGE_MAX = 100;
/** Differences listed between two versions; the others are counted. Ours: nobody reads more. */
export const DIFFERENCES_MAX = 1_000;
/** Largest file accepted for a preview, in bytes: it is mapped while its sender waits. Ours. */
export const PREVIEW_BYTES_MAX = 1024 * 1024;
/** Bytes of the beginning of a text by which its kind is found. Ours: some hundred rows, tried on each mapping. */
export const MATCH_BYTES_MAX = 64 * 1024;
/** Rows whose cells are corrected in one request. Ours: more are corrected in a file; a preview shows as many. */
export const CORRECTED_ROWS_MAX = 100;
/**
 * Largest EDI file whose rows are corrected in the page, in bytes: it is read through at each check. Ours: a day of most
 * partners.
 */
export const SETS_FILE_BYTES_MAX = 8 * 1024 * 1024;
/** Records shown by a preview; all are mapped and counted. Ours: enough to check a mapping, few enough to read. */
export const PREVIEW_RECORDS_MAX = 200;
/** Faults that a preview counts by their value; then by their place alone. Ours: more than anybody reads. */
export const PREVIEW_CAUSES_MAX = 100;
/** Records listed that a document being written would map otherwise; all are counted. Ours: about two screens. */
export const COMPARED_RECORDS_SHOWN_MAX = 40;
/** Proposals of a partner that wait for a decision. Ours: an operator reads each. */
export const PROPOSALS_OPEN_MAX = 20;
/** Proposals in a list, those that wait for a decision first. Ours. */
export const PROPOSALS_SHOWN_MAX = 100;
/** How long a preview of a document that is being written may take, in ms: its author waits for it at every key. Ours. */
export const TRY_MS_MAX = 5_000;
/** Code lists sent along with such a document. Ours: more than any mapping uses. */
export const TRY_CODE_LISTS_MAX = 20;
/** Largest body of such a request, in bytes: a document, code lists as large, and a sample. Ours: the largest list is sent alone. */
export const TRY_BYTES_MAX = PREVIEW_BYTES_MAX + 2 * DOCUMENT_BYTES_MAX;
