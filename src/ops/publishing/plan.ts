/**
 * A requested change, and what names point at → what is to be published, or why not. Nothing is written here.
 * A code list changes every mapping that uses it: all of them are proved against the edited list before any is planned.
 */
import { err, ok, type Result } from '../../kernel/result.ts';
import { checkMapping } from '../../mapping/check/check.ts';
import { checkCodeList } from '../../mapping/check/code-list.ts';
import { compileMapping } from '../../mapping/compile/compile.ts';
import type { CodeLists } from '../../mapping/document/code-list.ts';
import type { Bases } from '../../mapping/document/read-yaml.ts';
import { claimNames, type MappingVersion, mappingVersion, openVersion } from '../../mapping/document/versions.ts';
import { runExamples } from '../../mapping/examples/examples.ts';
import { codeListSha256 } from './bundle.ts';
import { MAPPING_NAMES_MAX } from './limits.ts';
import { type Current, codeListNames, currentCodeList, type Facts, mappingNames, mappingsUsing } from './names.ts';
import {
  type Action,
  codeListSummary,
  type MappingSummary,
  mappingSummary,
  type NewPublication,
} from './publication.ts';
import type { PublicationStore } from './publication-store.ts';
import type { FailedExample, FoundProblem, Refusal } from './refusal.ts';

/* A document and its lists → a version that may be published: fully checked, and all its examples hold. */

interface ProvenMapping {
  name: string;
  written: string;
  version: MappingVersion;
  summary: MappingSummary;
}

interface Disproof {
  problems: FoundProblem[];
  examples: FailedExample[];
}

async function proveMapping(
  name: string,
  written: string,
  { lists, bases, isPublished }: { lists: CodeLists; bases: Bases; isPublished: boolean },
): Promise<Result<ProvenMapping, Disproof>> {
  const checked = checkMapping(written, lists, { name, bases, isPublished });
  if (!checked.ok) return err({ problems: checked.error, examples: [] });
  const document = checked.value;
  const version = mappingVersion(document, lists);
  // As every batch will read it: what is proved is what is stored.
  const proved = await proveVersion(name, version.text);
  if (!proved.ok) return proved;
  return ok({ name, written, version, summary: mappingSummary(document, version.claimedAs) });
}

/** An old version, checked by the current program: it was proved when it was stored, perhaps under other rules. */
export async function proveVersion(name: string, text: string): Promise<Result<MappingSummary, Disproof>> {
  const opened = openVersion(text);
  if (!opened.ok) return err({ problems: opened.error, examples: [] });
  const { document, lists } = opened.value;
  const failed = await runExamples(compileMapping(document, lists), document.examples);
  if (failed.length > 0) return err(failures(name, failed));
  return ok(mappingSummary(document, claimNames(document, lists, text)));
}

const failures = (mapping: string, failed: readonly Omit<FailedExample, 'mapping'>[]): Disproof => ({
  problems: [],
  examples: failed.map((each) => ({ mapping, ...each })),
});

export interface Plan {
  /** The first is the requested one. Empty: nothing would change. */
  publications: NewPublication[];
  /** To be stored before a name points at them. */
  versions: Pick<MappingVersion, 'sha256' | 'text'>[];
}

/** What a name is to point at, as its author wrote it. */
export interface Wanted {
  name: string;
  written: string;
  isBundled: boolean;
  action: Extract<Action, 'publish' | 'rollback'>;
}

const ofMapping = (
  { name, written, version: { sha256 }, summary }: ProvenMapping,
  change: Pick<NewPublication, 'isBundled' | 'action' | 'beforeSha256' | 'becauseOf'>,
): NewPublication => ({ artifact: 'mapping', name, sha256, written, summary, ...change });

export async function planMapping(
  facts: Facts,
  { name, written, isBundled, action }: Wanted,
  before: Current<unknown> | undefined,
): Promise<Result<Plan, Refusal>> {
  const names = mappingNames(facts.bundle, facts.pointers);
  if (!before && names.length >= MAPPING_NAMES_MAX) return err(tooMany(name));
  const bases = facts.bundle.texts.documents;
  const proven = await proveMapping(name, written, { lists: facts.lists, bases, isPublished: false });
  if (!proven.ok) return err(disproved(name, proven.error));
  const change = { isBundled, action, beforeSha256: before?.sha256 ?? null, becauseOf: null };
  return ok({ publications: [ofMapping(proven.value, change)], versions: [proven.value.version] });
}

export async function planCodeList(
  facts: Facts,
  { name, written, isBundled, action }: Wanted,
  store: PublicationStore,
): Promise<Result<Plan, Refusal>> {
  const before = await currentCodeList(facts.bundle, facts.pointers, name);
  if (!before && codeListNames(facts.bundle, facts.pointers).length >= MAPPING_NAMES_MAX) return err(tooMany(name));
  const checked = checkCodeList(written, name);
  if (!checked.ok) return err({ code: 'code_list_invalid', name, problems: checked.error });
  const lists = new Map([...facts.lists, [name, checked.value]]);
  const mappings = await planUsers(facts, { list: name, isBundled }, lists, store);
  if (!mappings.ok) return mappings;
  const list: NewPublication = {
    artifact: 'code_list',
    name,
    sha256: codeListSha256(checked.value),
    written,
    isBundled,
    summary: codeListSummary(checked.value),
    action,
    beforeSha256: before?.sha256 ?? null,
    becauseOf: null,
  };
  return ok({ publications: [list, ...mappings.value.publications], versions: mappings.value.versions });
}

/**
 * All mappings that use the list, proved as they are against the edited one; those whose version does not change are
 * left out.
 */
async function planUsers(
  facts: Facts,
  { list, isBundled }: { list: string; isBundled: boolean },
  lists: Facts['lists'],
  store: PublicationStore,
): Promise<Result<Plan, Refusal>> {
  const users = await mappingsUsing(list, facts, store);
  if (!users.ok) return users;
  const problems: FoundProblem[] = [];
  const examples: FailedExample[] = [];
  const plan: Plan = { publications: [], versions: [] };
  const bases = facts.bundle.texts.documents;
  for (const { name, written, sha256 } of users.value) {
    const proven = await proveMapping(name, written, { lists, bases, isPublished: true });
    if (!proven.ok) {
      problems.push(...proven.error.problems.map((problem) => ({ mapping: name, ...problem })));
      examples.push(...proven.error.examples);
      continue;
    }
    const { version } = proven.value;
    if (version.sha256 === sha256) continue;
    plan.versions.push(version);
    const change = { action: 'code_list', beforeSha256: sha256, becauseOf: list } as const;
    const isBack = isBundled && (await isBundleAgain(facts, name, version.sha256));
    plan.publications.push(ofMapping(proven.value, { ...change, isBundled: isBack }));
  }
  return problems.length + examples.length > 0 ? err(disproved(list, { problems, examples })) : ok(plan);
}

/** Only a list took it out of the bundle, and with this version it follows it again from deploy to deploy. */
async function isBundleAgain({ bundle, pointers }: Facts, name: string, sha256: string): Promise<boolean> {
  return pointers.mappings.get(name)?.action === 'code_list' && (await bundle.mapping(name))?.sha256 === sha256;
}

/** @param name the one to be changed. */
export const disproved = (name: string, { problems, examples }: Disproof): Refusal =>
  problems.length > 0
    ? { code: 'mapping_invalid', name, problems, examples }
    : { code: 'examples_failed', name, examples };

const tooMany = (name: string): Refusal => ({ code: 'too_many_names', name, namesMax: MAPPING_NAMES_MAX });
