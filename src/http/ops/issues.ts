/**
 * `/v1/ops/issues`: what failed alike over all batches of an environment; one of them with its rows; and what people say
 * about it. Lists come from the index, rows from the batches that have them.
 */

import { Hono } from 'hono';
import * as z from 'zod';
import { type DeadLetter, type DeadLetterCheckpoint, TROUBLED_STATES } from '../../batch/core/dead-letters.ts';
import { ISSUE_ID_FORM } from '../../batch/core/issue.ts';
import { BYTE_ORDER_MARK, csvLine } from '../../batch/report/report-csv.ts';
import { BATCH_ID_FORM } from '../../kernel/ids.ts';
import {
  DEAD_LETTERS_PAGE_DEFAULT,
  DEAD_LETTERS_PAGE_MAX,
  ISSUE_BATCHES_SHOWN,
  ISSUE_CHANGES_SHOWN,
  ISSUE_MUTED_MS_MAX,
  ISSUES_PAGE_DEFAULT,
  ISSUES_PAGE_MAX,
} from '../../kernel/limits.ts';
import type { Environment } from '../../kernel/names.ts';
import {
  cursorAfter,
  ISSUE_SORTS,
  ISSUE_STATES,
  type IssueBatch,
  type IssueCursor,
  type IssueDecision,
  type ListedIssue,
} from '../../ops/index/issues.ts';
import { noteForAudit } from '../edge/audit-notes.ts';
import type { HttpBindings, OpsContext } from '../edge/context.ts';
import type { AppPorts } from '../edge/ports.ts';
import { type ProblemMessages, problem } from '../edge/problem.ts';
import { pageSize, readChoice, unreadable } from '../edge/query.ts';
import { withParameters } from '../edge/reader.ts';
import { CSV, fileHeaders, streamOf } from '../views/downloads.ts';
import { deadLetterPorts, foundIssue, issueIdIn } from './lookup.ts';
import { refusedByOps } from './refusals.ts';
import { authorOf, type OpsQuery, opsRoute, readJson, why } from './request.ts';
import { resubmit } from './resubmit.ts';
import { deadLetterLine } from './views/dead-letter.ts';
import { issueLine, issuePath, issueView } from './views/issue.ts';

const LIST_PARAMETERS = ['state', 'partner', 'mapping', 'code', 'search', 'sort', 'limit', 'cursor'];

export function opsIssueRoutes(ports: AppPorts): Hono<HttpBindings> {
  const routes = new Hono<HttpBindings>();
  routes.get('/', opsRoute(ports, LIST_PARAMETERS, list));
  routes.get('/:id', opsRoute(ports, [], show));
  routes.get('/:id/rows', opsRoute(ports, ['partner', 'limit', 'cursor'], rows));
  routes.get('/:id/rows.csv', opsRoute(ports, ['partner'], rowsCsv));
  routes.post('/:id/acknowledge', opsRoute(ports, [], acknowledge));
  routes.post('/:id/mute', opsRoute(ports, [], mute));
  routes.post('/:id/reopen', opsRoute(ports, [], reopen));
  routes.post('/:id/resubmit', opsRoute(ports, ['dryRun'], resubmit));
  return routes;
}

async function list(context: OpsContext, { environment, get }: OpsQuery, ports: AppPorts): Promise<Response> {
  const states = readChoice(context.req.query(), 'state', ISSUE_STATES);
  if (!states.ok) return problem(context, states.error);
  const wanted = get('sort') ?? 'lastSeen';
  const sort = ISSUE_SORTS.find((each) => each === wanted);
  if (sort === undefined) return problem(context, unreadable('sort', wanted, `one of ${ISSUE_SORTS.join(', ')}`));
  const cursor = get('cursor');
  const after = cursor === undefined ? null : readCursor(cursor);
  if (after === undefined) return problem(context, unreadable('cursor', cursor ?? '', NEXT));
  const limit = pageSize(get('limit'), ISSUES_PAGE_DEFAULT, ISSUES_PAGE_MAX);
  const isOfBatches = get('partner') !== undefined || get('mapping') !== undefined;
  if (get('state') !== undefined && states.value.includes('resolved') && isOfBatches)
    return problem(context, RESOLVED_OF_NOBODY);
  const nowMs = Date.now();
  const asked = {
    ...{ environment, sort, after, limit },
    /** What is resolved needs nobody. */
    states: get('state') === undefined ? ISSUE_STATES.filter((state) => state !== 'resolved') : states.value,
    partner: get('partner') ?? null,
    mapping: get('mapping') ?? null,
    code: get('code') ?? null,
    search: get('search') ?? null,
  };
  const found = await ports.issues(context.env).list(asked, nowMs);
  if (!found.ok) return refusedByOps(context, found.error);
  const last = found.value.length === limit ? found.value.at(-1) : undefined;
  const { cursor: _, ...filters } = context.req.query();
  return context.json({
    environment,
    issues: found.value.map((issue) => issueLine(environment, issue, nowMs)),
    next:
      last === undefined
        ? null
        : withParameters('/v1/ops/issues', { ...filters, environment, cursor: writeCursor(cursorAfter(last, sort)) }),
  });
}

/** Partner and mapping are those of the batches that have it. */
const RESOLVED_OF_NOBODY: ProblemMessages = {
  status: 400,
  code: 'parameter_invalid',
  title: 'Parameter not readable',
  detail: 'No batch has rows of an issue that is resolved, so none is found by partner or mapping. Nothing was done.',
  fix: 'Leave partner and mapping out, or ask for state=open,acknowledged,muted.',
};

const NEXT = 'what "next" of the page before says';

/** `1772460000000~0123456789abcdef` */
const writeCursor = ({ at, issue }: IssueCursor): string => `${at}~${issue}`;

function readCursor(text: string): IssueCursor | undefined {
  const [, at = '', issue = ''] = /^(\d{1,16})~(.+)$/.exec(text) ?? [];
  return at !== '' && ISSUE_ID_FORM.test(issue) ? { at: Number(at), issue } : undefined;
}

async function show(context: OpsContext, { environment }: OpsQuery, ports: AppPorts): Promise<Response> {
  const issue = await foundIssue(context, ports, environment);
  return issue.ok ? shown(context, ports, environment, issue.value) : issue.error;
}

async function shown(
  context: OpsContext,
  ports: AppPorts,
  environment: Environment,
  issue: ListedIssue,
): Promise<Response> {
  const issues = ports.issues(context.env);
  const batches = await issues.batches(environment, issue.issue, { limit: ISSUE_BATCHES_SHOWN });
  if (!batches.ok) return refusedByOps(context, batches.error);
  const changes = await issues.changes(environment, issue.issue, ISSUE_CHANGES_SHOWN);
  if (!changes.ok) return refusedByOps(context, changes.error);
  const more = { batches: batches.value, changes: changes.value };
  return context.json(issueView(environment, issue, more, Date.now()));
}

/* Its rows, batch by batch. */

type IssueRow = DeadLetter & { partner: string };

/** Batches named at once by the index. Ours. */
const BATCHES_AT_ONCE = 100;
const FIRST: DeadLetterCheckpoint = { record: 0, request: -1 };

/** The position after a row: its batch, and where in it. */
interface RowsCursor {
  batchId: string;
  after: DeadLetterCheckpoint;
}

/** As the batches have them now, in the order of their ids. @throws if the index or a batch does not answer. */
async function* rowsOf(
  context: OpsContext,
  ports: AppPorts,
  { environment, issue, partner }: { environment: Environment; issue: ListedIssue; partner: string | null },
  from: RowsCursor | null,
): AsyncGenerator<IssueRow> {
  const filter = { states: TROUBLED_STATES, reasons: null, statuses: null, kinds: null, subject: null, places: null };
  let isFirst = from !== null;
  for await (const batch of batchesOf(ports, context, environment, issue.issue, partner, from)) {
    const stub = deadLetterPorts(context, ports).batch({ environment, partner: batch.partner }, batch.batch_id);
    let after: DeadLetterCheckpoint = isFirst && from?.batchId === batch.batch_id ? from.after : FIRST;
    isFirst = false;
    for (;;) {
      const page = await stub.deadLetters({ ...filter, issues: [issue.key] }, after, DEAD_LETTERS_PAGE_MAX);
      for (const row of page) yield { ...row, partner: batch.partner };
      const last = page.at(-1);
      if (last === undefined || page.length < DEAD_LETTERS_PAGE_MAX) break;
      after = { record: last.record, request: last.request };
    }
  }
}

async function* batchesOf(
  ports: AppPorts,
  context: OpsContext,
  environment: Environment,
  issue: string,
  partner: string | null,
  from: RowsCursor | null,
): AsyncGenerator<IssueBatch> {
  // The batch in which the page before ended comes first, once more.
  let after = from === null ? '' : justBefore(from.batchId);
  for (;;) {
    const page = await ports
      .issues(context.env)
      .batches(environment, issue, { partner, after, limit: BATCHES_AT_ONCE });
    if (!page.ok) throw new Error('the index of issues does not answer');
    yield* page.value;
    const last = page.value.at(-1);
    if (last === undefined || page.value.length < BATCHES_AT_ONCE) return;
    after = last.batch_id;
  }
}

/** Ids have a fixed length: one without its last character sorts right before it. */
const justBefore = (batchId: string): string => batchId.slice(0, -1);

async function rows(context: OpsContext, { environment, get }: OpsQuery, ports: AppPorts): Promise<Response> {
  const issue = await foundIssue(context, ports, environment);
  if (!issue.ok) return issue.error;
  const text = get('cursor');
  const from = text === undefined ? null : readRowsCursor(text);
  if (from === undefined) return problem(context, unreadable('cursor', text ?? '', NEXT));
  const limit = pageSize(get('limit'), DEAD_LETTERS_PAGE_DEFAULT, DEAD_LETTERS_PAGE_MAX);
  const partner = get('partner') ?? null;
  const page: IssueRow[] = [];
  for await (const row of rowsOf(context, ports, { environment, issue: issue.value, partner }, from)) {
    page.push(row);
    if (page.length === limit) break;
  }
  const last = page.length === limit ? page.at(-1) : undefined;
  const path = issuePath(environment, issue.value.issue, '/rows');
  return context.json({
    environment,
    rows: page.map((row) => deadLetterLine(environment, row)),
    next:
      last === undefined
        ? null
        : withParameters(path, {
            ...(partner === null ? {} : { partner }),
            limit: String(limit),
            cursor: `${last.batchId}~${last.record}~${last.request}`,
          }),
  });
}

function readRowsCursor(text: string): RowsCursor | undefined {
  const [, batchId = '', record, request] = /^(.+)~(\d{1,15})~(\d{1,5})$/.exec(text) ?? [];
  if (!BATCH_ID_FORM.test(batchId)) return undefined;
  return { batchId, after: { record: Number(record), request: Number(request) } };
}

const CSV_COLUMNS = [
  ...['partner', 'batch', 'file', 'record', 'line', 'load_or_order', 'state', 'code', 'column', 'value'],
  ...['problem', 'fix', 'status', 'answer'],
];

async function rowsCsv(context: OpsContext, { environment, get }: OpsQuery, ports: AppPorts): Promise<Response> {
  const issue = await foundIssue(context, ports, environment);
  if (!issue.ok) return issue.error;
  const asked = { environment, issue: issue.value, partner: get('partner') ?? null };
  async function* lines(): AsyncGenerator<string> {
    yield BYTE_ORDER_MARK + csvLine(CSV_COLUMNS);
    for await (const row of rowsOf(context, ports, asked, null)) yield csvLine(cellsOf(row));
  }
  return context.body(streamOf(lines()), 200, fileHeaders(CSV, `issue-${issue.value.issue}.csv`));
}

function cellsOf(row: IssueRow): string[] {
  const [first] = row.problems;
  return [
    ...[row.partner, row.batchId, row.fileName ?? '', String(row.record), String(row.line)],
    ...[row.subject?.replace(/^(?:load|order):/, '') ?? '', row.state, first?.code ?? row.reason ?? row.state],
    ...[first?.path ?? '', first?.value ?? '', first?.message ?? '', first?.fix ?? ''],
    ...[row.status === null ? '' : String(row.status), row.answer ?? ''],
  ];
}

/* What people say about it. */

const said = z.strictObject({ why });
const muted = z.strictObject({ why, until: z.iso.datetime({ offset: true }) });

async function decide(
  context: OpsContext,
  ports: AppPorts,
  { environment }: OpsQuery,
  decision: IssueDecision,
  reason: string,
): Promise<Response> {
  noteForAudit(context, { isWritten: true }); // in one transaction with the decision
  const decided = await ports
    .issues(context.env)
    .decide(environment, issueIdIn(context), decision, authorOf(context, reason));
  return decided.ok ? shown(context, ports, environment, decided.value) : refusedByOps(context, decided.error);
}

async function acknowledge(context: OpsContext, query: OpsQuery, ports: AppPorts): Promise<Response> {
  const body = await readJson(context, said);
  if (!body.ok) return problem(context, body.error);
  return decide(context, ports, query, { what: 'acknowledged' }, body.value.why);
}

async function mute(context: OpsContext, query: OpsQuery, ports: AppPorts): Promise<Response> {
  const body = await readJson(context, muted);
  if (!body.ok) return problem(context, body.error);
  const untilMs = Date.parse(body.value.until);
  const nowMs = Date.now();
  if (untilMs <= nowMs || untilMs > nowMs + ISSUE_MUTED_MS_MAX)
    return refusedByOps(context, { code: 'mute_out_of_range' });
  return decide(context, ports, query, { what: 'muted', untilMs }, body.value.why);
}

async function reopen(context: OpsContext, query: OpsQuery, ports: AppPorts): Promise<Response> {
  const body = await readJson(context, said);
  if (!body.ok) return problem(context, body.error);
  return decide(context, ports, query, { what: 'reopened' }, body.value.why);
}
