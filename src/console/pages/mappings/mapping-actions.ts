/** What an operator does with mappings: publish a version, go back to an earlier one, set whom it is for. */
import type { Planned } from '../../../http/contract/contract.ts';
import { type Action, action, type Field, type Values, WHY } from '../../actions.ts';
import type { Page } from '../../page.ts';
import { type Artifact, afterChange, changePlan, earlierVersions, writtenText } from './versions.tsx';

const pathOf = ({ name = '' }: Values) => ({ name });
export const NAME_HIDDEN: Field = { name: 'name', label: 'Name', kind: 'hidden', isRequired: true };

/** The document as it is now, and its version, so that nobody's change in between is overwritten. */
async function publishFields(values: Values, page: Page): Promise<readonly Field[]> {
  const { name = '' } = values;
  const now = name === '' ? null : await page.api.call('GET /v1/ops/mappings/{name}', { path: pathOf(values) });
  const document = (value: string): Field => ({
    ...{ name: 'document', label: 'Document (YAML)', kind: 'document', isRequired: true, value },
    hint: 'Checked whole, and its examples are run, before anything is published.',
  });
  if (now === null || !now.ok) return [NEW_NAME, document(''), ...AUDIENCE, WHY];
  const { sha256 } = now.value;
  const text = (await writtenText(page.api, 'mappings', name)) ?? '';
  return [NAME_HIDDEN, { name: 'seen', label: 'Version seen', kind: 'hidden', value: sha256 }, document(text), WHY];
}

const NEW_NAME: Field = {
  name: 'name',
  label: 'Name',
  kind: 'text',
  isRequired: true,
  hint: 'As inside the document: small letters, digits and hyphens.',
};

const AUDIENCE: readonly Field[] = [
  {
    name: 'partners',
    label: 'For these partners',
    kind: 'text',
    hint: 'Their names, separated by commas.',
  },
  { name: 'shared', label: 'For all partners', kind: 'check' },
];

/** As the address of the API says it. */
const audienceOf = ({ partners = '', shared }: Values): Record<string, string> => ({
  ...(shared === 'true' ? { shared: 'true' } : {}),
  ...(partners.trim() === '' ? {} : { partners: partners.trim() }),
});

export const PUBLISH_MAPPING = action({
  name: 'publish-mapping',
  route: 'PUT /v1/ops/mappings/{name}',
  role: 'operator',
  title: ({ name = '' }) => (name === '' ? 'Publish a mapping' : `Publish a new version of ${name}`),
  explain: 'New files are read with it from then on. Batches that were taken before keep their version.',
  fields: publishFields,
  button: 'Publish',
  call: (values) => ({
    path: pathOf(values),
    query: { note: values.why, ...audienceOf(values) },
    text: values.document ?? '',
    ...(values.seen === undefined || values.seen === '' ? {} : { ifMatch: values.seen }),
  }),
  plan: (answer) => changePlan(answer, answer.beforeSha256 === null ? 'Publish the mapping' : 'Publish this version'),
  done: ({ name }, values, page) => ({ goTo: afterChange(page, values, `/mappings/${name}`) }),
});

const versionField = async (page: Page, artifact: Artifact, { name = '' }: Values): Promise<readonly Field[]> => {
  const of = await earlierVersions(page, artifact, name);
  const hint = Object.keys(of).length === 0 ? { hint: 'There is no other version to go back to.' } : {};
  return [NAME_HIDDEN, { name: 'to', label: 'Version', kind: 'choice', isRequired: true, of, ...hint }, WHY];
};

export const rollbackOf = (artifact: Artifact, own: Pick<Action, 'name' | 'explain'>): Action =>
  action({
    ...own,
    route: `POST /v1/ops/${artifact}/{name}/rollback`,
    role: 'operator',
    title: ({ name = 'it' }) => `Roll ${name} back`,
    fields: (values, page) => versionField(page, artifact, values),
    button: 'Roll back',
    call: ({ name = '', to, why }) => ({
      path: { name },
      body: { to, note: why },
    }),
    plan: (answer) => changePlan(answer, 'Roll back'),
    plansAtOnce: true,
    done: ({ name }, values, page) => ({ goTo: afterChange(page, values, `/${artifact}/${name}`) }),
  });

const rollback = rollbackOf('mappings', {
  name: 'roll-back-mapping',
  explain: 'The name goes back to exactly an earlier version, with the code lists of then.',
});

const audience = (owners: Planned<'PUT /v1/ops/mappings/{name}/owners'>['owners']): string =>
  typeof owners === 'string' ? 'all partners' : owners.join(', ');

async function ownersFields(values: Values, page: Page): Promise<readonly Field[]> {
  const found = await page.api.call('GET /v1/ops/mappings/{name}/owners', { path: pathOf(values) });
  const now = found.ok && typeof found.value.owners !== 'string' ? found.value.owners.join(', ') : '';
  const [partners, shared] = AUDIENCE;
  return [
    NAME_HIDDEN,
    ...(partners === undefined ? [] : [{ ...partners, value: now }]),
    ...(shared === undefined ? [] : [{ ...shared, value: now === '' ? 'true' : '' }]),
    WHY,
  ];
}

const setOwners = action({
  name: 'set-mapping-owners',
  route: 'PUT /v1/ops/mappings/{name}/owners',
  role: 'operator',
  title: ({ name = 'a mapping' }) => `Set whom ${name} is for`,
  explain: 'Only these partners can send files with it from then on; to all others it is as if it were not there.',
  fields: ownersFields,
  button: 'Set owners',
  call: (values) => {
    const { partners = '', shared } = values;
    const names = partners.split(',').map((each) => each.trim());
    const whom = {
      ...(partners.trim() === '' ? {} : { partners: names.filter((each) => each !== '') }),
      ...(shared === 'true' ? { shared: true as const } : {}),
    };
    return { path: pathOf(values), body: { ...whom, note: values.why } };
  },
  plan: ({ owners, changed }, { name }) => ({
    lines: changed
      ? [`${name} would be for ${audience(owners)} from then on.`]
      : [`It is for ${audience(owners)} already.`],
    button: 'Set owners',
    isEmpty: !changed,
  }),
  done: (_, values, page) => ({ goTo: afterChange(page, values, `/mappings/${values.name}`) }),
});

export const MAPPING_ACTIONS: readonly Action[] = [PUBLISH_MAPPING, rollback, setOwners];
