/** Creates of orders whose answers are lost, wrong or late, through sandbox and bridge as processes. */
import { ACCOUNTS } from '../../src/sandbox/settings.ts';
import { ENDPOINTS, HEADERS } from '../../src/upstream/contracts/endpoints.ts';
import { NOT_SHOWN } from '../../src/upstream/contracts/not-shown.ts';
import { type CreateEvidence, createViolations } from '../invariants/creates.ts';
import { seenAt, sendingsOf } from '../invariants/evidence.ts';
import { smallOrderFile } from '../kill/order-file.ts';
import { isSettledOrHeld, pause } from '../local/client.ts';
import { type Stack, withStack } from '../local/stack.ts';
import { storedSubjects } from '../local/stored-objects.ts';
import { CREATE_CASES, caseFigures, faultRulesOf, type PlannedCase } from './create-cases.ts';
import { PROVE, type Proof } from './proof.ts';

/** @property indexDelaySeconds of real time, in which a new order cannot be found by its reference. */
interface CreatePlan {
  timeScale: number;
  ordersPerCase: number;
  indexDelaySeconds: number;
  failingChecks: number;
}

const LINES_PER_ORDER = 2;
/** So much older are the older orders, in ms: more than two clocks may differ. */
const OLDER_MS = 2_500;
const SETTLE_MS_MAX = 120_000;

export const proveCreates = (plan: CreatePlan): Promise<Proof> => {
  const { timeScale, ordersPerCase, indexDelaySeconds, failingChecks } = plan;
  return withStack({ ...PROVE, timeScale }, async (stack, client) => {
    await stack.putSettings({ orderIndexDelaySeconds: indexDelaySeconds });
    const files = CREATE_CASES.map((each) => {
      const { text, rows } = smallOrderFile(each.name, ordersPerCase, LINES_PER_ORDER);
      return { each, text, orderRefs: [...new Set(rows.map(({ orderRef }) => orderRef))] };
    });
    for (const { each, orderRefs } of files) await makeOlder(stack, each, orderRefs);
    await pause(OLDER_MS);
    const seededUntil = (await stack.journal()).at(-1)?.seq ?? 0;
    await stack.putFaults(faultRulesOf(CREATE_CASES, ordersPerCase, failingChecks));
    const startedMs = Date.now();
    const ids: string[] = [];
    for (const { text } of files) ids.push(await client.put(text, 'orders-csv'));
    await client.drain(ids, isSettledOrHeld, SETTLE_MS_MAX);
    const tookMs = Date.now() - startedMs;
    const cases: CreateEvidence<PlannedCase>['cases'][number][] = [];
    for (const [at, { each, orderRefs }] of files.entries()) {
      cases.push({ plan: each, orderRefs, rows: await client.rows(ids[at] ?? '') });
    }
    const upstreamRefs = (await stack.orders()).map(({ orderRef }) => orderRef);
    await stack.bridge.stop(); // its files are read next
    const journal = (await stack.journal()).filter(({ seq }) => seq > seededUntil);
    const evidence: CreateEvidence<PlannedCase> = {
      cases,
      creates: seenAt(journal, 'orderCreate').filter(({ method }) => method === 'POST'),
      asked: seenAt(journal, 'orderHistory').length,
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
  });
};

/** Orders that somebody else made under the same references. */
async function makeOlder({ sandbox }: Stack, { older }: PlannedCase, orderRefs: readonly string[]): Promise<void> {
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
