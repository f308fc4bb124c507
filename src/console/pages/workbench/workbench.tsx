/**
 * `/console/workbench`: a sample, a mapping and what it makes of the sample, side by side. With its script it answers as
 * one types; without, a button does. Nothing is stored until a mapping is published or proposed.
 */
import type { FC } from 'hono/jsx';
import type { Result } from '../../../kernel/result.ts';
import type { Suggestion } from '../../../mapping/suggest/suggestion.ts';
import type { Values } from '../../actions.ts';
import type { ApiProblem } from '../../api.ts';
import { WORKBENCH_JS_PATH } from '../../client/workbench-bundle.ts';
import { documentIn } from '../../document-field.ts';
import type { Page } from '../../page.ts';
import { CsrfField, Note } from '../../parts/basics.tsx';
import type { ConsolePages } from '../../routes.ts';
import { takeAction } from '../action.tsx';
import type { ListedBatch } from '../batches.tsx';
import { PUBLISH_CODE_LIST } from '../mappings/code-list-actions.ts';
import { PUBLISH_MAPPING } from '../mappings/mapping-actions.ts';
import { writtenText } from '../mappings/versions.tsx';
import type { ComparedAnswer, RerunFound, TriedAnswer } from './answers.ts';
import { type Bench, benchIn, compare, EMPTY, mapAgain, suggest, tryOn, withExample } from './bench.ts';
import { ComparedView, RerunView } from './beside-view.tsx';
import { nameOf } from './list-fields.tsx';
import { MappingPane, PaneTabs, SamplePane } from './panes.tsx';
import { PROPOSE_MAPPING } from './proposals.tsx';
import { publishable, Results, summaryOf } from './result-view.tsx';

/** Largest stored file that becomes a sample, in bytes, as the API takes them. */
const SAMPLE_BYTES_MAX = 1024 * 1024;

export const workbenchPages: ConsolePages = {
  get: { '/workbench': openPage },
  post: { '/workbench': takeForm, '/workbench/:what{try|suggest|example|compare|rerun|list}': answerScript },
  reads: [
    'POST /v1/ops/mappings/preview',
    'POST /v1/ops/mappings/example',
    'POST /v1/ops/mappings/suggest',
    'POST /v1/ops/mappings/compare',
    'POST /v1/ops/batches/{id}/rerun',
    'GET /v1/ops/batches',
    'GET /v1/ops/code-lists/{name}',
    'GET /v1/ops/mappings',
    'GET /v1/ops/batches/{id}/source',
  ],
};

async function openPage(page: Page): Promise<Response> {
  const [name, batch] = [page.query('mapping'), page.query('batch')];
  const proposal = page.query('proposal');
  if (proposal !== '') return openProposal(page, proposal);
  const written = name === '' ? '' : await documentOf(page, name);
  const sample = batch === '' ? null : await storedFile(page, batch);
  const bench = { ...EMPTY, name: written === null ? '' : name, written: written ?? '', sample: sample?.file ?? null };
  return shown(page, bench, {
    notes: [
      ...(written === null ? [`There is no mapping “${name}” that you can read.`] : []),
      ...(sample?.problem === undefined ? [] : [sample.problem]),
    ],
  });
}

async function openProposal(page: Page, id: string): Promise<Response> {
  const found = await page.api.call(page.own('GET /v1/mapping-proposals/{id}'), { path: { id } });
  if (!found.ok) return page.refuse(found.error);
  const { name, mapping, codeLists } = found.value;
  return shown(page, { ...EMPTY, name, written: mapping, codeLists }, {});
}

async function documentOf(page: Page, name: string): Promise<string | null> {
  const answer = await page.api.answer(page.own('GET /v1/mappings/{name}'), {
    path: { name },
    headers: { Accept: 'application/yaml' },
  });
  return answer.ok ? answer.text() : null;
}

async function storedFile(page: Page, id: string): Promise<{ file: Bench['sample']; problem?: string }> {
  const answer = page.isOps
    ? await page.api.answer('GET /v1/ops/batches/{id}/source', {
        path: { id },
        query: { partner: page.query('partner') },
      })
    : await page.api.answer('GET /v1/batches/{id}/source', { path: { id } });
  if (!answer.ok) {
    const { detail } = (await answer.json().catch(() => ({}))) as { detail?: string };
    return { file: null, problem: `The file of batch ${id} cannot be read. ${detail ?? 'Open it again in a minute.'}` };
  }
  const bytes = new Uint8Array(await answer.arrayBuffer());
  if (bytes.byteLength > SAMPLE_BYTES_MAX)
    return {
      file: null,
      problem: 'The file of that batch is larger than a sample may be (1 MB). Save its first rows and drop them here.',
    };
  return { file: { name: `batch-${id}`, bytes } };
}

/* Without the script: the whole form comes, and the page again. */

async function takeForm(page: Page, values: Values): Promise<Response> {
  const form = await page.context.req.formData();
  const bench = await benchIn(form, values);
  const wanted = values.do ?? 'try';
  const [, list] = /^list:(\d+)$/.exec(wanted) ?? [];
  if (list !== undefined) return publishList(page, bench.codeLists[Number(list)] ?? '', values);
  if (wanted === 'publish') return publish(page, bench);
  if (wanted === 'propose') return propose(page, bench);
  const [, opened] = /^open:([\w-]+)$/.exec(wanted) ?? [];
  if (opened !== undefined) {
    const text = await writtenText(page.api, 'code-lists', opened);
    return tried(page, text === null ? bench : { ...bench, codeLists: [...bench.codeLists, text] });
  }
  if (wanted === 'compare') return compared(page, bench);
  if (wanted === 'rerun') return rerun(page, bench, values);
  if (bench.sample === null && bench.written.trim() === '')
    return shown(page, bench, { notes: ['Choose a sample or write a mapping first.'] });
  if (wanted === 'suggest' || bench.written.trim() === '') return suggested(page, bench, values);
  const [, record] = /^example:(\d+)$/.exec(wanted) ?? [];
  if (record === undefined) return tried(page, bench);
  const made = await withExample(page, bench, record);
  if (!made.ok) return shown(page, bench, { problem: made.error });
  return tried(page, { ...bench, written: made.value.mapping });
}

/** The form of the action, with the document in it: its plan says what differs from what is published. */
const publish = (page: Page, { written }: Bench): Promise<Response> =>
  takeAction(page, PUBLISH_MAPPING, {
    ...{ step: 'look', name: nameIn(written), document: written },
    back: page.at('/workbench', { resume: 'true' }),
  });

const propose = (page: Page, { written, codeLists }: Bench): Promise<Response> =>
  takeAction(page, PROPOSE_MAPPING, {
    ...{ step: 'look', name: nameIn(written), document: written, codeLists: JSON.stringify(codeLists) },
    back: page.at('/workbench', { resume: 'true' }),
  });

const publishList = (page: Page, written: string, { from = '' }: Values): Promise<Response> =>
  takeAction(page, PUBLISH_CODE_LIST, { step: 'look', name: nameOf(written), document: written, from });

function nameIn(written: string): string {
  const value = documentIn(written);
  const name: unknown = typeof value === 'object' && value !== null && 'mapping' in value ? value.mapping : '';
  return typeof name === 'string' ? name : '';
}

async function compared(page: Page, bench: Bench): Promise<Response> {
  const answer = await compare(page, bench);
  return shown(page, bench, answer.ok ? { compared: answer.value } : { problem: answer.error });
}

async function rerun(page: Page, bench: Bench, values: Values): Promise<Response> {
  const answer = await mapAgain(page, bench, values);
  return shown(page, bench, answer.ok ? { rerun: answer.value } : { problem: answer.error });
}

async function tried(page: Page, bench: Bench, suggestion?: Suggestion): Promise<Response> {
  const answer = await tryOn(page, bench);
  const more = suggestion === undefined ? {} : { suggestion };
  return shown(page, bench, answer.ok ? { tried: answer.value, ...more } : { problem: answer.error, ...more });
}

async function suggested(page: Page, bench: Bench, values: Values): Promise<Response> {
  const answer = await suggest(page, bench, values);
  if (!answer.ok) return shown(page, bench, { problem: answer.error });
  const { yaml, codeLists } = answer.value;
  const lists = codeLists.flatMap((list) => list.yaml ?? []);
  const next = { ...bench, written: yaml ?? bench.written, codeLists: lists };
  return yaml === null ? shown(page, next, { suggestion: answer.value }) : tried(page, next, answer.value);
}

/* For the script: the API's own answers. */

async function answerScript(page: Page, values: Values): Promise<Response> {
  const what = page.context.req.param('what') ?? '';
  const bench = await benchIn(await page.context.req.formData(), values);
  if (what === 'list') {
    return page.context.json({ yaml: await writtenText(page.api, 'code-lists', values.list ?? '') });
  }
  const answer = await answerOf(page, what, bench, values);
  return answer.ok
    ? page.context.json(answer.value as object)
    : page.context.json(answer.error, answer.error.status as 400);
}

function answerOf(page: Page, what: string, bench: Bench, values: Values): Promise<Result<unknown, ApiProblem>> {
  if (what === 'suggest') return suggest(page, bench, values);
  if (what === 'compare') return compare(page, bench);
  if (what === 'rerun') return mapAgain(page, bench, values);
  return what === 'try' ? tryOn(page, bench) : withExample(page, bench, values.record ?? '');
}

/* The page. */

interface Found {
  tried?: TriedAnswer;
  suggestion?: Suggestion;
  compared?: ComparedAnswer;
  rerun?: RerunFound;
  problem?: ApiProblem;
  notes?: readonly string[];
}

async function shown(page: Page, bench: Bench, found: Found): Promise<Response> {
  const [names, batches] = await Promise.all([mappingNames(page), earlierBatches(page, bench)]);
  const nonce = crypto.randomUUID();
  return page.show({
    title: bench.name === '' ? 'Workbench' : `${bench.name} – workbench`,
    nav: 'workbench',
    isWide: true,
    script: WORKBENCH_JS_PATH,
    styleNonce: nonce,
    status: found.problem?.status ?? 200,
    body: <WorkbenchPage page={page} bench={bench} found={found} names={names} batches={batches} nonce={nonce} />,
  });
}

async function mappingNames(page: Page): Promise<string[]> {
  const found = await page.api.call(page.own('GET /v1/mappings'));
  return found.ok ? found.value.mappings.map(({ name }) => name) : [];
}

/** Offered to be mapped again. Ours: a screen of a menu; any other is opened by its id. */
const EARLIER_BATCHES = 15;

/** Of this mapping; of a new one, those that came last. */
async function earlierBatches(page: Page, { name }: Bench): Promise<ListedBatch[]> {
  if (!page.mayActAs('operator')) return [];
  const asked = { limit: EARLIER_BATCHES, ...(name === '' ? {} : { mapping: name }) };
  const found = await page.api.call('GET /v1/ops/batches', { query: asked });
  return found.ok ? found.value.batches.filter(({ dryRun }) => !dryRun) : [];
}

interface Shown {
  page: Page;
  bench: Bench;
  found: Found;
  names: readonly string[];
  batches: readonly ListedBatch[];
  nonce: string;
}

const WorkbenchPage: FC<Shown> = ({ page, bench, found, names, batches, nonce }) => (
  <>
    <div class="heading">
      <div>
        <h1>{bench.name === '' ? 'Workbench' : bench.name}</h1>
        <p class="quiet">
          Drop a sample, look at what becomes of each row, and change the mapping until it is right. Nothing is stored
          meanwhile.
        </p>
      </div>
      <OpenForm page={page} name={bench.name} names={names} />
    </div>
    {page.isOps && !page.mayActAs('operator') ? (
      <Note look="wait">Your role is viewer: you can read mappings here, but neither try nor publish them.</Note>
    ) : null}
    {(found.notes ?? []).map((note) => (
      <Note look="wait">{note}</Note>
    ))}
    {found.problem === undefined ? null : (
      <Note look="bad">
        <strong>{found.problem.title}.</strong> {found.problem.detail} {found.problem.fix}
      </Note>
    )}
    <form
      method="post"
      action={page.at('/workbench')}
      enctype="multipart/form-data"
      data-bench={page.at('/workbench')}
      data-owner={ownerOf(page)}
      data-nonce={nonce}
      data-words={addWordPath(page) ?? ''}
    >
      <CsrfField page={page} />
      <input type="hidden" name="name" value={bench.name} />
      <input type="hidden" name="from" value={page.at('/workbench', { resume: 'true' })} />
      <Bar page={page} bench={bench} found={found} />
      <PaneTabs />
      <div class="bench" data-panes>
        <SamplePane bench={bench} suggestion={found.suggestion} />
        <MappingPane page={page} bench={bench} uses={found.tried?.mapping?.uses ?? []} />
        <section class="bench-pane" id="bench-result" aria-label="Result">
          <h2>Result</h2>
          <div data-results>
            {found.tried === undefined ? (
              <p class="quiet">What each row becomes is shown here.</p>
            ) : (
              <Results tried={found.tried} isLive={false} words={addWordPath(page)} />
            )}
          </div>
        </section>
      </div>
      <Beside page={page} bench={bench} found={found} batches={batches} />
    </form>
  </>
);

/** The draft beside what is published, and beside what came in before. */
const Beside: FC<Omit<Shown, 'names' | 'nonce'>> = ({ page, bench: { name }, found, batches }) => (
  <div class="bench-beside">
    <section aria-labelledby="bench-published">
      <h2 id="bench-published">The published version</h2>
      <p class="actions">
        <button type="submit" name="do" value="compare">
          Compare with the published version
        </button>
        {page.mayActAs('operator') && name !== '' ? (
          <>
            <a class="button" href={page.at(`/mappings/${name}`)}>
              Show the versions
            </a>
            <a
              class="button"
              href={page.at('/do/roll-back-mapping', { name, from: page.at('/workbench', { mapping: name }) })}
            >
              Roll back…
            </a>
          </>
        ) : null}
      </p>
      <div data-compared>{found.compared === undefined ? null : <ComparedView compared={found.compared} />}</div>
    </section>
    {page.mayActAs('operator') ? (
      <section aria-labelledby="bench-earlier">
        <h2 id="bench-earlier">An earlier file</h2>
        {batches.length === 0 ? (
          <p class="quiet">No file came in for it yet.</p>
        ) : (
          <p class="actions">
            <label for="bench-rerun" class="only-read">
              File that came in
            </label>
            <select id="bench-rerun" name="rerun">
              {batches.map(({ batchId, partner, fileName, receivedAt }) => (
                <option value={`${batchId} ${partner ?? ''}`}>
                  {`${receivedAt.slice(0, 16).replace('T', ' ')} UTC · ${partner ?? ''} · ${fileName ?? batchId}`}
                </option>
              ))}
            </select>
            <button type="submit" name="do" value="rerun">
              Compare with what it became
            </button>
          </p>
        )}
        <div data-rerun>{found.rerun === undefined ? null : <RerunView rerun={found.rerun} />}</div>
      </section>
    ) : null}
  </div>
);

/** Whose drafts the browser keeps. */
function ownerOf({ environment, session: { visitor } }: Page): string {
  const who = visitor.kind === 'operator' ? visitor.operator.keyId : visitor.principal.partner;
  return `${environment} ${who}`;
}

/** Where an operator adds a word to a code list, and comes back from; null for a partner. */
const addWordPath = (page: Page): string | null =>
  page.mayActAs('operator')
    ? page.at('/do/edit-code-list', { environment: page.environment, from: page.at('/workbench', { resume: 'true' }) })
    : null;

const OpenForm: FC<{ page: Page; name: string; names: readonly string[] }> = ({ page, name, names }) => (
  <form method="get" action="/console/workbench" class="bench-open">
    <input type="hidden" name="environment" value={page.environment} />
    <span>
      <label for="bench-mapping">Mapping</label>
      <select id="bench-mapping" name="mapping">
        <option value="">a new one</option>
        {names.map((each) => (
          <option value={each} selected={each === name}>
            {each}
          </option>
        ))}
      </select>
    </span>
    <span>
      <label for="bench-batch">Sample from a batch</label>
      <input id="bench-batch" name="batch" placeholder="its id, or nothing" autocomplete="off" />
    </span>
    <button type="submit">Open</button>
  </form>
);

const Bar: FC<{ page: Page; bench: Bench; found: Found }> = ({ page, bench: { name }, found: { tried } }) => {
  const summary = tried === undefined ? null : summaryOf(tried);
  const { isPossible, reason } = tried === undefined ? { isPossible: true, reason: '' } : publishable(tried);
  const handsOn = {
    type: 'submit',
    name: 'do',
    disabled: !isPossible,
    class: reason === '' ? 'primary' : '',
    'data-hands-on': true,
    'aria-describedby': 'bench-reason',
  } as const;
  return (
    <div class="bench-bar">
      <p role="status" tabindex={-1} data-summary class={summary === null ? 'quiet' : `state ${summary.look}`}>
        {summary?.text ?? 'Nothing tried yet'}
      </p>
      <div class="actions">
        <span class="quiet" id="bench-reason" data-reason>
          {reason}
        </span>
        <button type="submit" name="do" value="try" data-try>
          Try
        </button>
        {page.mayActAs('operator') ? (
          <button {...handsOn} value="publish">
            {name === '' ? 'Publish…' : 'Publish a new version…'}
          </button>
        ) : null}
        {page.isOps ? null : (
          <button {...handsOn} value="propose">
            Propose…
          </button>
        )}
      </div>
    </div>
  );
};
