/** What an operator does with code lists: add or change a word, remove one, publish the whole, go back. */
import type { Planned } from '../../../http/contract/contract.ts';
import type { CodeListDocument } from '../../../mapping/document/code-list.ts';
import { type Action, action, type Field, type Outcome, type PlanMessages, type Values, WHY } from '../../actions.ts';
import type { Page } from '../../page.ts';
import { inText } from '../../parts/basics.tsx';
import { NAME_HIDDEN, rollbackOf } from './mapping-actions.ts';
import { afterChange, changePlan, writtenText } from './versions.tsx';

const pathOf = ({ name = '' }: Values) => ({ name });

/** Codes of a list offered as a choice. Ours: more of them are written, not searched for in a menu. */
const CODES_OFFERED_MAX = 300;

/** Each code that the list sends, with its meaning or the words that lead to it. */
function codeChoices({ codes, meanings = {} }: CodeListDocument): Record<string, string> {
  const messages = new Map<string, string[]>();
  for (const [word, code] of Object.entries(codes)) messages.set(code, [...(messages.get(code) ?? []), word]);
  return Object.fromEntries(
    [...messages]
      .sort(([one], [other]) => one.localeCompare(other))
      .map(([code, from]) => {
        const meaning = Object.hasOwn(meanings, code)
          ? meanings[code]
          : from
              .filter((word) => word !== code)
              .slice(0, 3)
              .join(', ');
        return [code, meaning === undefined || meaning === '' ? code : `${code}: ${meaning}`];
      }),
  );
}

async function editFields(values: Values, page: Page): Promise<readonly Field[]> {
  const word: Field = {
    ...{ name: 'word', label: 'Word in the file', kind: 'text', isRequired: true },
    hint: 'As it stands in the file. A word that is there already gets the new code.',
  };
  if ((values.name ?? '') === '') return [await listChoice(page), word, CODE_TEXT, WHY];
  const found = await page.api.call('GET /v1/ops/code-lists/{name}', { path: pathOf(values) });
  const choices = found.ok && found.value.document !== null ? codeChoices(found.value.document) : {};
  if (Object.keys(choices).length > CODES_OFFERED_MAX) return [NAME_HIDDEN, word, CODE_TEXT, WHY];
  const code: Field = {
    ...{ name: 'code', label: 'What it means', kind: 'choice', of: { '': 'Choose a code', ...choices } },
    hint: 'The code that is sent. Where none fits, write a new one below.',
  };
  const other: Field = { ...CODE_TEXT, name: 'newCode', label: 'Or a new code', isRequired: false };
  return [NAME_HIDDEN, word, code, other, WHY];
}

const CODE_TEXT: Field = {
  name: 'code',
  label: 'Code',
  kind: 'text',
  isRequired: true,
  hint: 'What is sent to the receiving system for it.',
};

async function listChoice(page: Page): Promise<Field> {
  const found = await page.api.call('GET /v1/ops/code-lists');
  const of = found.ok
    ? Object.fromEntries(found.value.codeLists.map(({ name, description }) => [name, `${name}: ${description}`]))
    : {};
  return { name: 'name', label: 'Code list', kind: 'choice', isRequired: true, of };
}

const codeOf = ({ code = '', newCode = '' }: Values): string => (newCode.trim() === '' ? code : newCode.trim());

const edit = action({
  name: 'edit-code-list',
  route: 'PATCH /v1/ops/code-lists/{name}',
  role: 'operator',
  title: ({ name = '', word = '' }) =>
    name === '' ? 'Add a word to a code list' : word === '' ? `Add a word to ${name}` : `Add “${word}” to ${name}`,
  explain:
    'Every mapping that uses the list changes with it; if one fails its check, nothing changes. New files are read with it from then on.',
  fields: editFields,
  button: 'Publish the word',
  call: (values) => ({
    path: pathOf(values),
    body: { set: { [(values.word ?? '').trim()]: codeOf(values) }, note: values.why },
  }),
  plan: (answer, values) => wordPlan(answer, `“${(values.word ?? '').trim()}” would be sent as ${codeOf(values)}.`),
  done: ({ name }, values, page) => {
    const goTo = afterChange(page, values, `/code-lists/${name}`);
    return (values.issue ?? '') === '' ? { goTo } : wordLearned(values, page, goTo);
  },
});

/** An issue led here: its rows can go out now. */
function wordLearned({ word = '', issue = '', rows = '', ...values }: Values, page: Page, back: string): Outcome {
  const count = /^\d{1,9}$/.test(rows) ? Number(rows) : 0;
  const what = count === 0 ? 'the rows' : count === 1 ? 'the row' : `the ${inText(count)} rows`;
  return {
    title: `“${word.trim()}” is sent as ${codeOf(values)} from now on`,
    lines: ['New files are read with it. The rows that failed because of it are still not delivered.'],
    next: {
      label: `Send ${what} again…`,
      href: page.at('/do/resubmit-issue', { id: issue, from: back }),
    },
    back,
  };
}

const remove = action({
  name: 'remove-code-list-word',
  route: 'PATCH /v1/ops/code-lists/{name}',
  role: 'operator',
  title: ({ name = 'a code list', word = 'a word' }) => `Remove “${word}” from ${name}`,
  explain: 'Rows with this word are refused from then on, unless the mapping says otherwise.',
  fields: [NAME_HIDDEN, { name: 'word', label: 'Word', kind: 'text', isRequired: true }, WHY],
  button: 'Remove the word',
  isDangerous: true,
  call: (values) => ({ path: pathOf(values), body: { remove: [values.word ?? ''], note: values.why } }),
  plan: (answer, { word = '' }) => wordPlan(answer, `“${word}” would be known no more.`),
  plansAtOnce: true,
  done: ({ name }, values, page) => ({ goTo: afterChange(page, values, `/code-lists/${name}`) }),
});

function wordPlan(answer: Planned<'PATCH /v1/ops/code-lists/{name}'>, line: string): PlanMessages {
  const count = answer.mappings.length;
  const button = count === 0 ? 'Publish' : `Publish for ${count} ${count === 1 ? 'mapping' : 'mappings'}`;
  const plan = changePlan(answer, button);
  return plan.isEmpty ? plan : { ...plan, lines: [line, ...plan.lines] };
}

async function publishFields(values: Values, page: Page): Promise<readonly Field[]> {
  const { name = '' } = values;
  const document = (value: string): Field => ({
    ...{ name: 'document', label: 'Code list (YAML)', kind: 'document', isRequired: true, value },
    hint: 'Checked whole, and the examples of every mapping that uses it are run, before anything is published.',
  });
  const now = name === '' ? null : await page.api.call('GET /v1/ops/code-lists/{name}', { path: pathOf(values) });
  if (now === null || !now.ok) {
    return [
      { name: 'name', label: 'Name', kind: 'text', isRequired: true, hint: 'As inside the document.' },
      document(''),
      WHY,
    ];
  }
  const text = (await writtenText(page.api, 'code-lists', name)) ?? '';
  return [
    NAME_HIDDEN,
    { name: 'seen', label: 'Version seen', kind: 'hidden', value: now.value.sha256 },
    document(text),
    WHY,
  ];
}

export const PUBLISH_CODE_LIST = action({
  name: 'publish-code-list',
  route: 'PUT /v1/ops/code-lists/{name}',
  role: 'operator',
  title: ({ name = '' }) => (name === '' ? 'Publish a code list' : `Publish a new version of ${name}`),
  explain: 'Every mapping that uses the list changes with it; if one fails its check, nothing changes.',
  fields: publishFields,
  button: 'Publish',
  call: (values) => ({
    path: pathOf(values),
    query: { note: values.why },
    text: values.document ?? '',
    ...(values.seen === undefined || values.seen === '' ? {} : { ifMatch: values.seen }),
  }),
  plan: (answer) => changePlan(answer, 'Publish the list'),
  done: ({ name }, values, page) => ({ goTo: afterChange(page, values, `/code-lists/${name}`) }),
});

const rollback = rollbackOf('code-lists', {
  name: 'roll-back-code-list',
  explain:
    'The list goes back to an earlier version, and every mapping that uses it with it; if one fails its check, nothing changes.',
});

export const CODE_LIST_ACTIONS: readonly Action[] = [edit, remove, PUBLISH_CODE_LIST, rollback];
