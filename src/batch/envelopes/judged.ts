/** The interchanges of stored files, held against what is agreed with their partner. */
import { hasEnvelopes, partsReaderOf, type RecordSource } from '../../formats/reader.ts';
import { storedParts } from '../../formats/segments/stored-parts.ts';
import type { StoredBytes } from '../../formats/slices.ts';
import type { Environment } from '../../kernel/names.ts';
import { err, ok, type Result } from '../../kernel/result.ts';
import { type EnvelopeRefusal, interchangeKey, judgeInterchange } from './judge.ts';
import { interchangeLooks } from './look.ts';
import { type InterchangeFault, inUpload, type RefusedInterchange } from './refused-upload.ts';
import { type EnvelopeRules, policyOf } from './rules.ts';
import type { TooManyInterchanges } from './words.ts';

/** One that may come once only. @property control as written, for people. */
export interface ClaimedInterchange {
  key: string;
  control: string;
  digest: string;
}

/** Interchanges of one upload whose control numbers are kept, and that are told of where it is refused. Ours: far more than any file holds. */
export const INTERCHANGES_MAX = 10_000;

/** @returns those that may come once only; nothing of the upload is taken where one may not come, and the others are named. none for formats without envelopes, and where any number is agreed. */
export async function judgedInterchanges(
  sources: readonly StoredBytes[],
  format: RecordSource['format'],
  rules: EnvelopeRules,
  environment: Environment,
): Promise<Result<ClaimedInterchange[], RefusedInterchange | TooManyInterchanges>> {
  if (!hasEnvelopes(format)) return ok([]);
  const claims: ClaimedInterchange[] = [];
  const faults: InterchangeFault[] = [];
  const sound: string[] = [];
  let first: EnvelopeRefusal | undefined;
  let place = 0;
  files: for (const source of sources) {
    for await (const look of interchangeLooks(storedParts(partsReaderOf(format, policyOf(rules)), source))) {
      const refusal = judgeInterchange(look, rules, environment);
      const { control, digest } = look;
      const isBeyond = place >= INTERCHANGES_MAX;
      if (first !== undefined && isBeyond) break files;
      if (refusal !== undefined) {
        first ??= refusal;
        faults.push({ place, control, code: refusal.code, standard: refusal.standard });
      } else if (!isBeyond) sound.push(control);
      place += 1;
      if (first !== undefined || rules.controlNumbers === 'any') continue;
      if (isBeyond) return err({ code: 'too_many_interchanges', control, interchangesMax: INTERCHANGES_MAX });
      claims.push({ key: interchangeKey(look), control, digest });
    }
  }
  return first === undefined ? ok(claims) : err({ ...first, ...inUpload({ faults, sound }) });
}
