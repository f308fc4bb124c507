/**
 * Every number that bounds a loop, a body, a wait or a stored text: unit in the name, reason beside it.
 *
 * "Ours" marks a choice; anything else names the page or the clause it comes from. Limits of one format are in that
 * format's folder.
 */
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from './clock.ts';

/** Largest upload, in bytes: the request body cap of Free and Pro zones (Workers > Platform > Limits). */
export const UPLOAD_BYTES_MAX = 100 * 1024 * 1024;
/** How long an interchange control number may not be used again, in ms: 30 days, as most partners agree. */
export const INTERCHANGE_RETENTION_MS = 30 * DAY_MS;
/** Largest message, in bytes: it is held in memory while its sender waits. Ours; larger ones are files. */
export const MESSAGE_BYTES_MAX = 8 * 1024 * 1024;
/** A message up to this size is given to its batch, which need not read it from storage then. Ours: nearly all are shorter. */
export const SHORT_MESSAGE_BYTES_MAX = 64 * 1024;
/** Longest time a sender of a message may wait for its outcome, in ms: below the 100 s after which proxies give up. Ours. */
export const MESSAGE_WAIT_MS_MAX = 60 * SECOND_MS;
/** Wait for an acknowledgment if the sender names none, in ms: reading a message takes a fraction of it. Ours. */
export const ACKNOWLEDGMENT_WAIT_MS = 10 * SECOND_MS;
/** Pause between two checks of a batch whose sender waits, in ms: first and longest. Ours. */
export const MESSAGE_LOOK_MS = { first: 25, longest: 500 };
/** Messages that share a batch before the next one begins. Ours: a report reads each of them, and an invocation makes 10,000 calls. */
export const ROLLING_BATCH_MESSAGES_MAX = 8_000;
/** The same for CSV and workbooks, each of which is read once more for its columns. */
export const ROLLING_BATCH_TABLES_MAX = 4_000;
/** Rows of messages in a batch before the next one begins. Ours: a page and a report stay usable; messages under way may exceed it. */
export const ROLLING_BATCH_ROWS_MAX = 100_000;
/** Claimed messages that a register dispatches to their batches in one wake-up, if a process died after their claim. Ours. */
export const MESSAGES_ASSIGNED_AT_ONCE = 200;
/** Batches a message is offered to: one that refuses is full from then on, so the second is new. Ours. */
export const PLACES_TRIED_MAX = 5;
/** Messages reported to the register in one step. Ours. */
export const MESSAGES_NOTIFIED_AT_ONCE = 50;
/** Messages of which a batch shows why they could not be read; the others are counted, and say it in their own answers. Ours. */
export const FAULTY_MESSAGES_SHOWN = 20;
/** Messages fetched ahead of the current one of a report: an invocation has 6 slots for calls awaiting an answer (Workers limits). */
export const FILES_READ_AHEAD = 4;
/** Largest of them, in bytes; larger ones are fetched when they are needed. Ours: most messages are smaller by far. */
export const READ_AHEAD_FILE_BYTES_MAX = 64 * 1024;
/** Messages queried from a batch at once for its report. Ours. */
export const MESSAGES_AT_ONCE = 500;
/** Rows in the answer to a message; the others are at its rows' address. Ours. */
export const MESSAGE_ROWS_MAX = 200;
/** How many bytes of an upload are read at a time: streams deliver 4 KiB chunks, reading 64 KiB at once is several times faster. */
export const UPLOAD_CHUNK_BYTES = 64 * 1024;
/** An upload that is slower is ended, after a minute more, in bytes per second. Ours: slower than the slowest phone line. */
export const UPLOAD_BYTES_PER_SECOND_MIN = 4 * 1024;
/** One part of an upload of unknown length, in bytes: the least R2 takes for all parts but the last. */
export const UPLOAD_PART_BYTES = 5 * 1024 * 1024;
/** Longest headers of one part of a form, and most bytes before its first part. Ours: names and types need a fraction of it. */
export const FORM_HEADER_BYTES_MAX = 16 * 1024;
/** Longest value of a field before the file of a form, in bytes. Ours: names of mappings, carriers and files need a fraction of it. */
export const FORM_FIELD_BYTES_MAX = 1024;
/** How much longer than its file a form may say it is, in bytes. Ours: boundaries, headers and the text before and after. */
export const FORM_OVERHEAD_BYTES_MAX = 64 * 1024;
/** Longest boundary of a form, in characters (RFC 2046 5.1.1). */
export const FORM_BOUNDARY_CHARACTERS_MAX = 70;
/** Most a compressed upload may unpack to, in bytes, whatever its own size. Ours: ten times the largest upload. */
export const UNPACKED_BYTES_MAX = 1024 * 1024 * 1024;
/** Largest ratio of unpacked to packed bytes; text of repeated rows stays well below. */
export const UNPACKED_RATIO_MAX = 200;
/** A small file may unpack to this much whatever the ratio, in bytes. Ours. */
export const UNPACKED_FLOOR_BYTES = 1024 * 1024;
/** Most files in one archive; folders and files added by the operating system do not count. Ours: a day's exports fit, a bomb does not. */
export const ARCHIVE_FILES_MAX = 20;
/** Most bytes read of an archive at once for its directory. Ours: twenty names need a few KiB, thousands of empty entries a MiB. */
export const ARCHIVE_DIRECTORY_BYTES_MAX = 1024 * 1024;
/** Longest `Idempotency-Key` accepted, in characters. Ours: long enough for any digest or UUID. */
export const IDEMPOTENCY_KEY_CHARACTERS_MAX = 255;
/** Longest file name kept, in characters, for display only. Ours. */
export const FILE_NAME_CHARACTERS_MAX = 255;

/**
 * Bytes read from storage per slice; one slice is one commit. In memory a slice takes some twenty times its size: at
 * 256 KiB it is freed in the young generation of the heap. At 1 MiB it outlives that and piles up, several hundred MB
 * for a large file, and is no faster (`npm run bench`).
 */
export const SLICE_BYTES = 256 * 1024;
/** Bytes fetched from storage at once, several slices: memory of each fetch is only freed by garbage collection. Ours. */
export const READ_AHEAD_BYTES = 1024 * 1024;
/** Longest slice tried when no whole record fits, in bytes: above the largest record a reader accepts. */
export const SLICE_BYTES_MAX = 8 * 1024 * 1024;
/** Longest work of one Batch wake-up, in ms: an alarm may run 15 min, but a short one loses little in a crash. */
export const BATCH_WAKE_UP_MS = 30 * SECOND_MS;
/** Requests dispatched per step. Ours: bounds the rows held in memory at once. */
export const DISPATCH_REQUESTS_MAX = 2_000;
/** Loads called per dispatch step (≤ 1,000 subjects a wake-up). */
export const DISPATCH_SUBJECTS_MAX = 500;
/** Steps of a Batch wake-up that call subjects: 1,000 calls, far below the 10,000 subrequests of one invocation however fast they answer. Ours. */
export const SUBJECT_STEPS_PER_WAKE_UP = 2;
/** Dispatch calls in flight at once: an invocation has 6 slots for calls awaiting an answer (Workers limits), and the index has one. */
export const DISPATCH_PARALLEL = 5;
/** Pause of a Batch after an unexpected failure, in ms, so that its alarm is never lost by throwing. Ours. */
export const BATCH_PAUSE_MS = 5 * SECOND_MS;
/** Pause between two rows that a batch writes to the index of batches, in ms. Ours: a list may be that much out of date. */
export const INDEX_PAUSE_MS = 5 * SECOND_MS;
/** Pause after the index could not be written, in ms, doubled with every failure. Ours. */
export const INDEX_RETRY_MS = 30 * SECOND_MS;
export const INDEX_RETRY_MS_MAX = 15 * MINUTE_MS;
/** How long to wait for an answer of the index before its row is written again, in ms. Ours: nothing else waits for it. */
export const INDEX_WRITE_MS_MAX = MINUTE_MS;
/** Batches that write their row again, and registers called for them, per page of a rebuild. Ours: a call each, far below 10,000 subrequests. */
export const INDEX_PAGE_BATCHES = 200;
export const INDEX_PAGE_REGISTERS = 100;
/** Rows with a problem or requests per page of `/rows`. Ours. */
export const ROWS_PAGE_MAX = 500;
export const ROWS_PAGE_DEFAULT = 100;
/** Requests of one row whose attempts are shown with it: each is a call. Ours. */
export const ROW_HISTORIES_MAX = 12;
/** Batches per page of the list. Ours. */
export const BATCHES_PAGE_MAX = 200;

/** Issues of a batch that are shown, and that the index of all batches has of it, most rows first. Ours: each is a row there. */
export const BATCH_ISSUES_MAX = 50;
/** Issues per page of the operators' list. Ours: a page of long titles stays below 3,000 pixels. */
export const ISSUES_PAGE_DEFAULT = 40;
export const ISSUES_PAGE_MAX = 200;
/** Batches and decisions named with one issue. Ours: its rows are at an address of their own. */
export const ISSUE_BATCHES_SHOWN = 50;
export const ISSUE_CHANGES_SHOWN = 20;
/** Longest time an issue is muted, in ms. Ours: by then somebody should look again. */
export const ISSUE_MUTED_MS_MAX = 90 * DAY_MS;
/** How long an issue is known that has no rows any more, in ms: so long it counts as having come back. Ours. */
export const RESOLVED_ISSUE_RETENTION_MS = 90 * DAY_MS;
/** How long it is kept what ended in each minute, in days; then, by the hour. Ours, a month is what a graph shows in detail; MINUTE_TOTALS_DAYS sets another. */
export const MINUTE_TOTALS_DAYS = 30;
export const HOUR_TOTALS_RETENTION_MS = 2 * 365 * DAY_MS;
/** Minutes that become hours in one run of the cron, in each environment. Ours: one statement, far below its 30 s. */
export const TOTALS_SWEPT_AT_ONCE = 2_000;
/** Points of an answer of metrics. Ours: more cannot be told apart in a graph. */
export const METRICS_POINTS_MAX = 1_500;
/** Longest time metrics are asked for at once, in ms. Ours: what is older by the hour is asked for in parts. */
export const METRICS_MS_MAX = 93 * DAY_MS;
/** Dead letters per page of the operators' list. Ours. */
export const DEAD_LETTERS_PAGE_MAX = 200;
export const DEAD_LETTERS_PAGE_DEFAULT = 50;
/** Batches queried for one page of dead letters. Ours: a page may be short, and says where to continue. */
export const DEAD_LETTER_BATCHES_MAX = 200;
/** Batches queried for one page of the orders that were sent. Ours: a page may be short, and says where to continue. */
export const ORDER_BATCHES_MAX = 100;
/** Oldest batch, by time since it was received, that alerts about refused rows, in ms. Ours: a month; lists go further back. */
export const REFUSED_ALERT_MS = 30 * DAY_MS;
/** How long a webhook may accept nothing before an alert, in ms. Ours: the first waits are over. */
export const WEBHOOK_FAILING_ALERT_MS = HOUR_MS;
/** Actions on a batch that are shown with one of its dead letters. Ours. */
export const DEAD_LETTER_ACTIONS_MAX = 50;
/** Requests read at once when a replay is planned or begun. Ours: bounds the rows held in memory at once. */
export const REPLAY_PAGE_REQUESTS = 2_000;
/** Batches of one replay. Ours: each is queried before the plan is answered. */
export const REPLAY_BATCHES_MAX = 500;
/** Requests of a replay, in each of its batches, of which is said what became of them. Ours: each is read while somebody waits. */
export const REPLAY_OUTCOMES_MAX = 2_000;
/** Batches of a replay that are asked so. Ours: each is asked while somebody waits. */
export const REPLAY_OUTCOME_BATCHES_MAX = 30;
/** Newest batches with undelivered rows that a search looks through. Ours: each is asked while somebody waits. */
export const ROW_SEARCH_BATCHES_MAX = 30;
/** Rows found by one search. Ours: about a screen. */
export const ROW_SEARCH_ROWS_MAX = 20;
/** Shortest text that rows are searched for, in characters. Ours: shorter ones are in every row. */
export const ROW_SEARCH_CHARACTERS_MIN = 3;
/** Batches whose rows of an issue are sent again by one request. Ours: the operator waits. Those without a row that can be sent do not count; 200 are looked at. */
export const RESUBMIT_BATCHES_MAX = 50;
/** Rows of an issue in the batches that are sent from by one request. Ours: they are in memory at once. With those of batches without a row that can be sent, twice as many are mapped again. */
export const RESUBMIT_ROWS_MAX = 10_000;
/** Bytes of rows of an issue that are sent again by one request. Ours: they are in memory at once. */
export const RESUBMIT_BYTES_MAX = 16 * 1024 * 1024;
/** Requests named one by one in a replay. Ours. */
export const REPLAY_LOCATIONS_MAX = 1_000;
/** Requests a replay dispatches per second, unless it says otherwise, and at most. Ours; the upstream states no rate limit (seed 8). */
export const REPLAY_PER_SECOND_DEFAULT = 20;
export const REPLAY_PER_SECOND_MAX = 500;
/** Between two steps of a replay, in ms. */
export const REPLAY_STEP_MS = SECOND_MS;
/** Held requests decided by one action. Ours: each is a call of its load or order for the plan, far below 10,000 subrequests. */
export const DECISIONS_MAX = 500;
/** Decided a second. Ours: those sent again leave under their channel's own rate. */
export const DECISIONS_PER_SECOND = 20;
/** Requests of such an action stored as one value. Ours: far below 2 MB (Durable Objects > Limits). */
export const DECISIONS_STORED_TOGETHER = 100;
/** Requests of an action per page. Ours. */
export const DECISIONS_PAGE_DEFAULT = 100;
/** Actions of operators per page. Ours: of each that may be under way its object is called. */
export const ACTIONS_PAGE_DEFAULT = 25;
export const ACTIONS_PAGE_MAX = 50;

/** Longest work of one Load wake-up, in ms. */
export const LOAD_WAKE_UP_MS = 30 * SECOND_MS;
/** Requests sent in one Load wake-up, each one subrequest plus at most one resend: far below 10,000 subrequests. */
export const LOAD_SENDS_PER_WAKE_UP = 1_000;
/** Outcomes reported to a Batch in one call; also the most a crash leaves to report again. Ours. */
export const OUTCOMES_PER_CALL = 200;
/** Outcomes that a visit is answered; the subject reports the others itself. Ours: with their answers a few MB at most. */
export const OUTCOMES_PER_VISIT = 2_000;
/** Pause before a failed report to the Batch is tried again, in ms. Ours. */
export const OUTCOME_PAUSE_MS = 5 * SECOND_MS;
/** How long an order looks for a feed that does not exist yet, in ms. Ours: longer than a newly set order-feed key is without its feed. */
export const FEED_SOUGHT_MS = 2 * HOUR_MS;
/** How old a feed's knowledge of an order that is still to be created may be, in ms: half of what an order may take to be listed. Ours. */
export const FEED_NOTIFIED_ANEW_MS = HOUR_MS;
/** Pause while no token is available, also after a 401 whose token could not be renewed, in ms: it costs the request no try. Ours. */
export const TOKEN_PAUSE_MS = 15 * SECOND_MS;

/** Time to response headers, in ms. The upstream's own limits are not shown (seed 8). */
export const HEADERS_TIMEOUT_MS = 20 * SECOND_MS;
/** Time for the rest of an answer's body, in ms: ends a slow drip. */
export const BODY_TIMEOUT_MS = 10 * SECOND_MS;
/** No timeout gets shorter than this under a `timeScale`, in ms: a busy machine is not an upstream that hangs. Ours. */
export const TIMEOUT_MS_MIN = 10 * SECOND_MS;
/** How much of an answer is stored with its attempt, in bytes. */
export const ANSWER_BYTES_MAX = 64 * 1024;
/** How much of an answer the Batch stores for its report, in characters. */
export const ANSWER_HEAD_CHARACTERS_MAX = 512;

/** Waits after failure k, the last one repeating to the deadline; JITTER is applied to each. */
export const RETRY_WAITS_MS = [
  5 * SECOND_MS,
  30 * SECOND_MS,
  2 * MINUTE_MS,
  10 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
] as const;
export const RETRY_LAST_WAIT_MS = 10 * HOUR_MS;
/** Spread of a wait, as a share: ±20 %. */
export const RETRY_JITTER = 0.2;
/** Shortest pause before a request with an unknown outcome is sent again, in ms: the first try may still be on its way. */
export const UNKNOWN_RESEND_MS = 60 * SECOND_MS;
/** Shortest and longest wait a Retry-After may impose, in ms. Ours; the upstream states no rate limit (seed 8). */
export const RETRY_AFTER_MIN_MS = SECOND_MS;
export const RETRY_AFTER_MAX_MS = 6 * HOUR_MS;
/** Pause after an answer that blames the channel (401, 403), in ms. Short: the gate says when the channel or the SCAC may be tried again. */
export const CHANNEL_PAUSE_MS = SECOND_MS;

/** Calls per second, and burst, of a channel that sets none. Ours: the upstream states no rate limit (seed 8). */
export const CHANNEL_RATE_DEFAULT = 100;
export const CHANNEL_BURST_DEFAULT = 200;
/** Largest rate and burst. Ours: one gate answers some 500 calls a second. */
export const CHANNEL_RATE_MAX = 500;
export const CHANNEL_BURST_MAX = 2_000;
/** Permits in one lease. Ours: few enough that a breaker that opens meanwhile takes effect at once. */
export const LEASE_PERMITS_MAX = 10;
/** Lifetime of a lease, in ms. Ours: what its holder did not use or return by then is lost. */
export const LEASE_LIFETIME_MS = MINUTE_MS;
/** A subject leases what it can send in this time, in real ms, estimated from its last answer: permits must not lie idle. Ours. */
export const LEASE_USE_MS = 2 * SECOND_MS;
/** Longest time a wake-up waits for its next permit before it ends, in real ms. Ours. */
export const PERMIT_WAIT_MS = SECOND_MS;
/** Breakers consider this much of the past, in ms, and one result per subject in it. Ours, like everything below on breakers. */
export const BREAKER_WINDOW_MS = MINUTE_MS;
/** And no less of it under a `timeScale`, in ms: a busy machine answers too few requests in a moment. */
export const BREAKER_WINDOW_MS_MIN = 2 * SECOND_MS;
/** Subjects remembered of that window: far more than a breaker needs to decide. */
export const BREAKER_SUBJECTS_MAX = 1_000;
/** Failures in a row, each of another subject, that open a breaker. */
export const BREAKER_RUN = 5;
/** Redirects in a row, each of another subject, that open it: a redirect ends its request, so fewer are risked. */
export const BREAKER_REDIRECT_RUN = 3;
/** Or this share of failures among at least so many results. */
export const BREAKER_FAILED_SHARE = 0.5;
export const BREAKER_RESULTS_MIN = 20;
/** With fewer subjects, or with fewer partners if several are active, nothing can be said about a channel. */
export const BREAKER_SUBJECTS_MIN = 5;
export const BREAKER_PARTNERS_MIN = 2;
/** How long a breaker stays open, in ms, at first and at most; doubled each time its probe fails. */
export const BREAKER_OPEN_MS = 30 * SECOND_MS;
export const BREAKER_OPEN_MS_MAX = 10 * MINUTE_MS;
/** Probes that must pass before a breaker closes. */
export const BREAKER_SUCCESSES = 3;
/** How often one request probes whether a stopped SCAC is accepted by now, in ms. */
export const SCAC_PROBE_MS = HOUR_MS;
/** Stopped SCACs of a channel that put its credentials in doubt. */
export const SCACS_DEFERRED_MAX = 3;
/** How often refused credentials are tried again, in ms. */
export const AUTH_PROBE_MS = 5 * MINUTE_MS;
/** Longest time a deferred subject sleeps before it asks the gate again, in ms: an operator's release takes effect within it. */
export const DEFERRED_SLEEP_MS = 5 * MINUTE_MS;
/** And no less of that under a `timeScale`, in ms: thousands of subjects that ask again keep a machine busy. */
export const DEFERRED_SLEEP_MS_MIN = 2 * SECOND_MS;
/** And the shortest, in real ms: a wake-up costs about as much. Ours. */
export const DEFERRED_MS_MIN = 20;
/** A deferred subject that comes while a probe is on its way asks again after this, in ms. */
export const PROBE_PAUSE_MS = SECOND_MS;
export const PROBE_PAUSE_MS_MIN = 100;
/** Pause of a subject whose gate cannot be reached, in ms. */
export const GATE_PAUSE_MS = 5 * SECOND_MS;
/** Entries of a gate's audit shown with its health. */
export const GATE_AUDIT_SHOWN = 20;
/** How long a milestone is tried, in ms from its acceptance. */
export const MILESTONE_DEADLINE_MS = 72 * HOUR_MS;
/** A load sends at most one trace request in this time, in ms (seed 4.3, 8); also how long a position from a file waits for its set. */
export const TRACE_WINDOW_MS = 15 * MINUTE_MS;
/** Points in one trace request. Ours: a day of minutes fits. */
export const TRACE_POINTS_MAX = 1_500;
/** Size of one trace request, in bytes of JSON. Ours; the upstream's limit is not shown (seed 8). */
export const TRACE_BODY_BYTES_MAX = 1_000_000;
/** How long a position from a file is tried, in ms from its acceptance. */
export const TRACE_FILE_DEADLINE_MS = 72 * HOUR_MS;
/** How long a live position is tried, in ms from its acceptance: later ones supersede it. */
export const TRACE_LIVE_DEADLINE_MS = 6 * HOUR_MS;
/** When the upstream is queried about a create without a conclusive answer, in ms after it: an order may be listed late. Ours. */
export const CHECKS_AFTER_MS = [30 * SECOND_MS, 2 * MINUTE_MS, 10 * MINUTE_MS, 30 * MINUTE_MS, 2 * HOUR_MS] as const;
/** Answered checks that list no such order, and the time they must span, in ms, before a person decides. Ours. */
export const CHECKS_FOR_NOT_FOUND = 4;
export const NOT_FOUND_AFTER_MS = 2 * HOUR_MS;
/** Waits after failed checks in a row, in ms, the last one repeating to the deadline; they cost no try. Ours. */
export const CHECK_RETRY_WAITS_MS = [30 * SECOND_MS, 2 * MINUTE_MS, 10 * MINUTE_MS] as const;
export const CHECK_RETRY_LAST_WAIT_MS = 30 * MINUTE_MS;
/** An order counts as older than its create only by more than this, in ms: two clocks never quite agree. Ours. */
export const CLOCKS_APART_MS = 2 * SECOND_MS;
/** How long an order's operation is tried, in ms from its acceptance. */
export const ORDER_DEADLINE_MS = 72 * HOUR_MS;
/** When the upstream is queried for the result of an operation that it only accepted, in ms after its answer, then after the first query. Ours. */
export const ACTION_LOOKUP_AFTER_MS = [30 * SECOND_MS, 10 * MINUTE_MS] as const;
/** Such queries that fail until no more are made. Ours: most of an hour. */
export const ACTION_LOOKUPS_FAILED_MAX = 5;
/** After an update with an ambiguous answer the next operation of its order waits: a request may be applied up to 10 minutes late. Ours. */
export const ORDER_QUIET_MS = 15 * MINUTE_MS;
/** How long a request is tried after a person had it sent again, in ms: its own time may have passed while it was held. Ours. */
export const DECIDED_DEADLINE_MS = 72 * HOUR_MS;
/** After how long an undecided milestone or trace request lets later ones of its load pass, in ms from its first try. */
export const STEP_ASIDE_MS = HOUR_MS;
/** Events of a load per page. Ours: with their bodies and the heads of their answers far below the 32 MiB of a call. */
export const LOAD_PAGE_DEFAULT = 100;
export const LOAD_PAGE_MAX = 200;
/** Operations of an order, and the statuses after them, per page. Ours. */
export const ORDER_PAGE_DEFAULT = 50;
export const ORDER_PAGE_MAX = 200;
/** Attempts shown of one operation, the newest, with their whole answers. Ours: 64 KiB each at most. */
export const ORDER_ATTEMPTS_SHOWN_MAX = 50;
/** A page of an order ends once its answers have this many characters. Ours: even with one operation more, far below the 32 MiB of a call. */
export const ORDER_PAGE_CHARACTERS_MAX = 4_000_000;
/** A page of the whole record of a load or an order ends once it has this many characters: so much of it is in memory at a time. Ours. */
export const RECORD_PAGE_CHARACTERS_MAX = 1_000_000;
/** Statuses shown of one order, the latest ones. Ours. */
export const ORDER_STATUSES_SHOWN_MAX = 1_000;
/** Attempts shown of one event, the newest; the others are counted. Ours. */
export const LOAD_ATTEMPTS_SHOWN_MAX = 20;
/** SCACs of a key under which a load is searched if none is named. Ours: each is a call; above it the SCAC is required. */
export const LOAD_SCACS_MAX = 25;
/** Interchanges of one partner listed for a control number. Ours: its senders may each have used it. */
export const INTERCHANGES_SHOWN_MAX = 20;
/** Interchanges on a page of a partner's list. Ours: each may lead to another batch, whose counts are read in one statement. */
export const INTERCHANGES_PAGE_MAX = 50;
/** Partners and SCACs under which an operator's load or order is searched if no partner is named. Ours: a call each. */
export const OPS_LOAD_LOCATIONS_MAX = 500;

/** Share of a token's lifetime after which it is refreshed. */
export const TOKEN_REFRESH_SHARE = 0.8;
/** Lifetime assumed when the token answer names none, in seconds (seed 8). */
export const TOKEN_LIFETIME_DEFAULT_SECONDS = 3_600;
/** KV refuses a shorter `expirationTtl`, in seconds (KV > How KV works). */
export const KV_TTL_SECONDS_MIN = 60;
/** How long a failed token request is remembered before the next, in ms: a stuck token endpoint is not hammered by every load. */
export const TOKEN_FAILURE_PAUSE_MS = 2 * SECOND_MS;

/** How often a register with open batches checks that their alarms are set, in ms: no lost alarm costs more. */
export const WATCH_REGISTER_MS = 5 * MINUTE_MS;
/** Batches checked per wake-up of a register. Ours: bounds its calls; the others follow after BATCH_PAUSE_MS. */
export const WATCH_BATCHES_MAX = 200;
/** Registers the cron calls per run. Ours: far below 10,000 subrequests; the others are called by the next runs. */
export const WATCH_REGISTERS_MAX = 2_000;
/** How often a batch looks for loads and orders that are overdue, in ms. Ours: with the grace below WATCH_REGISTER_MS. */
export const WATCH_BATCH_MS = 2 * MINUTE_MS;
/** How long after its time a load or order may be silent before it is overdue, in ms. Ours: an alarm can slip a minute (Durable Objects > Alarms). */
export const WATCH_GRACE_MS = 2 * MINUTE_MS;
/** Longest pause between two checks of one subject, or of a batch that waits for a person, in ms. Ours. */
export const WATCH_PAUSE_MS_MAX = HOUR_MS;
/** Requests examined per check. Ours: a few ms; a longer pass continues after BATCH_PAUSE_MS. */
export const WATCH_REQUESTS_MAX = 20_000;
/** Overdue loads and orders woken per check. Ours: bounds the calls when very many wait for the upstream. */
export const WATCH_ENSURES_MAX = 100;

/**
 * How long an upload under way keeps its Idempotency-Key to itself, in ms: no longer, because a process that died
 * cannot release it. Ours: the largest upload at 1 MB/s; two that overlap after it are still one batch.
 */
export const UPLOAD_RESERVATION_MS = 2 * MINUTE_MS;
/** Longest wait suggested to a caller that repeats an upload that is under way, in seconds. Ours. */
export const UPLOAD_IN_FLIGHT_RETRY_SECONDS = 10;
/** How long a browser may keep what a page of another site may do, in seconds. Ours: a partner's page that is taken off the list stops soon. */
export const PREFLIGHT_CACHED_SECONDS = 600;
/** Wait suggested before somebody looks what became of what they sent, in seconds. Ours: a small file is read and delivered by then. */
export const RECEIPT_RETRY_SECONDS = 2;
/** Wait suggested wherever something does not answer for the moment (503), in seconds. Ours: an object that was reset is back in a few, an overloaded one needs more. */
export const UNAVAILABLE_RETRY_SECONDS = 60;
/** How long file digests and idempotency keys are remembered, in ms. */
export const CLAIM_RETENTION_MS = 90 * DAY_MS;
/** How long the bytes of an upload are kept after its last row was decided, in ms: reports and corrections are made from them. */
export const BYTES_RETENTION_MS = 90 * DAY_MS;
/** How long a batch is kept after its last row was decided, in ms. */
export const BATCH_RETENTION_MS = 2 * 365 * DAY_MS;
/** How long a load is kept after its last event, in ms. */
export const LOAD_RETENTION_MS = 30 * DAY_MS;
/** When a batch calls its loads again because some could not be reached when their retention ended, in ms. Ours. */
export const LOADS_END_AGAIN_MS = DAY_MS;
/** How often at most it does so. Ours: what does not answer for a month is no longer a matter of time. */
export const LOADS_END_PASSES_MAX = 30;
/** Requests whose loads are called in one step at the end of their retention. Ours: far below 10,000 subrequests. */
export const LOADS_ENDED_AT_ONCE = 500;
/** How long an order is kept after its last operation was decided, in ms. */
export const ORDER_RETENTION_MS = 90 * DAY_MS;
/** How long bytes without a claim are kept, in ms: their upload broke off. */
export const UNCLAIMED_RETENTION_MS = 7 * DAY_MS;
/** How often a register looks for what is past its retention, in ms. */
export const SWEEP_MS = DAY_MS;
/** Batches examined, and called or deleted, per sweep. Ours; the rest is next after WATCH_REGISTER_MS. */
export const SWEEP_BATCHES_MAX = 1_000;
export const SWEEP_CALLS_MAX = 50;
/** Objects listed and deleted at once (R2 > delete: at most 1,000 keys). */
export const FILES_DELETED_AT_ONCE = 1_000;
/** Characters of one file of archived attempts; a request with longer attempts has one of its own. Ours: held in memory at once. */
export const ARCHIVE_CHARACTERS_MAX = 4 * 1024 * 1024;

/** Largest body of a mapping document or code list, in bytes: a document has at most 256 Ki characters (mapping/limits), each at most 3 bytes. */
export const DOCUMENT_BYTES_MAX = 3 * 256 * 1024;
/** Largest body of any other request that changes a published name, in bytes. Ours: all entries of the largest code list at once. */
export const CHANGE_BYTES_MAX = 1024 * 1024;
/** Revisions shown of what is agreed with a partner, or of how answers are read, newest first. Ours: all are kept. */
export const SETTING_REVISIONS_SHOWN = 20;
/** Longest remark stored with a publication, in characters. Ours. */
export const NOTE_CHARACTERS_MAX = 500;

/** How long an alarm is put off when this release cannot read the stored data, in ms. Ours: about as long as a deploy takes. */
export const STORED_DATA_PAUSE_MS = MINUTE_MS;
/** Events published at once by a batch. Ours: a call stays small. */
export const NOTIFICATIONS_AT_ONCE = 50;
/** Rows of a workbook of corrections. Ours: it is made in memory, some 2 KB a row; as CSV there is no limit. */
export const CORRECTIONS_SHEET_ROWS_MAX = 5_000;
/** Longest body of a form on a page of the console, in bytes. Ours: a reason, in its longest encoding. */
export const BODY_FORM_BYTES_MAX = 32 * 1024;
/** Longest body of a form that may hold a document, in bytes. Ours: a document, encoded for a form. */
export const FORM_BYTES_MAX = 3 * DOCUMENT_BYTES_MAX;
/** How soon a batch retries a notification that failed, in ms. Ours. */
export const NOTIFICATION_PAUSE_MS = MINUTE_MS;
/**
 * How long the end of a batch is kept from its register because other notifications of it failed, in ms. Ours: a file
 * that is to be sent again need not wait longer.
 */
export const NOTIFICATION_PATIENCE_MS = 10 * MINUTE_MS;
/** Entries skipped in a list of statuses that are stored as examples, and how much of each, in characters; all are counted. Ours. */
export const SKIPPED_SAMPLES_MAX = 20;
export const SKIPPED_SAMPLE_CHARACTERS_MAX = 1_000;
/** Longest text read from a status, in characters. Ours: longer ones are not codes, places or references. */
export const STATUS_TEXT_CHARACTERS_MAX = 200;
