/**
 * Going back where that is not allowed: a next release has stored data in a form that this one does not know. This one says so,
 * takes nothing and changes nothing; under the next release again all goes on.
 */
import { readFileSync } from 'node:fs';
import { dice } from '../../frame/dice.ts';
import { eventViolations } from '../../invariants/events.ts';
import { breaks, seenAt, sendingsOf, type Violation } from '../../invariants/evidence.ts';
import { nextReleaseConfig } from '../../keep/next-config.ts';
import { eventFile, sent, type Upload } from '../../kill/uploads.ts';
import { type HarnessClient, isSettled, pause } from '../../local/client.ts';
import { type Stack, withStack } from '../../local/stack.ts';
import { storedSubjects } from '../../local/stored-objects.ts';
import { PROVE, type Proof } from '../proof.ts';

const TIME_SCALE = 60;
const DRAIN_MS_MAX = 300_000;
/** What one release gets before the other comes. */
const LIFE_MS = 2_000;
/** Requests are still open when the next release ends. */
const SLOW_MS = 150;
const NEWER = 'stored_data_newer';
/** The register cannot say whether a file is new: it is not taken. */
const UPLOAD_REFUSED = '503 storage_unavailable';
const refusal = breaks('going back');

export function proveRefused({ seed }: { seed: number }): Promise<Proof> {
  const next = { config: nextReleaseConfig() };
  return withStack({ ...PROVE, timeScale: TIME_SCALE }, async (stack, client) => {
    const random = dice(seed);
    const files = ['BEFORE', 'NEXT', 'REFUSED'].map((name) => eventFile(`${name}${seed}`, random));
    const [before, under, refused] = files as [Upload, Upload, Upload];
    await stack.putFaults([{ match: {}, fault: { type: 'delay', ms: SLOW_MS, apply: 'before' } }]);
    const ids = [await sent(before, client)];
    await pause(LIFE_MS);
    await stack.bridge.kill();
    await stack.startBridge(next);
    ids.push(await sent(under, client));
    await pause(LIFE_MS);
    await stack.bridge.kill();

    await stack.startBridge();
    const answers = await refusedWith(stack, refused, ids);
    await pause(LIFE_MS);
    const log = readFileSync(stack.bridge.logPath, 'utf8').split('\n');
    const said = log.filter((line) => line.includes(NEWER)).length;
    await stack.bridge.kill();

    await stack.startBridge(next);
    ids.push(await sent(refused, client));
    const cron = setInterval(
      () => fetch(`${stack.bridge.baseUrl}/cdn-cgi/handler/scheduled`).catch(() => undefined),
      60_000 / TIME_SCALE,
    );
    const ends = await evidence(stack, client, ids, files).finally(() => clearInterval(cron));
    const wrong = answers.filter((answer, at) => answer !== (at === 0 ? UPLOAD_REFUSED : `503 ${NEWER}`));
    return {
      figures: [
        `going back behind a release that stores more: ${answers.length} calls answered ${[...new Set(answers)].join(', ')}, ${said} lines of the log say why; ` +
          `under the later release again ${ends.rows} rows of ${ids.length} files ended, ${ends.seen} requests received`,
      ],
      violations: [
        ...wrong.map((answer) => refusal(`a call was answered ${answer}`)),
        ...(said > 0 ? [] : [refusal('the log does not say why')]),
        ...ends.violations,
      ],
    };
  });
}

/** An upload, then what was taken before. @returns status and code of each. */
async function refusedWith(stack: Stack, { mapping, text }: Upload, ids: readonly string[]): Promise<string[]> {
  const headers = { Authorization: `Bearer ${stack.keys[0] ?? ''}` };
  const upload = { path: `/v1/batches?mapping=${mapping}`, init: { method: 'PUT', body: text, headers } };
  const reads = ids.map((id) => ({ path: `/v1/batches/${id}`, init: { headers } }));
  const said: string[] = [];
  for (const { path, init } of [upload, ...reads, { path: '/v1/batches', init: { headers } }]) {
    const answer = await fetch(stack.bridge.baseUrl + path, init);
    said.push(`${answer.status} ${((await answer.json()) as { code?: string }).code ?? ''}`);
  }
  return said;
}

async function evidence(
  stack: Stack,
  client: HarnessClient,
  ids: readonly string[],
  files: readonly Upload[],
): Promise<{ rows: number; seen: number; violations: Violation[] }> {
  const summaries = await client.drain(ids, isSettled, DRAIN_MS_MAX);
  const batches = [];
  for (const [at, summary] of summaries.entries())
    batches.push({ summary, rows: await client.rows(summary.batchId), rowsUploaded: files[at]?.records ?? 0 });
  await stack.bridge.stop();
  const journal = await stack.journal();
  const seen = [...seenAt(journal, 'milestone'), ...seenAt(journal, 'trace')];
  const loads = storedSubjects(stack.persistTo, 'Load').map(sendingsOf);
  return {
    rows: batches.reduce((sum, { rows }) => sum + rows.length, 0),
    seen: seen.length,
    violations: eventViolations({ seen, loads, batches }),
  };
}
