/** `/docs`: the API in words, by subject, from its contract. Open to anybody: it says nothing that a partner may not know. */
import type { FC } from 'hono/jsx';
import { ROUTES, refusalsOf } from '../../http/contract/contract.ts';
import { openApi, tagOf } from '../../http/contract/openapi.ts';
import type { Caller, Route } from '../../http/contract/route.ts';
import { capital } from '../../kernel/text.ts';
import { Crumbs } from '../parts/crumbs.tsx';
import { bareDocument } from '../parts/frame.tsx';
import { Table } from '../parts/table.tsx';

interface Address {
  method: string;
  path: string;
  route: Route;
}

/** Pages of the console are no part of the API. */
function subjects(): Map<string, Address[]> {
  const all = Object.entries(ROUTES).map(([name, route]) => {
    const [method = '', path = ''] = name.split(' ');
    return { method, path, route };
  });
  const isShown = ({ path }: Address): boolean => path.startsWith('/v1/');
  return Map.groupBy(all.filter(isShown), ({ path }) => tagOf(path).replace('/', '-'));
}

const WHO: Readonly<Record<Caller, string>> = {
  anybody: 'anybody',
  partner: 'a partner',
  viewer: 'an operator who may look',
  operator: 'an operator',
  admin: 'an administrator',
  visitor: 'anybody who is signed in',
};

const nameOf = (subject: string): string => capital(subject.replace(/^ops-/, '').replaceAll('-', ' '));
const isOfOperators = (subject: string): boolean => subject.startsWith('ops-');

export function docsDocument(subject: string | null): string | undefined {
  const all = subjects();
  if (subject === null) return bareDocument('API', <Contents all={all} />);
  const addresses = all.get(subject);
  if (addresses === undefined) return undefined;
  return bareDocument(`API: ${nameOf(subject)}`, <Subject subject={subject} addresses={addresses} />);
}

const Contents: FC<{ all: ReadonlyMap<string, readonly Address[]> }> = ({ all }) => (
  <>
    <h1>The API</h1>
    <p>
      Send a key as <code>Authorization: Bearer KEY</code>, or as the password of Basic authentication. Errors are{' '}
      <code>application/problem+json</code>: what is wrong, where, and what to do; <a href="/problems">all problems</a>.
      For programs: <a href="/openapi.json">openapi.json</a>.
    </p>
    <List title="For partners" all={[...all].filter(([subject]) => !isOfOperators(subject))} />
    <List title="For operators" all={[...all].filter(([subject]) => isOfOperators(subject))} />
  </>
);

const List: FC<{ title: string; all: readonly (readonly [string, readonly Address[]])[] }> = ({ title, all }) => (
  <section>
    <h2>{title}</h2>
    <Table
      caption={title}
      columns={[
        { label: 'Subject', kind: 'main' },
        { label: 'Addresses', kind: 'number' },
      ]}
      rows={all.map(([subject, addresses]) => ({
        href: `/docs/${subject}`,
        cells: [<a href={`/docs/${subject}`}>{nameOf(subject)}</a>, addresses.length],
      }))}
    />
  </section>
);

const Subject: FC<{ subject: string; addresses: readonly Address[] }> = ({ subject, addresses }) => (
  <>
    <Crumbs to={[['API', '/docs']]} />
    <h1>
      {nameOf(subject)}
      {isOfOperators(subject) ? ', for operators' : ''}
    </h1>
    {addresses.map((address) => (
      <One address={address} />
    ))}
  </>
);

interface Parameter {
  name: string;
  in: string;
  required: boolean;
  description?: string;
}

/** As OpenAPI has them: said once, for both. */
const parametersOf = ({ method, path }: Address): readonly Parameter[] =>
  (openApi().paths[path]?.[method.toLowerCase()]?.parameters ?? []) as readonly Parameter[];

const KINDS: Readonly<Record<string, string>> = { path: 'in the address', query: 'after ?', header: 'a header' };

const One: FC<{ address: Address }> = ({ address }) => {
  const { method, path, route } = address;
  const parameters = parametersOf(address);
  return (
    <details class="entry">
      <summary>
        <code>
          {method} {path}
        </code>
        <div>{capital(plain(route.does))}.</div>
      </summary>
      <p>For {WHO[route.who]}.</p>
      {parameters.length === 0 ? null : (
        <Table
          caption={`Parameters of ${method} ${path}`}
          columns={[{ label: 'Parameter', kind: 'main' }, { label: 'Where' }, { label: 'What it says' }]}
          rows={parameters.map((parameter) => ({
            cells: [
              <code>{parameter.name}</code>,
              `${KINDS[parameter.in] ?? parameter.in}${parameter.required ? ', required' : ''}`,
              plain(parameter.description ?? ''),
            ],
          }))}
        />
      )}
      {route.body === undefined ? null : (
        <p>
          Takes {Object.keys(route.body.media).join(', ')}. {plain(route.body.does ?? '')}
        </p>
      )}
      <ul>
        {Object.entries(route.answers).map(([status, { does, media }]) => (
          <li>
            {status}: {plain(does)} {Object.keys(media).join(', ')}
          </li>
        ))}
        <li>Refused with {refusalsOf(route).join(', ')}.</li>
      </ul>
      <pre>
        <code>{exampleOf(address)}</code>
      </pre>
    </details>
  );
};

/** Texts of the contract are Markdown in the reference. */
const plain = (text: string): string => text.replaceAll('`', '').replaceAll('**', '');

function exampleOf(address: Address): string {
  const { method, path, route } = address;
  const must = parametersOf(address)
    .filter((each) => each.in === 'query' && each.required)
    .map(({ name }) => `${name}=${name.toUpperCase()}`);
  const url = `"$URL${path}${must.length === 0 ? '' : `?${must.join('&')}`}"`;
  const verb = method === 'GET' ? '' : ` -X ${method}`;
  const types = Object.keys(route.body?.media ?? {});
  const isForm = types.length > 0 && types.every((type) => type === 'multipart/form-data');
  const body = types.includes('application/json')
    ? " -H 'Content-Type: application/json' -d '{…}'"
    : isForm
      ? ' -F mapping=@MAPPING.yaml -F file=@FILE'
      : types.length > 0
        ? ' --data-binary @FILE'
        : '';
  return `curl -u any:$KEY${verb}${body} ${url}`;
}
