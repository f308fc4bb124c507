/** `/console/do/{action}`: the form of an action, its plan, and its result. */
import type { FC } from 'hono/jsx';
import {
  type Action,
  type Field,
  type NamedList,
  type Outcome,
  type PlanMessages,
  type Values,
  WHY,
} from '../actions.ts';
import type { ApiProblem } from '../api.ts';
import type { Page } from '../page.ts';
import { CsrfField, Fact, Facts, Note } from '../parts/basics.tsx';
import { Crumbs, crumbsFrom } from '../parts/crumbs.tsx';
import { FoundProblems } from '../parts/found-problems.tsx';
import { navAt } from '../parts/navigation.ts';
import { seenAnew } from './seen.ts';

/** The form as it is first shown; with everything filled in that a plan needs, the plan at once. */
export async function actionForm(page: Page, action: Action): Promise<Response> {
  const refused = refusalOf(page, action);
  if (refused !== null) return page.refuse(refused);
  const address = addressValues(page);
  const fields = await fieldsOf(page, action, address);
  const values = withSubjects(address, fields);
  const filled = { ...defaultsOf(fields), ...values };
  const missing = missingIn(fields, filled).filter(({ name }) => name !== WHY.name);
  if (action.plan === null || action.plansAtOnce !== true || missing.length > 0)
    return shown(page, action, { values, fields });
  return planned(page, action, { values: filled, fields, key: crypto.randomUUID() });
}

/** As a form's: of several of one name, all, separated by commas. */
const addressValues = (page: Page): Values =>
  Object.fromEntries(Object.entries(page.context.req.queries()).map(([name, all]) => [name, all.join(',')]));

/** Names of the fields that the address filled in for good; they travel with the form. */
const SUBJECTS = 'subjects';

const withSubjects = (values: Values, fields: readonly Field[]): Values => {
  const named = fields.flatMap(({ name, isSubject }) => (isSubject && (values[name] ?? '') !== '' ? [name] : []));
  return named.length === 0 ? values : { ...values, [SUBJECTS]: named.join(',') };
};

const defaultsOf = (fields: readonly Field[]): Values =>
  Object.fromEntries(fields.flatMap(({ name, value }) => (value === undefined ? [] : [[name, value]])));

const missingIn = (fields: readonly Field[], values: Values): Field[] =>
  fields.filter(({ isRequired, name }) => isRequired && (values[name] ?? '').trim() === '');

/** Asked of the API where a person has not said why yet: a plan is kept nowhere. */
const PLAN_ONLY = 'plan only';

async function planned(
  page: Page,
  action: Action,
  { values, fields, key }: Pick<ShownAction, 'values' | 'fields'> & { key: string },
): Promise<Response> {
  const { why } = values;
  const asked = why === undefined || why.trim() === '' ? { ...values, why: PLAN_ONLY } : values;
  const plan = await action.plan?.(page, values, asked);
  if (plan?.ok === false) return shown(page, action, { values, fields, problem: plan.error });
  return shown(page, action, { values, fields, key, ...(plan === undefined ? {} : { plan: plan.value }) });
}

/** Shows the plan, or acts: `step` says which. `look`: another page hands its values over, and nothing is done yet. */
export async function takeAction(page: Page, action: Action, form: Values): Promise<Response> {
  const refused = refusalOf(page, action);
  if (refused !== null) return page.refuse(refused);
  const { step, key = crypto.randomUUID(), csrf: _, ...sent } = form;
  const fields = await fieldsOf(page, action, sent);
  const values = step === 'look' ? sent : { ...unticked(fields), ...sent };
  const missing = missingIn(fields, values);
  if (step === 'look') {
    const isOpen =
      missing.some(({ name }) => name !== WHY.name) ||
      fields.some(({ kind, isRequired }) => kind !== 'hidden' && !isRequired);
    const filled = { ...defaultsOf(fields), ...values };
    return isOpen ? shown(page, action, { values, fields }) : planned(page, action, { values: filled, fields, key });
  }
  if (missing.length > 0) {
    const what = missing.map(({ label }) => `"${label}"`).join(', ');
    return shown(page, action, { values, fields, problem: incomplete(what) });
  }
  if (action.plan !== null && step !== 'do') return planned(page, action, { values, fields, key });
  const done = await action.act(page, values, key);
  if (!done.ok) return shown(page, action, { values, fields, problem: done.error });
  return done.value.goTo === undefined ? result(page, done.value) : page.goTo(done.value.goTo);
}

/** The form with what was typed, where whoever sent it has signed in again since it was opened. */
export async function actionAgain(page: Page, action: Action, form: Values): Promise<Response> {
  const refused = refusalOf(page, action);
  if (refused !== null) return page.refuse(refused);
  const { step: _, key: __, csrf: ___, ...sent } = form;
  const fields = await fieldsOf(page, action, sent);
  return shown(page, action, { values: { ...unticked(fields), ...sent }, fields, problem: SIGNED_IN_SINCE });
}

const SIGNED_IN_SINCE: ApiProblem = {
  status: 403,
  code: 'signed_in_since',
  title: 'Not sent yet',
  detail: 'You have signed in again since this page was opened. Nothing was done, and what you typed is still here.',
  fix: 'Look at it, and press the button once more.',
};

/** A box that is not ticked is not in what a browser sends: its usual value does not count then. */
const unticked = (fields: readonly Field[]): Values =>
  Object.fromEntries(fields.flatMap(({ name, kind }) => (kind === 'check' ? [[name, '']] : [])));

const fieldsOf = async (page: Page, { fields }: Action, values: Values): Promise<readonly Field[]> =>
  typeof fields === 'function' ? fields(values, page) : fields;

const incomplete = (what: string): ApiProblem => ({
  status: 400,
  code: 'field_missing',
  title: 'Something is missing',
  detail: `Fill in ${what}. Nothing was done.`,
});

/** null: whoever reads the page may do it, as far as the role goes. */
function refusalOf(page: Page, { role }: Action): ApiProblem | null {
  if ((role === 'partner') === page.isOps) return notForThem(page.isOps);
  return role === 'partner' || page.mayActAs(role) ? null : roleProblem(role);
}

const notForThem = (isOps: boolean): ApiProblem => ({
  status: 403,
  code: 'not_for_you',
  title: isOps ? 'For partners' : 'For operators',
  detail: `This is for ${isOps ? 'partners' : 'operators'}. Nothing was done.`,
  fix: 'Go back to your first page, or sign in as somebody else.',
});

const roleProblem = (role: string): ApiProblem => ({
  status: 403,
  code: 'role_insufficient',
  title: 'Your role does not allow this',
  detail: `This needs the role ${role}. Nothing was done.`,
  fix: 'Ask an administrator to do it, or to change your role.',
});

/** Where the person came from; else what the route is about, such as `/partners/{name}/webhooks`. */
const navOf = ({ isOps }: Page, { route }: Action, { from = '' }: Values) =>
  navAt(isOps, from) ??
  route
    .replace('/replays', '/holds')
    .replace('/mapping-proposals', '/proposals')
    .split('/')
    .reduceRight<ReturnType<typeof navAt>>(
      (found, part) => found ?? navAt(isOps, `/${part}`) ?? navAt(isOps, `/${part}s`),
      null,
    );

interface ShownAction {
  values: Values;
  fields: readonly Field[];
  problem?: ApiProblem;
  plan?: PlanMessages;
  key?: string;
}

function shown(page: Page, action: Action, { values: sent, fields, problem: found, plan, key }: ShownAction): Response {
  const { values, problem } = found?.status === 412 ? seenAnew(sent, fields, found) : { values: sent, problem: found };
  const title = action.title(values);
  return page.show({
    title,
    nav: navOf(page, action, values),
    status: problem === undefined ? 200 : problem.status < 500 ? 400 : problem.status,
    body: (
      <div class={isWide(fields, plan, problem) ? '' : 'narrow'}>
        <Crumbs to={crumbsFrom(page.isOps, ownPath(values.from ?? '') ?? '')} />
        <h1>{title}</h1>
        <p>{action.explain}</p>
        {problem === undefined ? null : <ProblemNote problem={problem} />}
        {plan === undefined ? (
          <ActionForm page={page} action={action} values={values} fields={fields} />
        ) : (
          <PlanForm
            page={page}
            action={action}
            values={values}
            plan={plan}
            asked={missingIn(fields, values)}
            actionKey={key ?? ''}
          />
        )}
      </div>
    ),
  });
}

/** Documents and tables need more room than a form. */
const isWide = (fields: readonly Field[], plan?: PlanMessages, problem?: ApiProblem): boolean =>
  plan?.detail !== undefined || problem?.problems !== undefined || fields.some(({ kind }) => kind === 'document');

const ProblemNote: FC<{ problem: ApiProblem }> = ({ problem }) => {
  const { title, detail, fix, code, notes } = problem;
  return (
    <>
      <Note look="bad">
        <strong>{title}.</strong> {detail} {fix}
        {Array.isArray(notes) ? notes.map((note) => <p>{String(note)}</p>) : null}
        <p class="quiet">
          <code>{code}</code>
        </p>
      </Note>
      <FoundProblems problem={problem} />
    </>
  );
};

const formPath = (page: Page, action: Action): string => page.at(`/do/${action.name}`);

/** Values of the address that no field shows. */
const Carried: FC<{ values: Values; shown: readonly Field[] }> = ({ values, shown: fields }) => (
  <>
    {Object.entries(values)
      .filter(([name]) => name !== 'environment' && !fields.some((field) => field.name === name))
      .map(([name, value]) => (
        <input type="hidden" name={name} value={value} />
      ))}
  </>
);

const isFixed = ({ name }: Field, values: Values): boolean => (values[SUBJECTS] ?? '').split(',').includes(name);

const Subjects: FC<{ fields: readonly Field[]; values: Values }> = ({ fields, values }) =>
  fields.length === 0 ? null : (
    <Facts>
      {fields.map(({ name, label }) => (
        <Fact name={label}>{values[name]}</Fact>
      ))}
    </Facts>
  );

const ActionForm: FC<{ page: Page; action: Action; values: Values; fields: readonly Field[] }> = ({
  page,
  action,
  values,
  fields,
}) => (
  <form method="post" action={formPath(page, action)}>
    <CsrfField page={page} />
    <Carried values={values} shown={fields.filter((field) => !isFixed(field, values))} />
    <Subjects fields={fields.filter((field) => isFixed(field, values))} values={values} />
    {fields
      .filter((field) => !isFixed(field, values))
      .map((field) => (
        <FieldLine field={field} value={values[field.name] ?? field.value ?? ''} />
      ))}
    <input type="hidden" name="key" value={crypto.randomUUID()} />
    <p class="actions">
      <button
        class={action.isDangerous && action.plan === null ? 'danger' : 'primary'}
        type="submit"
        name="step"
        value={action.plan === null ? 'do' : 'plan'}
      >
        {action.plan === null ? action.button : 'Show what would happen'}
      </button>
      <Back page={page} values={values} />
    </p>
  </form>
);

const PlanForm: FC<{
  page: Page;
  action: Action;
  values: Values;
  plan: PlanMessages;
  /** What is still to be said before it is done. */
  asked: readonly Field[];
  actionKey: string;
}> = ({ page, action, values, plan, asked, actionKey }) => (
  <>
    <Note look={plan.look ?? 'wait'}>
      {plan.lines.map((line) => (
        <p>{line}</p>
      ))}
    </Note>
    {plan.detail}
    <Listed list={plan.list} />
    <form method="post" action={formPath(page, action)}>
      <CsrfField page={page} />
      <Carried values={{ ...values, ...plan.confirm }} shown={asked} />
      {plan.isEmpty ? null : asked.map((field) => <FieldLine field={field} value={field.value ?? ''} />)}
      <input type="hidden" name="key" value={actionKey} />
      <p class="actions">
        {plan.isEmpty ? null : (
          <button class={action.isDangerous ? 'danger' : 'primary'} type="submit" name="step" value="do">
            {plan.button}
          </button>
        )}
        <Back page={page} values={values} />
      </p>
    </form>
  </>
);

/** Back to where the person came from: a page of our own only. */
const Back: FC<{ page: Page; values: Values }> = ({ page, values: { from = '', back = from } }) => (
  <a class="button" href={ownPath(back) ?? page.at('/')} data-close>
    Cancel
  </a>
);

/** null: not an address of the console. */
export const ownPath = (text: string): string | null => (/^\/console(?:[/?][^\\]*)?$/.test(text) ? text : null);

const Listed: FC<{ list: NamedList | undefined }> = ({ list }) =>
  list === undefined || list.entries.length === 0 ? null : (
    <section>
      <h2>{list.heading}</h2>
      <ul>
        {list.entries.map((entry) => (
          <li>{entry}</li>
        ))}
      </ul>
    </section>
  );

function result(page: Page, { title, lines = [], list, secret, next, back }: Outcome): Response {
  const heading = title ?? 'Done';
  return page.show({
    title: heading,
    nav: navAt(page.isOps, back ?? ''),
    body: (
      <div class="narrow">
        <h1>{heading}</h1>
        {lines.map((line) => (
          <p>{line}</p>
        ))}
        <Listed list={list} />
        {secret === undefined ? null : (
          <Note look="held">
            <p>
              <strong>{secret.label}</strong> is shown this once. Copy it now.
            </p>
            <pre data-secret>{secret.value}</pre>
            <button type="button" data-copy={secret.value} hidden>
              Copy
            </button>
          </Note>
        )}
        <p class="actions">
          {next === undefined ? null : (
            <a class="button primary" href={next.href}>
              {next.label}
            </a>
          )}
          <a class={next === undefined ? 'button primary' : 'button'} href={back ?? page.at('/')}>
            {next === undefined ? 'Continue' : 'Not now'}
          </a>
        </p>
      </div>
    ),
  });
}

const FieldLine: FC<{ field: Field; value: string }> = ({ field, value }) => {
  const { name, label, kind, hint, isRequired = false } = field;
  if (kind === 'hidden') return <input type="hidden" name={name} value={value} />;
  const id = `field-${name}`;
  if (field.areSentences) return <LongChoice field={field} value={value} />;
  return (
    <div class={kind === 'check' ? 'field check' : 'field'}>
      {kind === 'check' ? <Control field={field} id={id} value={value} /> : null}
      <label for={id}>
        {label}
        {isRequired || kind === 'check' || kind === 'choice' ? '' : ' (optional)'}
      </label>
      {kind === 'check' ? null : <Control field={field} id={id} value={value} />}
      {hint === undefined ? null : <span class="hint">{hint}</span>}
    </div>
  );
};

/** Sentences to choose from: a closed list would cut them on a phone. */
const LongChoice: FC<{ field: Field; value: string }> = ({
  field: { name, label, of = {}, hint, isRequired },
  value,
}) => (
  <fieldset class="choices">
    <legend>{label}</legend>
    {Object.entries(of).map(([choice, words]) => (
      <label>
        <input type="radio" name={name} value={choice} checked={choice === value} required={isRequired === true} />{' '}
        {words}
      </label>
    ))}
    {hint === undefined ? null : <span class="hint">{hint}</span>}
  </fieldset>
);

const Control: FC<{ field: Field; id: string; value: string }> = ({ field, id, value }) => {
  const { name, kind, isRequired = false, of = {} } = field;
  switch (kind) {
    case 'check':
      return <input id={id} type="checkbox" name={name} value="true" checked={value === 'true'} />;
    case 'choice':
      return (
        <select id={id} name={name} required={isRequired}>
          {Object.entries(of).map(([choice, words]) => (
            <option value={choice} selected={choice === value}>
              {words}
            </option>
          ))}
          {value === '' || Object.hasOwn(of, value) ? null : (
            <option value={value} selected>
              {value}
            </option>
          )}
        </select>
      );
    case 'long':
    case 'document':
      return (
        <textarea
          id={id}
          name={name}
          required={isRequired}
          class={kind === 'document' ? 'tall' : ''}
          spellcheck={false}
        >
          {value}
        </textarea>
      );
    default:
      return <input id={id} name={name} type={kind} value={value} required={isRequired} autocomplete="off" />;
  }
};
