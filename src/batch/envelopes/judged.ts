/** The interchanges of stored files, held against what is agreed with their partner. */
import { hasEnvelopes, partsReaderOf, type RecordSource } from '../../formats/reader.ts';
import { storedParts } from '../../formats/segments/stored-parts.ts';
import type { StoredBytes } from '../../formats/slices.ts';
import type { Environment } from '../../kernel/names.ts';
import { err, ok, type Result } from '../../kernel/result.ts';
import { type EnvelopeRefusal, interchangeKey, judgeInterchanges } from './judge.ts';
import { type InterchangeLook, lookAtInterchanges } from './look.ts';
import { type EnvelopeRules, policyOf } from './rules.ts';

/** One that may come once only. @property control as written, for people. */
export interface ClaimedInterchange {
  key: string;
  control: string;
  digest: string;
}

/** @returns those that may come once only; none for formats without envelopes, and where any number is agreed. */
export async function judgedInterchanges(
  sources: readonly StoredBytes[],
  format: RecordSource['format'],
  rules: EnvelopeRules,
  environment: Environment,
): Promise<Result<ClaimedInterchange[], EnvelopeRefusal>> {
  if (!hasEnvelopes(format)) return ok([]);
  const looks: InterchangeLook[] = [];
  for (const source of sources) {
    looks.push(...(await lookAtInterchanges(storedParts(partsReaderOf(format, policyOf(rules)), source))));
  }
  const refusal = judgeInterchanges(looks, rules, environment);
  if (refusal !== undefined) return err(refusal);
  if (rules.controlNumbers === 'any') return ok([]);
  return ok(looks.map((look) => ({ key: interchangeKey(look), control: look.control, digest: look.digest })));
}
