/**
 * All that the bridge stores of a partner in one environment, as lines of JSON: its entry, its keys without their secrets,
 * its settings, its batches, its stored files by name, and what operators did about it. Each list is read page by page.
 */
import { iso } from '../../../kernel/clock.ts';
import { BATCHES_PAGE_MAX } from '../../../kernel/limits.ts';
import { type Environment, filesPrefix, type PartnerScope } from '../../../kernel/names.ts';
import type { Result } from '../../../kernel/result.ts';
import type { AuditCursor, AuditEntry, AuditQuery } from '../../../ops/directory/audit.ts';
import { AUDIT_PAGE } from '../../../ops/directory/limits.ts';
import type { AdministeredPartner } from '../../../ops/directory/partners.ts';
import type { AppPorts } from '../../edge/ports.ts';
import { proposalWhole } from '../../views/mapping-proposal.ts';
import { agreedWebhook } from '../../views/webhooks.ts';
import { nextCheckpoint } from '../batch-list.ts';
import { batchLine } from '../views/batch.ts';
import { agreedFeed } from '../views/feed.ts';
import { partnerKeyView } from '../views/keys.ts';

export async function* partnerLines(
  ports: AppPorts,
  env: Env,
  found: AdministeredPartner,
  environment: Environment,
): AsyncGenerator<string> {
  const scope = { environment, partner: found.partner };
  yield line({ partner: found });
  yield* settingLines(ports, env, scope);
  yield* batchLines(ports, env, scope);
  for (const prefix of [filesPrefix(scope), `feeds/${filesPrefix(scope)}`]) yield* fileLines(env.FILES, prefix);
  yield* auditLines(ports, env, scope);
}

/** Lists that people see are cut; a record is not. */
const ALL = -1;

const line = (entry: object): string => JSON.stringify(entry);

/** Once the first line is sent, nothing can be refused any more: the answer is cut instead. */
function needed<Value>(found: Result<Value, { code: string }>): Value {
  if (!found.ok) throw new Error(found.error.code);
  return found.value;
}

async function* settingLines(ports: AppPorts, env: Env, scope: PartnerScope): AsyncGenerator<string> {
  const nowMs = Date.now();
  for (const row of needed(await ports.partnerKeys(env).list({ ...scope }, ALL)))
    yield line({ key: partnerKeyView(row, nowMs) });
  for (const link of needed(await ports.uploadLinks(env).list(scope, ALL))) yield line({ uploadLink: link });
  for (const revision of needed(await ports.envelopes(env).history(scope, ALL))) yield line({ envelopes: revision });
  const feed = await ports.feeds(env).read(scope);
  if (feed.ok) yield line({ feed: agreedFeed(feed.value) });
  else if (feed.error.code !== 'no_feed') needed(feed);
  const mappings = needed(await ports.catalog(env).mappings(scope));
  for (const { name, sha256 } of mappings) yield line({ mapping: { name, sha256 } });
  for (const id of needed(await ports.proposals(env).idsOf(scope)))
    yield line({ proposal: proposalWhole(needed(await ports.proposals(env).find(scope, id))) });
  for (const target of needed(await ports.webhooks(env).list(scope)))
    yield line({ webhook: agreedWebhook({ ...target, secret: null }) });
}

/** What is stopped at the moment is no part of what is stored. */
const NO_STOPS: Parameters<typeof batchLine>[1] = [];

async function* batchLines(ports: AppPorts, env: Env, scope: PartnerScope): AsyncGenerator<string> {
  const any = { states: null, mapping: null, fileName: null, fromMs: null, toMs: null, needs: null };
  const limit = BATCHES_PAGE_MAX;
  for (let after = null as ReturnType<typeof nextCheckpoint>; ; ) {
    const page = needed(await ports.batches(env).list({ ...scope, ...any, after, limit }));
    for (const row of page) yield line({ batch: batchLine(row, NO_STOPS) });
    after = nextCheckpoint(page, limit);
    if (after === null) return;
  }
}

/** Not their bytes: an operator downloads those of a batch by its own address. */
async function* fileLines(files: R2Bucket, prefix: string): AsyncGenerator<string> {
  for (let cursor: string | undefined; ; ) {
    const page = await files.list({ prefix, ...(cursor === undefined ? {} : { cursor }) });
    for (const { key, size, uploaded } of page.objects)
      yield line({ file: { name: key, bytes: size, storedAt: iso(uploaded.getTime()) } });
    if (!page.truncated) return;
    cursor = page.cursor;
  }
}

async function* auditLines(ports: AppPorts, env: Env, { environment, partner }: PartnerScope): AsyncGenerator<string> {
  const any = { actor: null, action: null, fromMs: null, toMs: null };
  const limit = AUDIT_PAGE.most;
  for (let before: AuditCursor | null = null; ; ) {
    const asked: AuditQuery = { ...any, environment, about: `partner/${partner}`, before, limit };
    const page: AuditEntry[] = needed(await ports.audit(env).list(asked));
    for (const entry of page) yield line({ audit: entry });
    const last: AuditEntry | undefined = page.length === limit ? page.at(-1) : undefined;
    if (last === undefined) return;
    before = { atMs: Date.parse(last.at), id: last.id };
  }
}
