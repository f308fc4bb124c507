/**
 * `/console/upload`: a partner's clerk drops a file, sees what would be sent, and sends it. Nothing is stored before that.
 * The kind of the file is found from its content, or chosen.
 */
import type { FC } from 'hono/jsx';
import { readBody } from '../../../http/edge/body.ts';
import { PREVIEW_BYTES_MAX } from '../../../ops/publishing/limits.ts';
import type { MatchedMapping } from '../../../ops/publishing/match.ts';
import type { ApiProblem } from '../../api.ts';
import type { Page } from '../../page.ts';
import { bytesText, CsrfField, countOf, Empty, Note } from '../../parts/basics.tsx';
import type { ConsolePages } from '../../routes.ts';
import { kindText } from './kinds.ts';
import { readUploadForm } from './upload-form.ts';
import { type PreviewAnswer, PreviewShown } from './upload-preview.tsx';

export const uploadPages: ConsolePages = {
  get: { '/upload': (page) => showUpload(page, {}), '/upload/sample/:name': sample },
  streamed: { '/upload': sendFile, '/upload/check': checkFile },
  reads: [
    'GET /v1/mappings',
    'GET /v1/mappings/{name}/sample',
    'POST /v1/mappings/match',
    'POST /v1/mappings/{name}/preview',
    'PUT /v1/batches/{fileName}',
  ],
};

interface Kind {
  name: string;
  description: string;
  format: string;
}

interface Found {
  mapping?: string;
  /** The carrier that was chosen. */
  scac?: string;
  fileName?: string;
  match?: readonly MatchedMapping[];
  preview?: PreviewAnswer;
  /** The bytes of the whole file, of which only the first part was looked at. */
  wholeBytes?: number;
  problem?: ApiProblem;
}

async function showUpload(page: Page, found: Found): Promise<Response> {
  if (page.isOps) return page.goTo(page.at('/batches'));
  const listed = await page.api.call('GET /v1/mappings');
  if (!listed.ok) return page.refuse(listed.error);
  const kinds = listed.value.mappings;
  return page.show({
    title: 'Send a file',
    nav: 'upload',
    isWide: found.preview !== undefined,
    script: '/console/upload.js',
    status: found.problem?.status ?? 200,
    body: (
      <>
        <h1>Send a file</h1>
        {kinds.length === 0 ? (
          <Empty>Your key may not send any kind of file yet. Ask the operator to add one to it.</Empty>
        ) : (
          <UploadForm page={page} kinds={kinds} found={found} />
        )}
      </>
    ),
  });
}

/** More kinds than this are folded away: the file says which it is. */
const KINDS_OPEN_MAX = 5;

/** Nothing can be done before a person says what kind of file it is. */
const isToChoose = ({ problem }: Found): boolean =>
  problem !== undefined && ['kind_unknown', 'mapping_missing'].includes(problem.code);

/** Short first: up to its first comma or dash. */
const Description: FC<{ text: string }> = ({ text }) => {
  const [, head = text, rest = ''] = /^(.+?)((?:, | - |; |\. ).+)$/s.exec(text) ?? [];
  return (
    <>
      {head}
      <span class="quiet">{rest}</span>
    </>
  );
};

const UploadForm: FC<{ page: Page; kinds: readonly Kind[]; found: Found }> = ({ page, kinds, found }) => (
  <form
    method="post"
    enctype="multipart/form-data"
    action={page.at('/upload')}
    data-upload
    data-by-link={page.isLink ? '' : undefined}
    data-check={page.at('/upload/check')}
  >
    <CsrfField page={page} />
    <details class="kinds" open={kinds.length <= KINDS_OPEN_MAX || isToChoose(found)} data-kinds>
      <summary>Choose the kind of file yourself</summary>
      <fieldset class="choices">
        <legend class="only-read">Kind of file</legend>
        <label>
          <input type="radio" name="mapping" value="" checked={found.mapping === undefined} />
          <strong>Let it be found from the file</strong>
        </label>
        {kinds.map((kind) => (
          <div class="kind">
            <label>
              <input type="radio" name="mapping" value={kind.name} checked={found.mapping === kind.name} />
              <span>
                <Description text={kind.description} /> <span class="quiet">{kindText(kind.format)}</span>
              </span>
            </label>
            <a href={page.at(`/upload/sample/${encodeURIComponent(kind.name)}`)} download>
              Download a sample<span class="only-read"> of {kind.name}</span>
            </a>
          </div>
        ))}
      </fieldset>
    </details>
    <Scac page={page} chosen={found.scac ?? ''} />
    <div class="drop" data-drop>
      <label for="file">
        <strong>Drop your file here, or choose it</strong>
      </label>
      <input id="file" type="file" name="file" required />
      <p class="quiet">CSV, Excel (.xlsx), JSON, EDI, XML, or a ZIP of them.</p>
      <p role="status" data-chosen />
    </div>
    <div data-progress hidden>
      <progress aria-label="How much has been sent" max="1" value="0" /> <span role="status" data-far />{' '}
      <button type="button" data-stop>
        Stop
      </button>
    </div>
    <FoundPart page={page} found={found} />
  </form>
);

/** Whoever may send for several carriers says for which, unless the file does. */
const Scac: FC<{ page: Page; chosen: string }> = ({ page, chosen }) => {
  const { visitor } = page.session;
  const scacs = visitor.kind === 'partner' ? visitor.principal.scacs : [];
  if (scacs.length < 2) return null;
  return (
    <div class="field narrow">
      <label for="scac">Carrier (SCAC)</label>
      <select id="scac" name="scac">
        <option value="">As the file says</option>
        {scacs.map((scac) => (
          <option value={scac} selected={scac === chosen}>
            {scac}
          </option>
        ))}
      </select>
    </div>
  );
};

/** What a look at the file found; the script takes it over from the answer. */
const FoundPart: FC<{ page: Page; found: Found }> = ({ page, found }) => {
  const { mapping, match = [], preview, problem, fileName, wholeBytes } = found;
  return (
    <div data-found data-mapping={mapping} data-choose={isToChoose(found) ? '' : undefined}>
      {problem === undefined ? null : (
        <div role="alert">
          <Note look="bad">
            <p>
              <strong>{problem.title.endsWith('?') ? problem.title : `${problem.title}.`}</strong> {problem.detail}
            </p>
            {problem.fix === undefined ? null : <p>{problem.fix}</p>}
          </Note>
        </div>
      )}
      <Suggested match={match} mapping={mapping} />
      {preview === undefined ? null : <PreviewShown preview={preview} wholeBytes={wholeBytes ?? null} />}
      <p class="actions">
        <button class={preview !== undefined && preview.counts.mapped > 0 ? 'primary' : ''} type="submit">
          {sendText(preview, wholeBytes)}
        </button>
        <button type="submit" formaction={page.at('/upload/check')} data-look>
          {preview === undefined ? 'Check it first' : 'Check it again'}
        </button>
      </p>
      {preview === undefined || fileName === undefined ? null : (
        <noscript>
          <p class="quiet">
            Your browser runs no scripts: choose {fileName} once more above, then send it. Nothing was kept of it.
          </p>
        </noscript>
      )}
    </div>
  );
};

function sendText(preview: PreviewAnswer | undefined, wholeBytes: number | undefined): string {
  if (preview === undefined || wholeBytes !== undefined || preview.counts.records === 0) return 'Send the file';
  const { mapped, records } = preview.counts;
  if (mapped === 0) return 'Send the file';
  return mapped === records ? `Send ${countOf(records, 'row')}` : `Send ${mapped} of ${records} rows`;
}

const Suggested: FC<{ match: readonly MatchedMapping[]; mapping: string | undefined }> = ({ match, mapping }) => {
  const chosen = match.find((each) => each.mapping === mapping);
  if (chosen === undefined) return null;
  const others = match.filter((each) => each !== chosen && each.fit !== 'unlikely');
  return (
    <Note look={chosen.fit === 'certain' ? 'good' : 'wait'}>
      <p>
        <strong>{chosen.fit === 'certain' ? 'It is: ' : 'It may be: '}</strong>
        {chosen.description}
      </p>
      <p class="quiet">
        {chosen.reason}
        {others.length === 0 ? '' : ` It could also be: ${others.map(({ description }) => description).join(' ')}`}{' '}
        Choose another kind above if that is wrong.
      </p>
    </Note>
  );
};

async function sample(page: Page): Promise<Response> {
  const name = page.context.req.param('name') ?? '';
  const answer = await page.api.answer('GET /v1/mappings/{name}/sample', { path: { name } });
  return answer.ok ? answer : page.refuse({ ...(await answer.json<ApiProblem>()), status: answer.status });
}

/** The beginning of the file, its kind, and what would be sent. */
async function checkFile(page: Page): Promise<Response> {
  if (page.isOps) return page.goTo(page.at('/batches'));
  const form = await readUploadForm(page);
  if (!form.ok) return showUpload(page, { problem: form.error });
  const { fields, fileName, file } = form.value;
  const head = await readBody(file, PREVIEW_BYTES_MAX);
  const { scac = '' } = fields;
  if (!head.ok) return showUpload(page, { scac, problem: TOO_LARGE_TO_SEE });
  if (head.value.byteLength === 0) return showUpload(page, { scac, problem: EMPTY });
  const isPart = fields.part === 'true';
  const named = fields.mapping ? { mapping: fields.mapping } : null;
  const found: Found = { ...named, scac, fileName, ...(isPart ? { wholeBytes: Number(fields.bytes) || 0 } : {}) };
  if (named === null) {
    const matched = await matchOf(page, head.value, isPart);
    if (!matched.ok) return showUpload(page, { ...found, problem: matched.error });
    const [best] = matched.value;
    if (best === undefined || best.fit === 'unlikely')
      return showUpload(page, { ...found, problem: unknownKind(best) });
    Object.assign(found, { mapping: best.mapping, match: matched.value });
  }
  const preview = await page.api.call('POST /v1/mappings/{name}/preview', {
    path: { name: found.mapping ?? '' },
    query: { part: isPart },
    bytes: head.value as BodyInit,
  });
  return showUpload(page, preview.ok ? { ...found, preview: preview.value } : { ...found, problem: preview.error });
}

async function matchOf(page: Page, head: Uint8Array, isPart: boolean) {
  const matched = await page.api.call('POST /v1/mappings/match', {
    query: { part: isPart },
    bytes: head as BodyInit,
  });
  return matched.ok ? { ok: true as const, value: matched.value.mappings } : matched;
}

/** The file, passed on as it arrives. Its kind was found or chosen before. */
async function sendFile(page: Page): Promise<Response> {
  if (page.isOps) return page.goTo(page.at('/batches'));
  const form = await readUploadForm(page);
  if (!form.ok) return showUpload(page, { problem: form.error });
  const { fields, fileName, file } = form.value;
  const { scac = '' } = fields;
  if (!fields.mapping) return showUpload(page, { scac, fileName, problem: KIND_NEEDED });
  const sent = await page.api.call('PUT /v1/batches/{fileName}', {
    path: { fileName: fileName || 'file' },
    query: { mapping: fields.mapping, scac },
    bytes: file,
  });
  if (!sent.ok) return showUpload(page, { mapping: fields.mapping, scac, fileName, problem: clerkProblem(sent.error) });
  const { batchId, replayed } = sent.value;
  return page.goTo(page.at(`/batches/${batchId}`, replayed ? { again: 'true' } : {}));
}

/** What the API says to programs, where a person needs other words. */
function clerkProblem(problem: ApiProblem): ApiProblem {
  if (problem.code === 'scac_required')
    return {
      ...problem,
      title: 'For which carrier?',
      detail: 'You may send for several carriers, and this kind of file does not say for which.',
      fix: 'Choose the carrier above, and send the file again.',
    };
  if (problem.code === 'file_taken_elsewhere')
    return { ...problem, fix: 'Ask whoever sent it, or whoever gave you the link, what became of it.' };
  if (problem.code === 'empty') return EMPTY;
  return problem;
}

const EMPTY: ApiProblem = {
  status: 400,
  code: 'empty',
  title: 'The file is empty',
  detail: 'It has no bytes at all. Nothing was sent.',
  fix: 'Export it again, and look at it before you choose it here.',
};

const KIND_NEEDED: ApiProblem = {
  status: 400,
  code: 'mapping_missing',
  title: 'What kind of file is it?',
  detail: 'It was not checked yet, and no kind is chosen. Nothing was sent.',
  fix: 'Choose the kind above, or press "Check it first".',
};

const TOO_LARGE_TO_SEE: ApiProblem = {
  status: 413,
  code: 'too_large',
  title: 'Too large to check first',
  detail: `What is checked before sending has at most ${bytesText(PREVIEW_BYTES_MAX)}. Nothing was sent.`,
  fix: 'Choose its kind above and send it: every row is checked before it goes anywhere.',
};

const unknownKind = (best: MatchedMapping | undefined): ApiProblem => ({
  status: 422,
  code: 'kind_unknown',
  title: 'What kind of file is it?',
  detail:
    best === undefined || !best.reason.startsWith('It needs')
      ? 'It looks like none of the kinds of file that you may send. Nothing was sent.'
      : `It looks like none of your kinds. The nearest is "${best.description}" ${best.reason} Nothing was sent.`,
  fix: 'If it is the right file, choose its kind above: then you see what is wrong with it. A sample shows how it should look.',
});
