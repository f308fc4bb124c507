/**
 * The workbench in the browser: the document is tried as one types, a sample leads to suggestions, and a value to its line
 * and its cell. The page works without it; it sends the same form to the same place.
 */
import { createRoot } from 'hono/jsx/dom/client';
import type { Suggestion } from '../../../mapping/suggest/suggestion.ts';
import type { ComparedAnswer, RerunFound, TriedAnswer } from '../../pages/workbench/answers.ts';
import { ComparedView, RerunView } from '../../pages/workbench/beside-view.tsx';
import { ListFields, nameOf } from '../../pages/workbench/list-fields.tsx';
import { publishable, Results, summaryOf } from '../../pages/workbench/result-view.tsx';
import { asYaml } from '../../pages/workbench/segments.ts';
import { SuggestionView } from '../../pages/workbench/suggestion-view.tsx';
import { base64Of, bytesOf, keep, restore, type Sample } from './draft.ts';
import { openEditor } from './editor.ts';
import { addDrop, addTabs, showPane } from './panes.ts';
import { moveAlong, SampleView } from './sample-view.tsx';

/** How long nothing is typed before the document is tried, in ms. Ours: shorter than a pause to look. */
const PAUSE_MS = 250;
/** Largest sample, in bytes, as the API takes them: of a larger file the first part is tried. */
const SAMPLE_BYTES_MAX = 1024 * 1024;
const SIGNED_OUT = 'You were signed out. What you wrote is still here: sign in again in another tab, then press "Try".';

/** Of the script that every page has: whoever has signed in again in another tab has a new token. */
declare function renewToken(form: HTMLFormElement, then: (isNew: boolean) => void): void;

function begin(form: HTMLFormElement): void {
  const one = <Found extends HTMLElement>(selector: string): Found => {
    const found = form.querySelector<Found>(selector);
    if (found === null) throw new Error(`the page has no ${selector}`);
    return found;
  };
  const written = one<HTMLTextAreaElement>('[data-document]');
  const lists = one('[data-lists]');
  /** The code lists that are changed here, as they stand in their fields; drawn a moment later. */
  let listTexts = textsIn(lists);
  const listRoot = createRoot(emptied(lists));
  const summary = one('[data-summary]');
  const file = one<HTMLInputElement>('input[type=file]');
  const pasted = one<HTMLTextAreaElement>('textarea[name=sample]');
  const sampleRoot = createRoot(emptied(one('[data-sample]')));
  const resultRoot = createRoot(one('[data-results]'));
  const suggestionBox = one('[data-suggestion]');
  const suggestionRoot = createRoot(suggestionBox);
  const comparedBox = one('[data-compared]');
  const comparedRoot = createRoot(comparedBox);
  const rerunBox = form.querySelector<HTMLElement>('[data-rerun]');
  const rerunRoot = rerunBox === null ? null : createRoot(rerunBox);

  let sample: Sample | null = carriedSample(form);
  let columns: readonly string[] = [];
  let encoding: string | null = null;
  let last: TriedAnswer | null = null;
  let suggestedText = '';
  let suggestedLists: readonly string[] = [];
  /** Which fields there are. */
  let drawnLists = '';
  let isPart = false;
  /** What was said since the document was last sent: its answer comes later and does not take that away. */
  let saidMeanwhile = '';
  let timer = 0;
  let running: AbortController | null = null;

  const asked = new URL(location.href).searchParams;
  const isResumed = asked.has('resume');
  /** What was written last comes back where nothing was opened; `mapping=` asks for an empty bench. */
  const isFresh = !isResumed && !asked.has('mapping') && written.value === '' && sample === null;
  const place = `workbench ${form.dataset.owner}`; // one browser may be of several people
  const restored = isResumed || isFresh ? restore(place) : null;
  /** What was only opened does not take the place of what was written before. */
  let isTouched = restored !== null;
  if (restored !== null) {
    written.value = restored.written;
    sample = restored.sample ?? sample;
    ({ suggestedText, suggestedLists } = restored);
    one<HTMLInputElement>('input[name=name]').value = restored.name;
  }
  showLists(restored?.lists ?? listTexts);
  written.hidden = true;
  const editor = openEditor({
    parent: one('[data-editor]'),
    text: written.value,
    nonce: form.dataset.nonce ?? '',
    columns: () => columns,
    exit: one('[data-try]'),
    changed: () => {
      isTouched = true;
      written.value = editor.text();
      enable();
      later();
    },
  });

  const say = (text: string, look: string): void => {
    summary.textContent = text;
    summary.className = look === 'quiet' ? 'quiet' : `state ${look}`;
    summary.dataset.shape = { good: '✓', bad: '✗', wait: '◔' }[look] ?? '';
  };

  /** Nothing written: nothing to publish, and nothing to compare. Else as it was tried last. */
  const enable = (): void => {
    const isEmpty = written.value.trim() === '';
    for (const value of ['compare', 'rerun'])
      for (const button of form.querySelectorAll<HTMLButtonElement>(`[name=do][value=${value}]`))
        button.disabled = isEmpty;
    const { isPossible, reason } = isEmpty || last === null ? { isPossible: !isEmpty, reason: '' } : publishable(last);
    one('[data-reason]').textContent = reason;
    for (const button of form.querySelectorAll<HTMLButtonElement>('[data-hands-on]')) {
      button.disabled = !isPossible;
      button.classList.toggle('primary', reason === '');
    }
  };

  const later = (): void => {
    clearTimeout(timer);
    timer = window.setTimeout(() => void tryNow(), PAUSE_MS);
  };

  const bodyWith = (more: Record<string, string>): FormData => {
    const body = new FormData(form);
    for (const name of ['file', 'sample', 'carried', 'carriedName', 'codeList']) body.delete(name);
    for (const list of listTexts) body.append('codeList', list);
    if (sample !== null) body.set('file', new Blob([sample.bytes]), sample.name);
    for (const [name, value] of Object.entries(more)) body.set(name, value);
    return body;
  };

  /** Only the newest counts: an older one that is still under way is given up. */
  async function post<Answer>(what: string, more: Record<string, string> = {}): Promise<Answer | null> {
    running?.abort();
    const own = new AbortController();
    running = own;
    const [path = '', query = ''] = (form.dataset.bench ?? '').split('?');
    const send = (): Promise<Response> =>
      fetch(`${path}/${what}?${query}`, { method: 'POST', body: bodyWith(more), signal: own.signal });
    try {
      let answer = await send();
      const isStranger = answer.status === 401 || answer.status === 403;
      if (isStranger && (await new Promise<boolean>((done) => renewToken(form, done)))) answer = await send();
      const value = (await answer.json()) as Answer & { title?: string; detail?: string; fix?: string };
      if (answer.ok) return value;
      say(answer.status === 401 ? SIGNED_OUT : `${value.title}. ${value.detail} ${value.fix ?? ''}`, 'bad');
    } catch (thrown) {
      if (own.signal.aborted) return null;
      say('The bridge does not answer. What you wrote is still here.', 'bad');
      console.warn(thrown);
    }
    return null;
  }

  async function tryNow(): Promise<void> {
    store();
    enable();
    if (written.value.trim() === '') {
      say(sample === null ? 'Nothing tried yet' : 'A sample, and no mapping yet', 'quiet');
      return;
    }
    saidMeanwhile = '';
    const tried = await post<TriedAnswer>('try');
    if (tried === null) return;
    last = tried;
    enable();
    columns =
      tried.preview?.records.find((record) => record.columns !== null)?.columns?.map(([name]) => name) ?? columns;
    encoding = tried.mapping?.encoding ?? encoding;
    if (tried.mapping !== null) one<HTMLInputElement>('input[name=name]').value = tried.mapping.name;
    const { look, text } = summaryOf(tried);
    say(saidMeanwhile === '' ? text : `${text} · ${saidMeanwhile}`, look);
    editor.show(tried.problems);
    showLists(listTexts);
    resultRoot.render(<Results tried={tried} isLive={true} words={form.dataset.words || null} />);
    showSample();
  }

  async function suggest(): Promise<void> {
    if (sample === null) {
      say('Choose a sample first', 'wait');
      return;
    }
    const suggestion = await post<Suggestion>('suggest', isPart ? { isPart: 'true' } : {});
    if (suggestion === null) return;
    columns = suggestion.columns.map(({ name }) => name);
    encoding = suggestion.format.find(({ what }) => what === 'encoding')?.value ?? encoding;
    suggestionRoot.render(<SuggestionView suggestion={suggestion} />);
    const own = listTexts.filter((text) => !suggestedLists.includes(text)); // opened or changed by hand
    const ownNames = own.map(nameOf);
    suggestedLists = suggestion.codeLists.flatMap(({ yaml }) => yaml ?? []);
    showLists([...own, ...suggestedLists.filter((text) => !ownNames.includes(nameOf(text)))]);
    if (suggestion.yaml === null) {
      showSample();
      focusOn(suggestionBox);
      return;
    }
    const isReplaced = written.value.trim() !== '' && written.value !== suggestedText;
    suggestedText = suggestion.yaml;
    editor.replace(suggestion.yaml);
    await tryNow();
    focusOn(suggestionBox);
    if (isReplaced) summary.textContent += ' · your text was replaced, undo brings it back';
  }

  function showSample(): void {
    if (sample === null) return;
    showChosen(file, sample);
    sampleRoot.render(<SampleView {...sample} encoding={encoding} columns={columns} />);
  }

  async function take(name: string, content: Blob): Promise<void> {
    isTouched = true;
    const whole = new Uint8Array(await content.arrayBuffer());
    sample = { name, bytes: whole.slice(0, SAMPLE_BYTES_MAX) };
    encoding = null;
    columns = [];
    isPart = whole.byteLength > SAMPLE_BYTES_MAX;
    suggestionRoot.render(null); // answers about another file are no answers about this one
    carry(form, sample);
    showSample();
    if (written.value.trim() === '' || written.value === suggestedText) await suggest();
    else await tryNow();
    if (isPart) summary.textContent += ' · of the first MB of the file';
  }

  async function saveExample(record: string): Promise<void> {
    const made = await post<{ mapping: string }>('example', { record });
    if (made === null) return;
    editor.replace(made.mapping);
    await tryNow();
    form.querySelector<HTMLElement>(`[value="example:${record}"]`)?.focus();
  }

  /** To what is to be read next; where there is nothing, to what the whole came to. */
  function focusOn(box: HTMLElement | null): void {
    onceDrawn(() => (box?.querySelector<HTMLElement>('[data-asked]') ?? summary).focus());
  }

  async function compare(): Promise<void> {
    const compared = await post<ComparedAnswer>('compare');
    if (compared === null) return;
    comparedRoot.render(<ComparedView compared={compared} />);
    focusOn(comparedBox);
  }

  async function mapAgain(): Promise<void> {
    const rerun = await post<RerunFound>('rerun');
    if (rerun === null) return;
    rerunRoot?.render(<RerunView rerun={rerun} />);
    focusOn(rerunBox);
  }

  async function openList(list: string): Promise<void> {
    const opened = await post<{ yaml: string | null }>('list', { list });
    if (opened === null || opened.yaml === null) return;
    showLists([...listTexts, opened.yaml]);
    onceDrawn(() => {
      const field = lists.querySelector(`#bench-list-${listTexts.length - 1}`) as HTMLElement | null;
      field?.focus();
      field?.scrollIntoView({ block: 'center' });
    });
    await tryNow();
  }

  function showLists(texts: readonly string[]): void {
    listTexts = texts;
    const names = last?.mapping?.uses ?? [];
    const shape = JSON.stringify([texts.map(nameOf), names]);
    // not while somebody types: what comes between drawing and now would be drawn over
    if (shape !== drawnLists)
      listRoot.render(<ListFields lists={texts} names={names} mayPublish={lists.dataset.lists === 'publish'} />);
    drawnLists = shape;
    onceDrawn(() => {
      // a field in which somebody typed keeps what was typed, whatever is drawn
      for (const [index, field] of lists.querySelectorAll('textarea').entries()) {
        const text = listTexts[index] ?? '';
        if (field.value !== text) field.value = text;
      }
    });
  }

  function store(): void {
    if (!isTouched) return;
    const name = one<HTMLInputElement>('input[name=name]').value;
    keep(place, { written: written.value, lists: listTexts, name, suggestedText, suggestedLists, sample });
  }

  /** Another page leads back here, to what is on the bench now. */
  function keepForReturn(): void {
    isTouched = true;
    store();
  }

  /** Nobody knows where it belongs before a cursor was put somewhere. */
  function writeOrCopy(piece: string): void {
    if (editor.insert(piece)) return;
    const tell = (text: string): void => {
      saidMeanwhile = text;
      say(text, 'quiet');
    };
    void (navigator.clipboard?.writeText(piece) ?? Promise.reject()).then(
      () => tell(`Copied ${piece}. Click in the mapping where it belongs, then paste it.`),
      () => tell(`${piece}: click in the mapping where it belongs, then here again.`),
    );
  }

  file.addEventListener('change', () => {
    const [chosen] = file.files ?? [];
    if (chosen !== undefined) void take(chosen.name, chosen);
  });
  pasted.addEventListener('change', () => {
    if (pasted.value !== '') void take('pasted.txt', new Blob([pasted.value])).then(() => (pasted.value = ''));
  });
  lists.addEventListener('input', () => {
    isTouched = true;
    listTexts = textsIn(lists);
    later();
  });
  addDrop(form, (dropped) => void take(dropped.name, dropped));
  form.addEventListener('submit', (event) => {
    const button = event.submitter as HTMLButtonElement | null;
    const wanted = button?.name === 'do' ? button.value : 'try';
    store();
    const opened = /^open:(.+)$/.exec(wanted)?.[1];
    const isHere = ['try', 'suggest', 'compare', 'rerun'].includes(wanted) || wanted.startsWith('example:');
    if (!isHere && opened === undefined) {
      keepForReturn();
      file.value = ''; // it is carried
      return;
    }
    event.preventDefault();
    delete form.dataset.sent;
    clearTimeout(timer);
    if (wanted === 'suggest') void suggest();
    else if (wanted === 'compare') void compare();
    else if (wanted === 'rerun') void mapAgain();
    else if (opened !== undefined) void openList(opened);
    else if (wanted.startsWith('example:')) void saveExample(wanted.slice('example:'.length));
    else void tryNow();
  });
  form.addEventListener('click', ({ target }) => {
    if ((target as Element).closest('a[href*="resume"]') !== null) keepForReturn();
    const button = (target as Element).closest<HTMLElement>('button');
    if (button?.dataset.insert !== undefined) writeOrCopy(asYaml(button.dataset.insert));
    if (button?.dataset.line !== undefined) {
      showPane(form, 'bench-document');
      editor.goTo(Number(button.dataset.line), button);
    }
    if (button?.dataset.columns !== undefined) showOrigin(form, button, sample);
  });
  form.addEventListener('keydown', (event) => moveAlong(event));
  addTabs(form, one('[data-tabs]'));
  enable();
  if (sample !== null) showSample();
  if (written.value.trim() !== '') {
    void tryNow();
    if (isFresh) saidMeanwhile = 'as you left it; for an empty bench open a new one';
  } else if (sample !== null && last === null) void suggest();
}

/** What is rendered into a root for the second time is drawn a moment later. */
const onceDrawn = (go: () => void): void => void requestAnimationFrame(go);

const textsIn = (lists: HTMLElement): readonly string[] =>
  [...lists.querySelectorAll('textarea')].map(({ value }) => value);

const emptied = (node: HTMLElement): HTMLElement => {
  node.replaceChildren();
  return node;
};

function carriedSample(form: HTMLFormElement): Sample | null {
  const text = form.querySelector<HTMLInputElement>('input[name=carried]')?.value ?? '';
  const name = form.querySelector<HTMLInputElement>('input[name=carriedName]')?.value ?? 'sample';
  return text === '' ? null : { name, bytes: bytesOf(text) };
}

/** What another page sends back here. */
function carry(form: HTMLFormElement, { name, bytes }: Sample): void {
  for (const [field, value] of [
    ['carried', base64Of(bytes)],
    ['carriedName', name],
  ] as const) {
    const known = form.querySelector<HTMLInputElement>(`input[name=${field}]`);
    const input = known ?? Object.assign(document.createElement('input'), { type: 'hidden', name: field });
    input.value = value;
    if (known === null) form.append(input);
  }
}

/** The field names the file that is on the bench, wherever it came from. */
function showChosen(file: HTMLInputElement, { name, bytes }: Sample): void {
  if (file.files?.[0]?.name === name) return;
  const chosen = new DataTransfer();
  chosen.items.add(new File([bytes], name));
  file.files = chosen.files;
}

/** The cells that a value was read from, and the lines of its record. */
function showOrigin(form: HTMLFormElement, button: HTMLElement, sample: Sample | null): void {
  const record = button.closest<HTMLElement>('.bench-record');
  const columns: string[] = JSON.parse(button.dataset.columns ?? '[]');
  for (const marked of form.querySelectorAll('.origin')) marked.classList.remove('origin');
  button.classList.add('origin');
  const cells = record?.querySelector<HTMLDetailsElement>('details');
  if (cells && columns.length > 0) cells.open = true;
  for (const cell of record?.querySelectorAll<HTMLElement>('[data-cell]') ?? []) {
    cell.classList.toggle(
      'origin',
      columns.some((column) => column.trim() === cell.dataset.cell),
    );
  }
  const source = form.querySelector('.bench-lines');
  if (record === null || source === null || sample === null) return;
  const lineAt = (byte: number): number =>
    sample.bytes.subarray(0, byte).reduce((sum, each) => sum + (each === 10 ? 1 : 0), 0);
  const [from, to] = [Number(record.dataset.from), Number(record.dataset.to)].map(lineAt);
  const lines = [...source.children].slice(from, (to ?? 0) + 1);
  for (const line of lines) line.classList.add('origin');
  lines[0]?.scrollIntoView({ block: 'nearest' });
}

const bench = document.querySelector<HTMLFormElement>('form[data-bench]');
if (bench !== null) begin(bench);
