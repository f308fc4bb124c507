/**
 * The mappings this deployment knows by name: the documents bundled with it, checked whole on first use.
 *
 * A name stands for one version at a time; batches keep the version they began with.
 */
import type { MappingCatalog, MappingVersion } from '../intake/ports.ts';
import { checkMapping } from '../mapping/check.ts';
import { checkCodeLists } from '../mapping/check-code-list.ts';
import type { CodeLists } from '../mapping/code-list.ts';
import type { MappingDocument } from '../mapping/document.ts';
import type { DocumentProblem } from '../mapping/document-problem.ts';
import { mappingVersion } from '../mapping/versions.ts';

/** Bundled documents are proved by the tests of the build; one that is wrong here is a bug, so this throws with all that is wrong. */
export function bundledCatalog(texts: {
  documents: ReadonlyMap<string, string>;
  codeLists: ReadonlyMap<string, string>;
}): MappingCatalog {
  let lists: CodeLists | undefined;
  const documents = new Map<string, MappingDocument>();
  const versions = new Map<string, MappingVersion>();

  const document = (name: string): MappingDocument | undefined => {
    const text = texts.documents.get(name);
    if (text === undefined) return undefined;
    const known = documents.get(name);
    if (known) return known;
    lists ??= sound('code lists', checkCodeLists(texts.codeLists));
    const checked = sound(`mapping ${name}`, checkMapping(text, lists, name));
    documents.set(name, checked);
    return checked;
  };

  return {
    names: [...texts.documents.keys()].sort(),
    namesScac: (name) => document(name)?.scac !== undefined,
    format: (name) => document(name)?.source.format ?? 'csv',
    async version(name) {
      const checked = document(name);
      if (!checked || !lists) return undefined;
      const version = versions.get(name) ?? { name, ...(await mappingVersion(checked, lists)) };
      versions.set(name, version);
      return version;
    },
  };
}

function sound<T>(what: string, checked: { ok: true; value: T } | { ok: false; error: DocumentProblem[] }): T {
  if (checked.ok) return checked.value;
  const problems = checked.error.map(({ path, message, wanted }) => `${path}: ${message} Wanted: ${wanted}.`);
  throw new Error(`bundled ${what} refused: ${problems.join(' ')}`);
}
