/** A document and the lists it would use → a version that may be published: checked whole, and every example of it holds. Pure. */
import { err, ok, type Result } from '../../kernel/result.ts';
import { checkMapping } from '../../mapping/check/check.ts';
import { compileMapping } from '../../mapping/compile/compile.ts';
import { sha256Hex } from '../../mapping/document/canonical.ts';
import type { CodeLists } from '../../mapping/document/code-list.ts';
import type { Bases } from '../../mapping/document/extends.ts';
import {
  type ClaimNames,
  type MappingVersion,
  mappingVersion,
  openVersion,
  workText,
} from '../../mapping/document/versions.ts';
import { runExamples } from '../../mapping/examples/examples.ts';
import type { FailedExample, FoundProblem } from './refusal.ts';
import { type MappingSummary, mappingSummary } from './summary.ts';

export interface ProvenMapping {
  name: string;
  written: string;
  version: MappingVersion;
  summary: MappingSummary;
}

export interface Disproof {
  problems: FoundProblem[];
  examples: FailedExample[];
}

export async function proveMapping(
  name: string,
  written: string,
  { lists, bases }: { lists: CodeLists; bases: Bases },
): Promise<Result<ProvenMapping, Disproof>> {
  const checked = checkMapping(written, lists, { name, bases });
  if (!checked.ok) return err({ problems: checked.error, examples: [] });
  const document = checked.value;
  const failed = await runExamples(compileMapping(document, lists), document.examples);
  if (failed.length > 0) return err(failures(name, failed));
  const version = await mappingVersion(document, lists);
  return ok({ name, written, version, summary: mappingSummary(document, version.claimedAs) });
}

/** A version of old, under the program of today: it was proved when it was stored, by a program that may have judged otherwise. */
export async function proveVersion(name: string, text: string): Promise<Result<MappingSummary, Disproof>> {
  const opened = openVersion(text);
  if (!opened.ok) return err({ problems: opened.error, examples: [] });
  const { document, lists } = opened.value;
  const failed = await runExamples(compileMapping(document, lists), document.examples);
  if (failed.length > 0) return err(failures(name, failed));
  const claimedAs: ClaimNames = [await sha256Hex(workText(document, lists)), await sha256Hex(text)];
  return ok(mappingSummary(document, claimedAs));
}

const failures = (mapping: string, failed: readonly Omit<FailedExample, 'mapping'>[]): Disproof => ({
  problems: [],
  examples: failed.map((each) => ({ mapping, ...each })),
});
