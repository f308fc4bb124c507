/**
 * `/console/workbench`: a sample, a mapping and what it makes of the sample, side by side. With its script it answers as
 * one types; without, a button does. Nothing is stored until a mapping is published or proposed.
 */
import { Buffer } from 'node:buffer';
import type { FC } from 'hono/jsx';
import type { Values } from '../../actions.ts';
import type { ApiProblem } from '../../api.ts';
import { WORKBENCH_JS_PATH } from '../../client/workbench-bundle.ts';
import { documentIn } from '../../document-field.ts';
import type { Page } from '../../page.ts';
import { CsrfField, Note } from '../../parts/basics.tsx';
import type { ConsolePages } from '../../routes.ts';
import { takeAction } from '../action.tsx';
import { PUBLISH_CODE_LIST } from '../mappings/code-list-actions.ts';
import { PUBLISH_MAPPING } from '../mappings/mapping-actions.ts';
import type { SuggestedAnswer, TriedAnswer } from './answers.ts';
import { PROPOSE_MAPPING } from './proposals.tsx';
import { Results, summaryOf } from './result-view.tsx';
import { SuggestionView } from './suggestion-view.tsx';

/** Characters of a sample shown without the script. Ours: the first screens; the whole is tried. */
const SAMPLE_SHOWN_CHARACTERS = 4_000;
/** Largest stored file that becomes a sample, in bytes, as the API takes them. */
const SAMPLE_BYTES_MAX = 1024 * 1024;

export const workbenchPages: ConsolePages = {
  get: { '/workbench': openPage },
  post: { '/workbench': takeForm, '/workbench/:what{try|suggest|example}': answerScript },
  reads: [
    'POST /v1/ops/mappings/preview',
    'POST /v1/ops/mappings/example',
    'POST /v1/ops/mappings/suggest',
    'GET /v1/ops/mappings',
    'GET /v1/ops/batches/{id}/source',
  ],
};

/** What a person has on the bench. */
interface Bench {
  /** Of the mapping that was opened; '' for a new one. */
  name: string;
  written: string;
  codeLists: readonly string[];
  sample: { name: string; bytes: Uint8Array } | null;
}

const EMPTY: Bench = { name: '', written: '', codeLists: [], sample: null };

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
  const found = await page.api.get<{ name: string; mapping: string; codeLists: string[] }>(
    page.own(`/mapping-proposals/${encodeURIComponent(id)}`),
  );
  if (!found.ok) return page.refuse(found.error);
  const { name, mapping, codeLists } = found.value;
  return shown(page, { ...EMPTY, name, written: mapping, codeLists }, {});
}

async function documentOf(page: Page, name: string): Promise<string | null> {
  const answer = await page.api.download(
    page.own(`/mappings/${encodeURIComponent(name)}`),
    {},
    { Accept: 'application/yaml' },
  );
  return answer.ok ? answer.text() : null;
}

async function storedFile(page: Page, id: string): Promise<{ file: Bench['sample']; problem?: string }> {
  const answer = await page.api.download(page.own(`/batches/${encodeURIComponent(id)}/source`), {
    partner: page.query('partner'),
  });
  if (!answer.ok)
    return {
      file: null,
      problem: `The file of batch ${id} cannot be read. It may have been deleted after its 90 days.`,
    };
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
  if (bench.sample === null && bench.written.trim() === '')
    return shown(page, bench, { notes: ['Choose a sample or write a mapping first.'] });
  if (wanted === 'suggest' || bench.written.trim() === '') return suggested(page, bench, values);
  const [, record] = /^example:(\d+)$/.exec(wanted) ?? [];
  if (record === undefined) return tried(page, bench);
  const made = await page.api.send<{ mapping: string }>('POST', page.own('/mappings/example'), {
    bytes: apiForm(bench, { record }),
  });
  if (!made.ok) return shown(page, bench, { problem: made.error });
  return tried(page, { ...bench, written: made.value.mapping });
}

/** The form of the action, with the document in it: its plan says what differs from what is published. */
const publish = (page: Page, { written }: Bench): Promise<Response> =>
  takeAction(page, PUBLISH_MAPPING, {
    ...{ step: 'look', name: nameIn(written, 'mapping'), document: written },
    back: page.at('/workbench', { resume: 'true' }),
  });

const propose = (page: Page, { written, codeLists }: Bench): Promise<Response> =>
  takeAction(page, PROPOSE_MAPPING, {
    ...{ step: 'look', name: nameIn(written, 'mapping'), document: written, codeLists: JSON.stringify(codeLists) },
    back: page.at('/workbench', { resume: 'true' }),
  });

const publishList = (page: Page, written: string, { from = '' }: Values): Promise<Response> =>
  takeAction(page, PUBLISH_CODE_LIST, { step: 'look', name: nameIn(written, 'list'), document: written, from });

function nameIn(written: string, key: 'mapping' | 'list'): string {
  const value = documentIn(written);
  const name: unknown = typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[key] : '';
  return typeof name === 'string' ? name : '';
}

async function tried(page: Page, bench: Bench, suggestion?: SuggestedAnswer): Promise<Response> {
  const answer = await page.api.send<TriedAnswer>('POST', page.own('/mappings/preview'), { bytes: apiForm(bench) });
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

const suggest = (page: Page, { sample }: Bench, values: Values) => {
  const parameters = new URLSearchParams({ fileName: sample?.name ?? 'sample' });
  if (values.isPart === 'true') parameters.set('isPart', 'true');
  for (const [id, choice] of answersIn(values)) parameters.append('answer', `${id}:${choice}`);
  return page.api.send<SuggestedAnswer>('POST', `${page.own('/mappings/suggest')}?${parameters}`, {
    bytes: new Blob([sample?.bytes ?? new Uint8Array()]),
  });
};

/** `answer:zone` chosen, `free:zone` written: what is written counts. */
function answersIn(values: Values): Map<string, string> {
  const answers = new Map<string, string>();
  for (const kind of ['answer:', 'free:']) {
    for (const [name, value] of Object.entries(values)) {
      if (name.startsWith(kind) && value.trim() !== '') answers.set(name.slice(kind.length), value.trim());
    }
  }
  return answers;
}

async function benchIn(form: FormData, { name = '', document = '' }: Values): Promise<Bench> {
  const codeLists = form
    .getAll('codeList')
    .flatMap((each) => (typeof each === 'string' && each.trim() !== '' ? [each.replaceAll('\r\n', '\n')] : []));
  return { name, written: document, codeLists, sample: await sampleIn(form) };
}

/** A file that was just chosen, a text that was pasted, or what the page was sent back with. */
async function sampleIn(form: FormData): Promise<Bench['sample']> {
  const file = form.get('file');
  if (file !== null && typeof file !== 'string' && file.size > 0)
    return { name: file.name, bytes: new Uint8Array(await file.arrayBuffer()) };
  const [pasted, carried, name] = ['sample', 'carried', 'carriedName'].map((field) => {
    const value = form.get(field);
    return typeof value === 'string' ? value : '';
  });
  if (pasted !== undefined && pasted !== '')
    return { name: 'sample', bytes: new TextEncoder().encode(pasted.replaceAll('\r\n', '\n')) };
  return carried === undefined || carried === ''
    ? null
    : { name: name ?? 'sample', bytes: new Uint8Array(Buffer.from(carried, 'base64')) };
}

function apiForm({ written, codeLists, sample }: Bench, more: Record<string, string> = {}): FormData {
  const form = new FormData();
  form.set('mapping', written);
  for (const list of codeLists) form.append('codeList', list);
  if (sample !== null) form.set('file', new Blob([sample.bytes]), sample.name);
  for (const [name, value] of Object.entries(more)) form.set(name, value);
  return form;
}

/* For the script: the API's own answers. */

async function answerScript(page: Page, values: Values): Promise<Response> {
  const what = page.context.req.param('what') ?? '';
  const bench = await benchIn(await page.context.req.formData(), values);
  const answer =
    what === 'suggest'
      ? await suggest(page, bench, values)
      : await page.api.send<unknown>('POST', page.own(`/mappings/${what === 'try' ? 'preview' : 'example'}`), {
          bytes: apiForm(bench, values.record === undefined ? {} : { record: values.record }),
        });
  return answer.ok
    ? page.context.json(answer.value as object)
    : page.context.json(answer.error, answer.error.status as 400);
}

/* The page. */

interface Found {
  tried?: TriedAnswer;
  suggestion?: SuggestedAnswer;
  problem?: ApiProblem;
  notes?: readonly string[];
}

async function shown(page: Page, bench: Bench, found: Found): Promise<Response> {
  const names = await mappingNames(page);
  const nonce = crypto.randomUUID();
  return page.show({
    title: bench.name === '' ? 'Workbench' : `${bench.name} – workbench`,
    nav: 'workbench',
    isWide: true,
    script: WORKBENCH_JS_PATH,
    styleNonce: nonce,
    body: <WorkbenchPage page={page} bench={bench} found={found} names={names} nonce={nonce} />,
  });
}

async function mappingNames(page: Page): Promise<string[]> {
  const found = await page.api.get<{ mappings: { name: string }[] }>(page.own('/mappings'));
  return found.ok ? found.value.mappings.map(({ name }) => name) : [];
}

const WorkbenchPage: FC<{ page: Page; bench: Bench; found: Found; names: readonly string[]; nonce: string }> = ({
  page,
  bench,
  found,
  names,
  nonce,
}) => (
  <>
    <div class="heading">
      <div>
        <h1>{bench.name === '' ? 'Workbench' : bench.name}</h1>
        <p class="quiet">
          Drop a sample, look at what becomes of each record, and change the mapping until it is right. Nothing is
          stored meanwhile.
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
      data-nonce={nonce}
      data-words={addWordPath(page) ?? ''}
    >
      <CsrfField page={page} />
      <input type="hidden" name="name" value={bench.name} />
      <input type="hidden" name="from" value={page.at('/workbench', { resume: 'true' })} />
      <Bar page={page} bench={bench} found={found} />
      <div class="bench" data-panes>
        <SamplePane bench={bench} found={found} />
        <MappingPane bench={bench} />
        <section class="bench-pane" id="bench-result" aria-label="Result">
          <h2>Result</h2>
          <div data-results>
            {found.tried === undefined ? (
              <p class="quiet">What each record becomes is shown here.</p>
            ) : (
              <Results tried={found.tried} isLive={false} words={addWordPath(page)} />
            )}
          </div>
        </section>
      </div>
    </form>
  </>
);

/** Where an operator adds a word to a code list, and comes back from; null for a partner. */
const addWordPath = (page: Page): string | null =>
  page.mayActAs('operator')
    ? page.at('/do/edit-code-list', { environment: page.environment, from: page.at('/workbench', { resume: 'true' }) })
    : null;

const OpenForm: FC<{ page: Page; name: string; names: readonly string[] }> = ({ page, name, names }) => (
  <form method="get" action="/console/workbench" class="bench-open">
    <input type="hidden" name="environment" value={page.environment} />
    <label for="bench-mapping">Mapping</label>
    <select id="bench-mapping" name="mapping">
      <option value="">a new one</option>
      {names.map((each) => (
        <option value={each} selected={each === name}>
          {each}
        </option>
      ))}
    </select>
    <label for="bench-batch">Sample from a batch</label>
    <input id="bench-batch" name="batch" placeholder="its id, or nothing" autocomplete="off" />
    <button type="submit">Open</button>
  </form>
);

const Bar: FC<{ page: Page; bench: Bench; found: Found }> = ({ page, bench: { name }, found: { tried } }) => {
  const summary = tried === undefined ? null : summaryOf(tried);
  return (
    <div class="bench-bar">
      <p role="status" data-summary class={summary === null ? 'quiet' : `state ${summary.look}`}>
        {summary?.text ?? 'Nothing tried yet'}
      </p>
      <div class="actions">
        <button type="submit" name="do" value="try" data-try>
          Try
        </button>
        {page.mayActAs('operator') ? (
          <button type="submit" class="primary" name="do" value="publish" data-publish>
            {name === '' ? 'Publish…' : 'Publish a new version…'}
          </button>
        ) : null}
        {page.isOps ? null : (
          <button type="submit" class="primary" name="do" value="propose">
            Propose…
          </button>
        )}
      </div>
    </div>
  );
};

const SamplePane: FC<{ bench: Bench; found: Found }> = ({ bench: { sample }, found: { suggestion } }) => (
  <section class="bench-pane" id="bench-sample" aria-label="Sample">
    <h2>Sample</h2>
    <div class="field" data-drop>
      <label for="bench-file">A file of this kind, at most 1 MB</label>
      <input id="bench-file" type="file" name="file" />
    </div>
    <details class="more">
      <summary>Or paste it</summary>
      <textarea name="sample" aria-label="The sample as text" spellcheck={false} rows={4} />
    </details>
    {sample === null ? null : (
      <>
        <input type="hidden" name="carried" value={Buffer.from(sample.bytes).toString('base64')} />
        <input type="hidden" name="carriedName" value={sample.name} />
      </>
    )}
    <p class="actions">
      <button type="submit" name="do" value="suggest" data-suggest>
        Suggest a mapping
      </button>
    </p>
    <div data-suggestion>{suggestion === undefined ? null : <SuggestionView suggestion={suggestion} />}</div>
    <div data-sample>
      {sample === null ? null : (
        <section class="source-box" tabindex={0} aria-label={`Beginning of ${sample.name}`}>
          <pre>{new TextDecoder().decode(sample.bytes.subarray(0, SAMPLE_SHOWN_CHARACTERS))}</pre>
        </section>
      )}
    </div>
  </section>
);

const MappingPane: FC<{ bench: Bench }> = ({ bench: { written, codeLists } }) => (
  <section class="bench-pane" id="bench-document" aria-label="Mapping">
    <h2>Mapping</h2>
    <textarea name="document" class="tall" aria-label="Mapping (YAML)" spellcheck={false} data-document>
      {written}
    </textarea>
    <div data-editor />
    <div data-lists>
      {codeLists.map((list, index) => (
        <div class="field">
          <label for={`bench-list-${index}`}>Code list that comes with it</label>
          <textarea id={`bench-list-${index}`} name="codeList" spellcheck={false} data-list>
            {list}
          </textarea>
        </div>
      ))}
    </div>
  </section>
);
