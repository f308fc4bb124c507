/**
 * What operators do while releases are mixed: they release a channel, poll a feed, change settings, and plan what to send again.
 * Each write is done and stands in the audit, or is refused in words; and what was refused can be repeated under another mix.
 * What is sent again is only planned: the invariants of the end know each row once.
 */
import { breaks, type Violation } from '../../invariants/evidence.ts';
import { type Look, later } from './looks.ts';
import type { Mix } from './mixes.ts';

interface Write {
  name: string;
  method: 'POST' | 'PUT' | 'PATCH';
  path: string;
  body: Readonly<Record<string, unknown>>;
  isPlan?: boolean;
}

/**
 * @property why of its own: the audit is asked for it. isAudited: by a release that notes all that operators do.
 * @property said status, and the code of a refusal.
 */
interface Made extends Write {
  why: string;
  isAudited: boolean;
  said: string;
}

const ANSWER_MS_MAX = 20_000;
const AUDIT_PAGE = 200;
const broken = breaks('upgrade');

/** @param at number of the mix: each sets something else than the one before. */
function writesOf({ id = '', partner = '', channel = '' }: Look['known'], at: number): Write[] {
  const ofPartner = `/v1/ops/partners/${partner}`;
  return [
    { name: 'retry', method: 'POST', path: `/v1/ops/batches/${id}/retry`, body: {}, isPlan: true },
    { name: 'replay', method: 'POST', path: '/v1/ops/replays', body: { partner }, isPlan: true },
    {
      ...{ name: 'decide', method: 'POST', path: '/v1/ops/letters/decisions' },
      ...{ body: { decision: 'send_again', partner, kinds: ['milestone'] }, isPlan: true },
    },
    { name: 'release', method: 'POST', path: `/v1/ops/channels/${channel}/release`, body: { scope: 'auth' } },
    { name: 'poll', method: 'POST', path: `/v1/ops/feeds/${partner}/poll`, body: {} },
    {
      ...{ name: 'envelopes', method: 'PUT', path: `${ofPartner}/envelopes` },
      body: { rules: { counts: at % 2 === 0 ? 'lenient' : 'strict' } },
    },
    { name: 'rename', method: 'PATCH', path: ofPartner, body: { displayName: `Upgraded ${at}` } },
  ];
}

/** By what name a route takes the reason. */
const reasonOf = ({ name }: Write, why: string): Record<string, string> =>
  name === 'release' ? { reason: why } : name === 'envelopes' ? { note: why } : { why };

const isAccepted = (said: string): boolean => said.startsWith('2');

export class Writes {
  readonly #made: Made[] = [];

  /** All of this mix; then what was refused in the one before. */
  async make(look: Look, at: number, { name: mix, front }: Mix): Promise<{ figure: string; violations: Violation[] }> {
    const before = this.#made.filter(({ why, said }) => why.startsWith(`${at - 1} `) && !isAccepted(said));
    const violations: Violation[] = [];
    const isAudited = front === 'new';
    for (const write of writesOf(look.known, at)) {
      const why = `${at} ${write.name}`;
      const said = await sent(look, write, why);
      this.#made.push({ ...write, why, isAudited, said });
      if (!/^[24]/.test(said) && !later(said)) violations.push(broken(`${mix}: ${write.name} ${said}`));
    }
    for (const made of before) Object.assign(made, { said: await sent(look, made, made.why), isAudited });
    const said = this.#made.filter(({ why }) => why.startsWith(`${at} `)).map((made) => `${made.name} ${made.said}`);
    return { figure: `${mix}: writes: ${said.join(', ')}; ${before.length} of before repeated`, violations };
  }

  /** Read by this release: what was accepted stands in the audit. */
  async kept(look: Look): Promise<Violation[]> {
    const violations: Violation[] = [];
    const whys = await audited(look);
    for (const { why, said, isPlan, isAudited } of this.#made) {
      const times = whys.filter((each) => each === why).length;
      if (isAccepted(said) && isAudited && !isPlan && times === 0)
        violations.push(broken(`${why} was answered ${said}, and is not in the audit`));
    }
    return violations;
  }
}

async function sent(look: Look, write: Write, why: string): Promise<string> {
  const answer = await asked(look, `${write.path}?environment=test${write.isPlan ? '&dryRun=true' : ''}`, {
    method: write.method,
    headers: { 'Content-Type': 'application/json', 'Idempotency-Key': `drill ${why}` },
    body: JSON.stringify({ ...write.body, ...reasonOf(write, why) }),
  });
  const code = (/"code": ?"(\w+)"/.exec(answer.text) ?? [])[1];
  return `${answer.status}${answer.status < 400 || code === undefined ? '' : ` ${code}`}`;
}

async function asked(
  { baseUrl, keys }: Look,
  path: string,
  init: RequestInit = {},
): Promise<{ status: number; text: string }> {
  try {
    const headers = { ...init.headers, Authorization: `Bearer ${keys.ops}` };
    const answer = await fetch(baseUrl + path, { ...init, headers, signal: AbortSignal.timeout(ANSWER_MS_MAX) });
    return { status: answer.status, text: await answer.text() };
  } catch (thrown) {
    return { status: 0, text: String(thrown) };
  }
}

async function audited(look: Look): Promise<string[]> {
  const { text } = await asked(look, `/v1/ops/audit?environment=test&limit=${AUDIT_PAGE}`);
  return (JSON.parse(text) as { entries: { why: string }[] }).entries.map(({ why }) => why);
}
