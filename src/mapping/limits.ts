/** Every number that bounds a mapping document, a code list or a mapped value: unit in the name, reason beside it. All are ours. */

/** Largest mapping document or code list, in characters: fifty times a rich document, parsed in well under a second. */
export const DOCUMENT_CHARACTERS_MAX = 256 * 1024;
/** Resolved YAML aliases per document: enough to share a few blocks, too few for an alias bomb. */
export const ALIASES_MAX = 100;
/** Problems listed per document: nobody mends more at once, and a broken document can hold thousands. */
export const DOCUMENT_PROBLEMS_MAX = 100;

/** Longest mapping or code list name, in characters: it becomes a file name, a URL parameter and a column of lists. */
export const NAME_CHARACTERS_MAX = 80;
/** Longest text a document may hold in one place (column name, constant, replacement), in characters. */
export const DOCUMENT_TEXT_CHARACTERS_MAX = 255;
/** Fields read per record, shared ones once for every request: bounds the work per record (about 10,000 steps). */
export const FIELDS_MAX = 200;
/** Requests one record may become. */
export const REQUESTS_MAX = 20;
/** References per request: the upstream states no limit (seed 8). */
export const REFERENCES_MAX = 50;
/** Columns or constants joined into one value. */
export const PARTS_MAX = 20;
/** Replacements per field. */
export const REPLACEMENTS_MAX = 20;
/** Time patterns tried per field: each costs a pass over the value. */
export const PATTERNS_MAX = 10;
/** Nesting of conditions, and values compared by one. */
export const CONDITION_DEPTH_MAX = 8;
export const CONDITION_VALUES_MAX = 1_000;
/** Examples per document, and characters of input per example: they run at every publish. */
export const EXAMPLES_MAX = 50;
export const EXAMPLE_CHARACTERS_MAX = 64 * 1024;

/** Codes per code list: above any standard's list, and small enough to be stored with every version that uses it. */
export const CODES_MAX = 10_000;

/** Longest load number, in characters. Upstream limits are not shown (seed 8); it also becomes an object's name. */
export const LOAD_NUMBER_CHARACTERS_MAX = 80;
/** Longest event or reason code, in characters. */
export const CODE_CHARACTERS_MAX = 30;
/** Longest city, state or reference value, in characters. */
export const TEXT_CHARACTERS_MAX = 255;
/** Longest text between two functions of a field, in characters: a chain of replacements cannot grow a cell without end. */
export const WORKING_CHARACTERS_MAX = 4_096;

/** Names searched for a suggestion, and the longest text compared: a row error must stay cheap however wrong the file is. */
export const NEAREST_CANDIDATES_MAX = 500;
export const NEAREST_CHARACTERS_MAX = 40;
/** Column names listed in a message about a missing column. */
export const COLUMNS_LISTED_MAX = 40;
