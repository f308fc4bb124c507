/**
 * What a person can do in the console, as data: the fields of a form, the call of the API that it makes, and its words.
 * One page shows each: plan first where the API has one, then the confirmation with the number in the button, then the
 * result. Every entry goes through the same route that programs use.
 */
import type { Child } from 'hono/jsx';
import type { Environment } from '../kernel/names.ts';
import type { OpsRole } from '../ops/directory/directory.ts';
import type { Sent } from './api.ts';
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

/** The call of the API. */
export interface ActionCall extends Sent {
  method: 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  path: string;
}

/** What a plan says before anything is done. @property count shown in the button; null: no number. */
export interface PlanMessages {
  lines: readonly string[];
  button: string;
  /** Nothing would be done: there is no button. */
  isEmpty?: boolean;
  /** Parameters that the confirmation brings along, such as the token of the plan. */
  confirm?: Values;
  look?: 'wait' | 'bad';
  /** Below the lines, such as a table of what would change. */
  detail?: Child;
}

/** What is shown when it is done. @property secret shown this once. goTo: a page to go to at once. next: what is to be done then. */
export interface Outcome {
  goTo?: string;
  title?: string;
  lines?: readonly string[];
  secret?: { label: string; value: string };
  next?: { label: string; href: string };
  back?: string;
}

/* biome-ignore lint/suspicious/noExplicitAny: each action knows the answer of its own route */
type Answer = any;

export interface Action {
  name: string;
  /** Route of the API that it calls, as the reference of routes writes it. */
  route: string;
  role: OpsRole | 'partner';
  title(values: Values): string;
  /** What happens, in a sentence or two. */
  explain: string;
  fields: readonly Field[] | ((values: Values, page: Page) => Promise<readonly Field[]> | readonly Field[]);
  button: string;
  isDangerous?: boolean;
  /** @param values of the form, with those of the address. */
  call(values: Values, environment: Environment): ActionCall;
  /** The API has a plan (`dryRun=true`): shown before the button acts. */
  plan?(answer: Answer, values: Values, page: Page): PlanMessages;
  /** Where the address says all but the reason, the plan is shown at once, and the reason is asked for beside it. */
  plansAtOnce?: boolean;
  done(answer: Answer, values: Values, page: Page): Outcome;
}

/** A field that nearly all have: it stands in the audit. */
export const WHY: Field = {
  name: 'why',
  label: 'Why',
  kind: 'text',
  isRequired: true,
  hint: 'Shown in the audit with your name.',
};
