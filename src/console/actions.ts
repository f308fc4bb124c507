/**
 * What a person can do in the console, as data: the fields of a form, the call of the API that it makes, and its words.
 * One page shows each: plan first where the API has one, then the confirmation with the number in the button, then the
 * result. Every entry goes through the same route that programs use.
 */
import type { Child } from 'hono/jsx';
import type { ApiProblem, CallArguments, CallOptions } from '../http/contract/client.ts';
import type { Done, Planned, RouteName } from '../http/contract/contract.ts';
import type { Environment } from '../kernel/names.ts';
import { ok, type Result } from '../kernel/result.ts';
import type { OpsRole } from '../ops/directory/directory.ts';
import type { Page } from './page.ts';

export type Values = Readonly<Record<string, string>>;

export interface Field {
  name: string;
  label: string;
  kind: 'text' | 'number' | 'date' | 'long' | 'document' | 'check' | 'choice' | 'hidden' | 'password';
  hint?: string;
  isRequired?: boolean;
  /** What the action is about: where the address says it, the form shows it and does not ask. */
  isSubject?: boolean;
  /** Of a choice: value → words. */
  of?: Readonly<Record<string, string>>;
  /** Of a choice: each stands open, since a closed list would cut it. */
  areSentences?: boolean;
  /** Filled in where the address does not say. */
  value?: string;
}

/** What a plan says before anything is done. @property count shown in the button; null: no number. */
export interface PlanMessages {
  lines: readonly string[];
  button: string;
  /** Nothing would be done: there is no button. */
  isEmpty?: boolean;
  /** Parameters that the confirmation brings along, such as the token of the plan. */
  confirm?: Values;
  look?: 'good' | 'wait' | 'bad';
  /** Below the lines, such as a table of what would change. */
  detail?: Child;
  /** A list with its heading, below that: what stays as it is. */
  list?: NamedList;
}

export interface NamedList {
  heading: string;
  entries: readonly string[];
}

/** What is shown when it is done. @property secret shown this once. goTo: a page to go to at once. next: what is to be done then. */
export interface Outcome {
  goTo?: string;
  title?: string;
  lines?: readonly string[];
  list?: NamedList;
  secret?: { label: string; value: string };
  next?: { label: string; href: string };
  back?: string;
}

interface Described {
  name: string;
  role: OpsRole | 'partner';
  title(values: Values): string;
  /** What happens, in a sentence or two. */
  explain: string;
  fields: readonly Field[] | ((values: Values, page: Page) => Promise<readonly Field[]> | readonly Field[]);
  button: string;
  isDangerous?: boolean;
  /** Where the address says all but the reason, the plan is shown at once, and the reason is asked for beside it. */
  plansAtOnce?: boolean;
}

/** An action as it is written: its route says what the call takes, and what the plan and the answer are. */
interface Written<Name extends RouteName> extends Described {
  route: Name;
  /** @param values of the form, with those of the address. */
  call(values: Values, environment: Environment): CallOptions<Name>;
  /** The API has a plan: shown before the button acts. */
  plan?(plan: Planned<Name>, values: Values, page: Page): PlanMessages;
  done(answer: Done<Name>, values: Values, page: Page): Outcome;
}

/** An action as its page takes it. */
export interface Action extends Described {
  route: RouteName;
  /** null: the API has none. @param asked the values, with what a plan needs and nobody has said yet. */
  plan: ((page: Page, values: Values, asked: Values) => Promise<Result<PlanMessages, ApiProblem>>) | null;
  /** @param key of the click: a repeat with it acts once. */
  act(page: Page, values: Values, key: string): Promise<Result<Outcome, ApiProblem>>;
}

export function action<Name extends RouteName>({ call, plan, done, ...described }: Written<Name>): Action {
  const { route } = described;
  const asked = (page: Page, values: Values, more: { idempotencyKey?: string } = {}) =>
    [{ ...call(values, page.environment), ...more }] as unknown as CallArguments<Name>;
  return {
    ...described,
    plan:
      plan === undefined
        ? null
        : async (page, values, filled) => {
            const found = await page.api.plan(route, ...asked(page, filled));
            return found.ok ? ok(plan(found.value, values, page)) : found;
          },
    act: async (page, values, idempotencyKey) => {
      const found = await page.api.call(route, ...asked(page, values, { idempotencyKey }));
      return found.ok ? ok(done(found.value, values, page)) : found;
    },
  };
}

/** A field that nearly all have: it stands in the audit. */
export const WHY: Field = {
  name: 'why',
  label: 'Why',
  kind: 'text',
  isRequired: true,
  hint: 'Shown in the audit with your name.',
};
