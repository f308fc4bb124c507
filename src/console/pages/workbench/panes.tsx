/** The panes of the workbench as they are sent: a script makes an editor, a view of the sample and live fields of them. */
import { Buffer } from 'node:buffer';
import type { FC } from 'hono/jsx';
import type { Suggestion } from '../../../mapping/suggest/suggestion.ts';
import type { Page } from '../../page.ts';
import type { Bench } from './bench.ts';
import { ListFields } from './list-fields.tsx';
import { SuggestionView } from './suggestion-view.tsx';

/** Characters of a sample shown without the script. Ours: the first screens; the whole is tried. */
const SAMPLE_SHOWN_CHARACTERS = 4_000;

const PANES = { 'bench-sample': 'Sample', 'bench-document': 'Mapping', 'bench-result': 'Result' };

/** On a narrow window one of the panes is shown, where a script can change which: nothing moves when it begins. */
export const PaneTabs: FC = () => (
  <fieldset class="bench-tabs" aria-label="What is shown" data-tabs>
    {Object.entries(PANES).map(([id, label], index) => (
      <button type="button" data-pane={id} aria-pressed={index === 0 ? 'true' : 'false'}>
        {label}
      </button>
    ))}
  </fieldset>
);

export const SamplePane: FC<{ bench: Bench; suggestion: Suggestion | undefined }> = ({
  bench: { sample },
  suggestion,
}) => (
  <section class="bench-pane chosen" id="bench-sample" aria-label="Sample">
    <h2>Sample</h2>
    <div class="field" data-drop>
      <label for="bench-file">A sample file, at most 1 MB</label>
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

export const MappingPane: FC<{ page: Page; bench: Bench; uses: readonly string[] }> = ({
  page,
  bench: { written, codeLists },
  uses,
}) => (
  <section class="bench-pane" id="bench-document" aria-label="Mapping">
    <h2>Mapping</h2>
    <textarea name="document" class="tall" aria-label="Mapping (YAML)" spellcheck={false} data-document>
      {written}
    </textarea>
    <div data-editor />
    <div data-lists={page.mayActAs('operator') ? 'publish' : ''}>
      <ListFields lists={codeLists} names={uses} mayPublish={page.mayActAs('operator')} />
    </div>
  </section>
);
