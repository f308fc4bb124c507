/**
 * Everything a change of published names can be refused for, as facts; `describeRefusal` adds messages and HTTP status.
 */
import { listed, messagesFor, type RefusalMessages, type RefusalTable } from '../../kernel/refusals.ts';
import type { JsonDifference } from '../../mapping/document/canonical.ts';
import type { DocumentProblem } from '../../mapping/document/problems.ts';

/** @property mapping the document it is in, where a code list was edited; absent: the document that was sent. */
export interface FoundProblem extends DocumentProblem {
  mapping?: string;
}

/** An example that does not hold, in the document of that mapping. */
export interface FailedExample extends JsonDifference {
  mapping: string;
}

export type Refusal =
  | { code: 'catalog_unavailable' }
  | { code: 'storage_unavailable' }
  | { code: 'unknown_mapping'; name: string; known: readonly string[] }
  | { code: 'unknown_code_list'; name: string; known: readonly string[] }
  | { code: 'unknown_version'; name: string; version: string }
  | { code: 'mapping_invalid'; name: string; problems: readonly FoundProblem[]; examples: readonly FailedExample[] }
  | { code: 'examples_failed'; name: string; examples: readonly FailedExample[] }
  | { code: 'code_list_invalid'; name: string; problems: readonly FoundProblem[] }
  | { code: 'version_changed'; name: string; current: string | null }
  | { code: 'changed_meanwhile'; name: string }
  | { code: 'too_many_names'; name: string; namesMax: number }
  | { code: 'owners_missing'; name: string }
  | { code: 'owners_differ'; name: string }
  | { code: 'mapping_shipped'; name: string };

const count = (items: readonly unknown[], one: string, many: string): string =>
  items.length === 1 ? `one ${one}` : `${items.length} ${many}`;

const problemsFound = (title: string, problems: readonly FoundProblem[]): RefusalMessages => ({
  status: 422,
  title,
  detail: `${count(problems, 'problem', 'problems')} found. Nothing was changed.`,
  fix: 'Correct every place listed under problems and send it again.',
});

const MESSAGES: RefusalTable<Refusal> = {
  catalog_unavailable: {
    status: 503,
    title: 'Mappings unavailable',
    detail: 'Published mappings cannot be read or written at the moment. Nothing was changed.',
    fix: 'Send the request again: a repeat is safe.',
  },
  storage_unavailable: {
    status: 503,
    title: 'Storage unavailable',
    detail: 'A mapping version could not be stored or read. Nothing was changed.',
    fix: 'Send the request again: a repeat is safe.',
  },
  unknown_mapping: ({ name, known }) => ({
    status: 404,
    title: 'Unknown mapping',
    detail: `There is no mapping "${name}" in this environment.`,
    fix: `Use one of ${listed(known)}.`,
  }),
  unknown_code_list: ({ name, known }) => ({
    status: 404,
    title: 'Unknown code list',
    detail: `There is no code list "${name}" in this environment.`,
    fix: `Use one of ${listed(known)}, or PUT the new list as YAML.`,
  }),
  unknown_version: ({ name, version }) => ({
    status: 404,
    title: 'Unknown version',
    detail: `"${name}" never stood for the version "${version}" in this environment.`,
    fix: 'Name a whole sha256 out of its history, or "bundled" where a version of it is bundled.',
  }),
  mapping_invalid: ({ problems }) => problemsFound('Mapping not accepted', problems),
  examples_failed: ({ examples }) => ({
    status: 422,
    title: 'Examples do not hold',
    detail: `${count(examples, 'difference', 'differences')} between what the examples say and what comes out. Nothing was changed.`,
    fix: 'Correct the fields or the code list, or, where the new outcome is right, the example.',
  }),
  code_list_invalid: ({ problems }) => problemsFound('Code list not accepted', problems),
  version_changed: ({ name, current }) => ({
    status: 412,
    title: 'Changed since',
    detail: `"${name}" ${current === null ? 'does not exist yet' : `stands for version ${current} now`}, which If-Match does not name. Nothing was changed.`,
    fix: 'Look at what it is now, bring your change up to date, and send it with that sha256 as If-Match.',
  }),
  changed_meanwhile: ({ name }) => ({
    status: 409,
    title: 'Changed meanwhile',
    detail: `Other changes of this environment kept coming first. "${name}" was not changed.`,
    fix: 'Send the request again.',
  }),
  too_many_names: ({ namesMax }) => ({
    status: 422,
    title: 'Too many names',
    detail: `An environment holds at most ${namesMax} names of this kind. Nothing was changed.`,
    fix: 'Publish under a name that exists already.',
  }),
  owners_missing: ({ name }) => ({
    status: 422,
    title: 'Owners missing',
    detail: `There is no mapping "${name}" yet, and nothing says whom it is for. Nothing was changed.`,
    fix: 'Add partners= with the names of the partners that it is for (separated by commas), or shared=true for a mapping of all partners.',
  }),
  owners_differ: ({ name }) => ({
    status: 409,
    title: 'Owners differ',
    detail: `The mapping "${name}" is not for the partners named. Nothing was changed.`,
    fix: `Leave partners and shared out; PUT /v1/ops/mappings/${name}/owners changes whom it is for.`,
  }),
  mapping_shipped: ({ name }) => ({
    status: 409,
    title: 'Mapping of all partners',
    detail: `The mapping "${name}" comes with the deploy and is for all partners; made private, it would be taken away from the others. Nothing was changed.`,
    fix: 'Publish the document under a name of its own with the partners that it is for.',
  }),
};

export const describeRefusal = (refusal: Refusal): RefusalMessages => messagesFor(MESSAGES, refusal);
