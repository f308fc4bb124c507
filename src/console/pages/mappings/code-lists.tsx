/** `/console/code-lists`: words of files and the codes they become, with search, versions, and the mappings that use each. */
import type { FC } from 'hono/jsx';
import type { Answered } from '../../../http/contract/contract.ts';
import type { CodeListDocument } from '../../../mapping/document/code-list.ts';
import type { Page } from '../../page.ts';
import { countOf, Fact, Facts, inText, Note, Pager, Time } from '../../parts/basics.tsx';
import { Crumbs } from '../../parts/crumbs.tsx';
import { Filters } from '../../parts/filters.tsx';
import { Names } from '../../parts/links.tsx';
import { Table } from '../../parts/table.tsx';
import type { ConsolePages } from '../../routes.ts';
import { CODE_LIST_ACTIONS } from './code-list-actions.ts';
import { yamlFile } from './mappings.tsx';
import { ByCell, historyOf, VersionFacts, Versions } from './versions.tsx';

export const codeListPages: ConsolePages = {
  get: {
    '/code-lists': listPage,
    '/code-lists/:name': codeListPage,
    '/code-lists/:name/document.yaml': (page) => yamlFile(page, 'code-lists', nameIn(page)),
  },
  reads: ['GET /v1/ops/code-lists', 'GET /v1/ops/code-lists/{name}', 'GET /v1/ops/code-lists/{name}/history'],
  actions: CODE_LIST_ACTIONS,
};

type ShownCodeList = Answered<'GET /v1/ops/code-lists/{name}'>;

/** Words on one page of a list. Ours: about two screens. */
const CODES_SHOWN = 50;

const nameIn = (page: Page): string => page.context.req.param('name') ?? '';

async function listPage(page: Page): Promise<Response> {
  const found = await page.api.call('GET /v1/ops/code-lists');
  if (!found.ok) return page.refuse(found.error);
  return page.show({
    title: 'Code lists',
    nav: 'codeLists',
    isWide: true,
    body: (
      <>
        <div class="heading">
          <div>
            <h1>Code lists</h1>
            <p class="quiet">A code list turns words of a file into the codes that are sent.</p>
          </div>
          {page.mayActAs('operator') ? (
            <a class="button primary" href={page.at('/do/edit-code-list')}>
              Add a word
            </a>
          ) : null}
        </div>
        <Table
          caption="Code lists by name"
          columns={[
            { label: 'Code list', kind: 'main' },
            { label: 'What it is' },
            { label: 'Words', kind: 'number' },
            { label: 'Used by', kind: 'word' },
            { label: 'By', kind: 'word' },
            { label: 'Since', kind: 'word' },
          ]}
          rows={found.value.codeLists.map((list) => {
            const href = page.at(`/code-lists/${list.name}`);
            return {
              href,
              cells: [
                <a href={href}>{list.name}</a>,
                list.description,
                inText(list.codes),
                list.usedBy.length === 0 ? <span class="quiet">none</span> : countOf(list.usedBy.length, 'mapping'),
                <ByCell now={list} />,
                list.publication === null ? <span class="quiet">as shipped</span> : <Time at={list.publication.at} />,
              ],
            };
          })}
          empty="There is no code list yet. Publish one for a mapping to look words up in."
        />
      </>
    ),
  });
}

async function codeListPage(page: Page): Promise<Response> {
  const name = nameIn(page);
  const [found, history] = await Promise.all([
    page.api.call('GET /v1/ops/code-lists/{name}', { path: { name } }),
    historyOf(page.api, 'code-lists', name, page.query('before')),
  ]);
  if (!found.ok) return page.refuse(found.error);
  if (!history.ok) return page.refuse(history.error);
  const { document } = found.value;
  return page.show({
    title: name,
    nav: 'codeLists',
    isWide: true,
    body: (
      <>
        <Crumbs to={[['Code lists', page.at('/code-lists')]]} />
        <Head page={page} list={found.value} hasVersions={history.value.publications.length > 0} />
        {document === null ? (
          <Note look="bad">The stored list cannot be read by this release. Publish it anew, or roll it back.</Note>
        ) : (
          <WordTable page={page} name={name} document={document} />
        )}
        <Versions
          page={page}
          artifact="code-lists"
          name={name}
          current={found.value.sha256}
          history={history.value}
          rollBack="roll-back-code-list"
        />
      </>
    ),
  });
}

const Head: FC<{ page: Page; list: ShownCodeList; hasVersions: boolean }> = ({ page, list, hasVersions }) => {
  const { name, description, usedBy } = list;
  const from = page.at(`/code-lists/${name}`);
  return (
    <>
      <div class="heading">
        <div>
          <h1>{name}</h1>
          <p>{description}</p>
        </div>
        {page.mayActAs('operator') ? (
          <div class="actions">
            <a class="button primary" href={page.at('/do/edit-code-list', { name, from })}>
              Add a word
            </a>
            <a class="button" href={page.at('/do/publish-code-list', { name, from })}>
              Edit the whole list
            </a>
            {hasVersions ? (
              <a class="button" href={page.at('/do/roll-back-code-list', { name, from })}>
                Roll back
              </a>
            ) : null}
          </div>
        ) : null}
      </div>
      <Facts>
        <VersionFacts now={list} />
        <Fact name="Used by" isWide>
          <Names page={page} names={usedBy} of="mapping" none="no mapping" />
        </Fact>
        <Fact name="File">
          <a href={page.at(`/code-lists/${name}/document.yaml`)}>Download it</a>
        </Fact>
      </Facts>
    </>
  );
};

interface ListedMessage {
  word: string;
  code: string;
  meaning: string;
  isUnverified: boolean;
}

/** What the search finds in word, code or meaning, in the order of the list. Pure. */
function matching({ codes, meanings = {}, unverified = [] }: CodeListDocument, text: string): ListedMessage[] {
  const wanted = text.toLowerCase();
  return Object.entries(codes)
    .map(([word, code]) => ({
      word,
      code,
      meaning: Object.hasOwn(meanings, code) ? (meanings[code] ?? '') : '',
      isUnverified: unverified.includes(word),
    }))
    .filter(({ word, code, meaning }) => [word, code, meaning].some((each) => each.toLowerCase().includes(wanted)));
}

const WordTable: FC<{ page: Page; name: string; document: CodeListDocument }> = ({ page, name, document }) => {
  const found = matching(document, page.query('q'));
  const after = Math.max(0, Math.min(found.length, Number.parseInt(page.query('after'), 10) || 0));
  const shown = found.slice(after, after + CODES_SHOWN);
  const path = `/code-lists/${name}`;
  const filter = { q: page.query('q') };
  const isLast = after + CODES_SHOWN >= found.length;
  return (
    <section>
      <h2>
        {filter.q === '' ? '' : `${inText(found.length)} of `}
        {countOf(Object.keys(document.codes).length, 'word')}
      </h2>
      <Filters page={page} path={path} filters={[{ name: 'q', label: 'Word, code or meaning' }]} />
      <Table
        caption={`Words ${after + 1} to ${after + shown.length} of ${found.length}`}
        columns={[
          { label: 'Word in the file', kind: 'main' },
          { label: 'Code', kind: 'word' },
          { label: 'Meaning' },
          { label: '', kind: 'word' },
        ]}
        rows={shown.map((each) => wordRow(page, name, each))}
        empty="No word is like that. Change the search, or add the word."
      />
      <Pager
        first={after === 0 ? null : page.at(path, filter)}
        next={isLast ? null : page.at(path, { ...filter, after: after + CODES_SHOWN })}
        nextLabel="Show more words"
        shown={`Words ${after + 1} to ${after + shown.length} of ${found.length}`}
      />
    </section>
  );
};

function wordRow(page: Page, name: string, { word, code, meaning, isUnverified }: ListedMessage) {
  const from = page.at(`/code-lists/${name}`);
  return {
    cells: [
      <span class="value">{word}</span>,
      <code>{code}</code>,
      <>
        {meaning}
        {isUnverified ? <span class="quiet"> to be confirmed</span> : null}
      </>,
      page.mayActAs('operator') ? (
        <span class="actions">
          <a href={page.at('/do/edit-code-list', { name, word, code, from })}>Change</a>
          <a href={page.at('/do/remove-code-list-word', { name, word, from })}>Remove</a>
        </span>
      ) : null,
    ],
  };
}
