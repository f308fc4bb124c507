/**
 * A document that is being written, and a sample → what is wrong with the document, line by line, and what it makes of
 * the sample. Nothing is stored. The workbench asks for it at every pause of its author.
 */
import type { RequestLookups } from '../../fleet/lookup.ts';
import { encodingOf } from '../../formats/reader.ts';
import { checkDraft } from '../../mapping/check/check.ts';
import { checkCodeList } from '../../mapping/check/code-list.ts';
import { compileMapping } from '../../mapping/compile/compile.ts';
import { type ValueOrigin, valueOrigins } from '../../mapping/compile/value-origins.ts';
import type { JsonDifference } from '../../mapping/document/canonical.ts';
import type { CodeList, CodeLists } from '../../mapping/document/code-list.ts';
import type { ExampleSpec } from '../../mapping/document/document.ts';
import type { DocumentProblem } from '../../mapping/document/problems.ts';
import type { Bases } from '../../mapping/document/read-yaml.ts';
import { usedLists } from '../../mapping/document/versions.ts';
import { runExamples } from '../../mapping/examples/examples.ts';
import type { RequestKind } from '../../mapping/request.ts';
import { type MayGoOn, type Preview, previewLookingUp } from './preview.ts';

/** What a document may name. */
export interface AuthorsFacts {
  lists: CodeLists;
  bases: Bases;
}

export interface TriedDocument {
  written: string;
  /** null: only the document is checked. */
  sample: Uint8Array | null;
  /** Texts of code lists that are being written, too: they stand for the published ones. */
  codeLists: readonly string[];
}

export interface Tried {
  /** null: it cannot be tried as it is. */
  mapping: {
    name: string;
    description: string;
    format: string;
    encoding: string;
    kinds: readonly RequestKind[];
    uses: string[];
  } | null;
  problems: DocumentProblem[];
  /** Of the code lists sent along, in their order. */
  codeLists: { list: string | null; problems: DocumentProblem[] }[];
  /** null: not run. */
  examples: { count: number; failed: FailedOfDraft[] } | null;
  origins: ValueOrigin[];
  /** null: no sample, or a document that cannot be tried. */
  preview: Preview | null;
}

/** @property about what its example shows, as its author says; null: that is not said. */
interface FailedOfDraft extends JsonDifference {
  about: string | null;
}

function named(failed: JsonDifference, examples: readonly ExampleSpec[]): FailedOfDraft {
  const [, number] = /^examples\[(\d+)\]/.exec(failed.path) ?? [];
  return { ...failed, about: examples[Number(number)]?.about ?? null };
}

export function draftOf({ written, codeLists }: Omit<TriedDocument, 'sample'>, { lists, bases }: AuthorsFacts) {
  const own = codeLists.map((text) => checkCodeList(text));
  const found = own.flatMap((list): [string, CodeList][] => (list.ok ? [[list.value.name, list.value]] : []));
  const all: CodeLists = new Map([...lists, ...found]);
  return {
    ...checkDraft(written, all, bases),
    lists: all,
    codeLists: own.map((list) =>
      list.ok ? { list: list.value.name, problems: [] } : { list: null, problems: list.error },
    ),
  };
}

export async function tryMapping(
  tried: TriedDocument,
  facts: AuthorsFacts,
  { requestAnswer, mayGoOn }: { requestAnswer: RequestLookups; mayGoOn: MayGoOn },
): Promise<Tried> {
  const { document, text, problems, lists, codeLists } = draftOf(tried, facts);
  if (document === null) return { mapping: null, problems, codeLists, examples: null, origins: [], preview: null };
  const mapping = compileMapping(document, lists);
  const { name, description, source, targets: kinds } = mapping;
  const failed = await runExamples(mapping, document.examples);
  return {
    mapping: {
      name,
      description,
      format: source.format,
      encoding: encodingOf(source),
      kinds,
      uses: [...usedLists(document)].sort(),
    },
    problems,
    codeLists,
    examples: { count: document.examples.length, failed: failed.map((each) => named(each, document.examples)) },
    origins: valueOrigins(document, text),
    preview: tried.sample === null ? null : await previewLookingUp(mapping, tried.sample, requestAnswer, mayGoOn),
  };
}
