/**
 * Every limit of a mapping document, a code list or a mapped value: unit in the name, reason beside it. All are ours.
 */

/** Largest mapping document or code list, in characters: fifty times a rich document, parsed in well under a second. */
export const DOCUMENT_CHARACTERS_MAX = 256 * 1024;
/** Resolved YAML aliases per document: enough to share a few blocks, too few for an alias bomb. */
export const ALIASES_MAX = 100;
/** Problems listed per document: nobody fixes more at once, and a broken document can have thousands. */
export const DOCUMENT_PROBLEMS_MAX = 100;

/** Longest mapping or code list name, in characters: it becomes a file name, a URL parameter and a column of lists. */
export const NAME_CHARACTERS_MAX = 80;
/** Longest single text in a document (column name, constant, replacement), in characters. */
export const DOCUMENT_TEXT_CHARACTERS_MAX = 255;
/** Fields read per record, shared ones once for every request: bounds the work per record (about 10,000 steps). */
export const FIELDS_MAX = 200;
/** Requests one record may become. */
export const REQUESTS_MAX = 20;
/** Elements of an array that each become a request, per record: enough for a day of one vehicle, minute by minute. */
export const ELEMENTS_MAX = 1_500;
/** Problems reported per record: nobody fixes more at once, and an array can have thousands. */
export const RECORD_PROBLEMS_MAX = 100;
/** References per request: the upstream states no limit (seed 8). */
export const REFERENCES_MAX = 50;
/** Columns or constants joined into one value. */
export const PARTS_MAX = 20;
/** Code lists in which one field may look a value up, in order. */
export const LOOKUPS_MAX = 5;
/** Longest regular expression, in characters. */
export const PATTERN_CHARACTERS_MAX = 200;
/** Most decimals a number can be rounded to. */
export const ROUND_DECIMALS_MAX = 9;
/** Replacements per field. */
export const REPLACEMENTS_MAX = 20;
/** Time patterns tried per field: each costs a pass over the value. */
export const PATTERNS_MAX = 10;
/** How long a request may be retried because its load is not known, in ms: up to the deadline of an event. */
export const LOAD_WAIT_MS_MIN = 60_000;
export const LOAD_WAIT_MS_MAX = 72 * 3_600_000;
/** Nesting of conditions, and values compared by one. */
export const CONDITION_DEPTH_MAX = 8;
export const CONDITION_VALUES_MAX = 1_000;
/** Examples per document, and characters of input per example: they run at every publish. */
export const EXAMPLES_MAX = 50;
export const EXAMPLE_CHARACTERS_MAX = 64 * 1024;

/** Codes per code list: more than any standard's list, and few enough to store with every version that uses it. */
export const CODES_MAX = 10_000;

/** Longest load number, in characters. Upstream limits are not shown (seed 8); it also becomes an object's name. */
export const LOAD_NUMBER_CHARACTERS_MAX = 80;
/** Longest event or reason code, in characters. */
export const CODE_CHARACTERS_MAX = 30;
/** Longest identifier or kind of a tracked resource, in characters: a vehicle identification number has 17. */
export const RESOURCE_CHARACTERS_MAX = 80;
/** Longest city, state or reference value, in characters. */
export const TEXT_CHARACTERS_MAX = 255;
/**
 * Longest text between two functions of a field, in characters: a chain of replacements cannot grow a cell without
 * limit.
 */
export const WORKING_CHARACTERS_MAX = 4_096;

/** Longest order reference, in characters. It also becomes an object's name and a query parameter. */
export const ORDER_REF_CHARACTERS_MAX = 80;
/** Longest text in an order (a comment may be several sentences), in characters. */
export const ORDER_TEXT_CHARACTERS_MAX = 2_000;
/** Largest order as JSON, in characters: less than one stored value may hold, more than thousands of lines need. */
export const ORDER_CHARACTERS_MAX = 500_000;
/** Longest text that empties a member, such as <CLEAR>, in characters. Ours. */
export const CLEAR_CHARACTERS_MAX = 40;
/** Longest path to a list of an order, in characters. Ours. */
export const LIST_PATH_CHARACTERS_MAX = 300;
/** Longest reference of a change, in characters: that of an interchange joins five control numbers. */
export const CHANGE_REF_CHARACTERS_MAX = 120;
/** Members and list items of an order's form, counted through all levels, and how deep they may nest. */
export const ORDER_NODES_MAX = 500;
export const ORDER_DEPTH_MAX = 8;
/**
 * How deep a whole order stated by an operator may nest. Ours: far deeper than mappings make, and safe for code that
 * walks it.
 */
export const ORDER_BASE_DEPTH_MAX = 32;

/** Columns that make up the key of a group. */
export const GROUP_COLUMNS_MAX = 5;
/** Rows of one group, and their characters together: an open group is stored with every checkpoint, in one value of 2 MB. */
export const GROUP_ROWS_MAX = 2_000;
export const GROUP_CHARACTERS_MAX = 300_000;
/** Kinds of record a switch can distinguish. */
export const CASES_MAX = 50;

/**
 * Names searched for a suggestion, and the longest text compared: a row error must stay cheap however wrong the file
 * is.
 */
export const NEAREST_CANDIDATES_MAX = 500;
export const NEAREST_CHARACTERS_MAX = 40;
/** Column names listed in a message about a missing column. */
export const COLUMNS_LISTED_MAX = 40;
/** Vehicles, or locations, in a file of lookups: a large fleet. */
export const LOOKUP_ITEMS_MAX = 100_000;
/** Longest text in it, in characters. */
export const LOOKUP_TEXT_CHARACTERS_MAX = 255;
