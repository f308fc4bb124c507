/** Creates of orders whose answers are lost, wrong or late, through sandbox and bridge as processes. */
import { ACCOUNTS } from '../../src/sandbox/settings.ts';
import { ENDPOINTS, HEADERS } from '../../src/upstream/contracts/endpoints.ts';
import { NOT_SHOWN } from '../../src/upstream/contracts/not-shown.ts';
import { harnessClient, isSettledOrHeld, pause } from '../kill/client.ts';
import { smallOrderFile } from '../kill/order-file.ts';
import { seenAt, sendingsOf } from '../kill/sendings.ts';
import { storedSubjects } from '../kill/stored.ts';
import { putSandboxSettings, sandboxOrders } from '../lives/sandbox-orders.ts';
import { channelName } from '../local/bridge.ts';
import { type Stack, startStack } from '../local/stack.ts';
import { type CreateEvidence, caseFigures, createViolations } from './check-creates.ts';
import { CREATE_CASES, type CreateCase, faultRulesOf } from './create-cases.ts';
import type { Proof } from './proof.ts';

/** @property indexDelaySeconds of real time, in which a new order cannot be found by its reference. */
export interface CreatePlan {
  timeScale: number;
  ordersPerCase: number;
  indexDelaySeconds: number;
  failingChecks: number;
}

const LINES_PER_ORDER = 2;
/** So much older are the older orders, in ms: more than two clocks may differ. */
const OLDER_MS = 2_500;
const SETTLE_MS_MAX = 120_000;

export async function proveCreates(plan: CreatePlan): Promise<Proof> {
  const { timeScale, ordersPerCase, indexDelaySeconds, failingChecks } = plan;
  const partner = { partner: 'prove', displayName: 'Prove', environment: 'test' as const, mappings: null };
  const stack = await startStack({
    partners: [{ ...partner, channel: channelName('test', 'key'), scacs: ['DEMO'] }],
    timeScale,
  });
  try {
    await putSandboxSettings(stack.sandbox.baseUrl, { orderIndexDelaySeconds: indexDelaySeconds });
    const files = CREATE_CASES.map((each) => ({
      each,
      file: smallOrderFile(each.name, ordersPerCase, LINES_PER_ORDER),
    }));
    const refsOf = (rows: readonly { orderRef: string }[]) => [...new Set(rows.map(({ orderRef }) => orderRef))];
    for (const { each, file } of files) await makeOlder(stack, each, refsOf(file.rows));
    await pause(OLDER_MS);
    const seededUntil = (await stack.journal()).at(-1)?.seq ?? 0;
    await stack.putFaults(faultRulesOf(CREATE_CASES, ordersPerCase, failingChecks));
    const client = harnessClient(() => stack.bridge.baseUrl, stack.keys[0] ?? '');
    const startedMs = Date.now();
    const ids: string[] = [];
    for (const { file } of files) ids.push(await client.put(file.text, 'orders-csv'));
    await client.drain(ids, isSettledOrHeld, SETTLE_MS_MAX);
    const tookMs = Date.now() - startedMs;
    const cases: CreateEvidence['cases'][number][] = [];
    for (const [at, { each, file }] of files.entries()) {
      cases.push({ plan: each, orderRefs: refsOf(file.rows), rows: await client.rows(ids[at] ?? '') });
    }
    const upstreamRefs = (await sandboxOrders(stack.sandbox.baseUrl)).map(({ orderRef }) => orderRef);
    await stack.bridge.stop(); // its files are read next
    const journal = (await stack.journal()).filter(({ seq }) => seq > seededUntil);
    const evidence: CreateEvidence = {
      cases,
      creates: seenAt(journal, 'orderCreate').filter(({ method }) => method === 'POST'),
      asked: journal.filter(({ path }) => path.endsWith(ENDPOINTS.orderHistory.path)).length,
      upstreamRefs,
      sendings: storedSubjects(stack.persistTo, 'Order').flatMap(sendingsOf),
    };
    const checks = `${evidence.asked} look-ups, the first ${failingChecks} of them answered 500`;
    return {
      figures: [
        ...caseFigures(evidence),
        `creates: ${checks}; new orders listed after ${indexDelaySeconds} s; ${(tookMs / 1_000).toFixed(1)} s at ` +
          `timeScale ${timeScale} (2 hours = ${7_200 / timeScale} s)`,
      ],
      violations: createViolations(evidence),
    };
  } finally {
    await stack.stop();
  }
}

/** Orders that somebody else made under the same references. */
async function makeOlder({ sandbox }: Stack, { older }: CreateCase, orderRefs: readonly string[]): Promise<void> {
  const account = ACCOUNTS.find(({ environment, name }) => environment === 'test' && name === 'demo');
  for (const orderRef of older === 0 ? [] : orderRefs) {
    const answer = await fetch(`${sandbox.baseUrl}/test${ENDPOINTS.orderCreate.path}`, {
      method: 'POST',
      headers: {
        [HEADERS.subscriptionKey]: account?.apiKey ?? '',
        [NOT_SHOWN.orderScacHeader]: 'DEMO',
        [HEADERS.accept]: 'application/json',
        'Content-Type': 'application/json',
      },
      body: JSON.stringify({ orderRef }),
    });
    if (!answer.ok) throw new Error(await answer.text());
  }
}
