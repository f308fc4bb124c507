/** The interchanges of stored files, held against what is agreed with their partner. */
import { hasEnvelopes, partsReaderOf, type RecordSource } from '../../formats/reader.ts';
import { storedParts } from '../../formats/segments/stored-parts.ts';
import type { StoredBytes } from '../../formats/slices.ts';
import type { Environment } from '../../kernel/names.ts';
import { err, ok, type Result } from '../../kernel/result.ts';
import { type EnvelopeRefusal, interchangeKey, judgeInterchange } from './judge.ts';
import { interchangeLooks } from './look.ts';
import { type EnvelopeRules, policyOf } from './rules.ts';
import type { TooManyInterchanges } from './words.ts';

/** One that may come once only. @property control as written, for people. */
export interface ClaimedInterchange {
  key: string;
  control: string;
  digest: string;
}

/** Interchanges of one upload whose control numbers are kept. Ours: far more than any file holds. */
const CLAIMS_MAX = 10_000;

/** @returns those that may come once only; none for formats without envelopes, and where any number is agreed. */
export async function judgedInterchanges(
  sources: readonly StoredBytes[],
  format: RecordSource['format'],
  rules: EnvelopeRules,
  environment: Environment,
): Promise<Result<ClaimedInterchange[], EnvelopeRefusal | TooManyInterchanges>> {
  if (!hasEnvelopes(format)) return ok([]);
  const claims: ClaimedInterchange[] = [];
  for (const source of sources) {
    for await (const look of interchangeLooks(storedParts(partsReaderOf(format, policyOf(rules)), source))) {
      const refusal = judgeInterchange(look, rules, environment);
      if (refusal !== undefined) return err(refusal);
      if (rules.controlNumbers === 'any') continue;
      const { control, digest } = look;
      if (claims.length === CLAIMS_MAX) {
        return err({ code: 'too_many_interchanges', control, interchangesMax: CLAIMS_MAX });
      }
      claims.push({ key: interchangeKey(look), control, digest });
    }
  }
  return ok(claims);
}
