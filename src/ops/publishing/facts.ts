/** What a change of published names is decided on: the pointers of one moment, the bundle, and the texts that they lead to. */
import type { Environment } from '../../kernel/names.ts';
import { ok, type Result } from '../../kernel/result.ts';
import { checkCodeList } from '../../mapping/check/code-list.ts';
import type { CodeList, CodeLists } from '../../mapping/document/code-list.ts';
import type { Bundle } from './bundle.ts';
import type { Pointers } from './publication.ts';
import type { PublicationStore, Unavailable } from './publication-store.ts';
import { mappingNames } from './standing.ts';

export interface Facts {
  environment: Environment;
  bundle: Bundle;
  pointers: Pointers;
  /** Every code list as it stands: published over bundled. */
  lists: CodeLists;
}

export async function readFacts(
  store: PublicationStore,
  bundle: Bundle,
  environment: Environment,
): Promise<Result<Facts, Unavailable>> {
  const pointers = await store.pointers(environment);
  if (!pointers.ok) return pointers;
  const written = await store.written(environment, 'code_list', pointers.value.codeLists.keys());
  if (!written.ok) return written;
  const lists = new Map<string, CodeList>(bundle.lists());
  for (const [name, text] of written.value) {
    const checked = checkCodeList(text, name);
    if (checked.ok) lists.set(name, checked.value);
    else lists.delete(name); // kept by a program that judged otherwise: a mapping that needs it says so
  }
  return ok({ environment, bundle, pointers: pointers.value, lists });
}

/** The mappings that look anything up in a code list, with their documents as written. */
export async function mappingsUsing(
  list: string,
  { environment, bundle, pointers }: Facts,
  store: PublicationStore,
): Promise<Result<{ name: string; written: string; sha256: string }[], Unavailable>> {
  const published = [...pointers.mappings.values()].filter(({ summary }) => summary.codeLists.includes(list));
  const written = await store.written(
    environment,
    'mapping',
    published.map(({ name }) => name),
  );
  if (!written.ok) return written;
  const using = published.map(({ name, sha256 }) => ({ name, sha256, written: written.value.get(name) ?? '' }));
  for (const name of mappingNames(bundle, pointers)) {
    const bundled = pointers.mappings.has(name) ? undefined : await bundle.mapping(name);
    if (!bundled?.summary.codeLists.includes(list)) continue;
    using.push({ name, sha256: bundled.sha256, written: bundle.texts.documents.get(name) ?? '' });
  }
  return ok(using);
}
