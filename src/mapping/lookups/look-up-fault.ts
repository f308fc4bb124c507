/** What can be wrong with a value that is looked up among vehicles or locations, and its words. */
import { quoteValue } from '../../kernel/problem.ts';
import type { Fact, LookUp } from './look-up.ts';

type Of = { value: string; of: LookUp['of'] };

export type LookUpFault =
  | (Of & { code: 'look_up_missing'; by: LookUp['by'] })
  | (Of & { code: 'look_up_ambiguous'; by: LookUp['by']; count: number })
  | (Of & { code: 'look_up_silent'; by: LookUp['by']; fact: Fact })
  | (Of & { code: 'look_up_unavailable'; why: string })
  | (Of & { code: 'look_up_unanswered' });

const NAMES: Record<LookUp['by'], string> = {
  vehicleNumber: 'number',
  licensePlate: 'license plate',
  vin: 'VIN',
  locationNumber: 'number',
};

export function lookUpWords(fault: LookUpFault, target: string, source: string): { message: string; fix: string } {
  const value = quoteValue(fault.value);
  switch (fault.code) {
    case 'look_up_missing':
      return {
        message: `${target}: there is no ${fault.of} with the ${NAMES[fault.by]} "${value}".`,
        fix: `Correct ${source}, or ask the operator to add the ${fault.of}, and send the row again.`,
      };
    case 'look_up_ambiguous':
      return {
        message: `${target}: ${fault.count} ${fault.of}s have the ${NAMES[fault.by]} "${value}", so that none of them is meant.`,
        fix: `Write into ${source} what only one ${fault.of} has, and send the row again.`,
      };
    case 'look_up_silent':
      return {
        message: `${target}: the ${fault.of} with the ${NAMES[fault.by]} "${value}" is known, but not its ${fault.fact}.`,
        fix: `Ask the operator to complete the ${fault.of}, and send the row again.`,
      };
    case 'look_up_unavailable':
      return {
        message: `${target}: the ${fault.of} "${value}" could not be looked up: ${fault.why}.`,
        fix: 'Nothing is known to be wrong in this row: send it again later.',
      };
    case 'look_up_unanswered':
      return {
        message: `${target}: the ${fault.of} "${value}" would be looked up, and no answer was given.`,
        fix: 'Give the answers with --lookups FILE.',
      };
  }
}
