/** Why interchanges are refused as a whole, in words: the same before an upload is taken and after it was unpacked. */
import type { EnvelopeRefusal } from './judge.ts';

/** An interchange that has come before, with the same content or with other. */
export type ControlRefusal =
  | { code: 'control_duplicate'; control: string; batchId: string; message?: number }
  | { code: 'control_conflict'; control: string; batchId: string; message?: number };

/** More interchanges in one upload than control numbers are kept of; `control`: of the first beyond. */
export interface TooManyInterchanges {
  code: 'too_many_interchanges';
  control: string;
  interchangesMax: number;
}

export interface RefusalWords {
  title: string;
  detail: string;
  fix: string;
}

const placeWords = ({ batchId, message }: ControlRefusal): string =>
  message === undefined ? `batch ${batchId}` : `message ${message} of batch ${batchId}`;

const placeLink = ({ batchId, message }: ControlRefusal): string =>
  message === undefined ? `/v1/batches/${batchId}` : `/v1/messages/${batchId}/${message}`;

export function refusalWords(error: EnvelopeRefusal | ControlRefusal | TooManyInterchanges): RefusalWords {
  switch (error.code) {
    case 'identity_mismatch':
      return {
        title: 'Not agreed for this key',
        detail: `Interchange ${error.control} names the ${error.what} ${JSON.stringify(error.found)}; for this partner ${error.allowed.join(', ')} ${error.allowed.length === 1 ? 'is' : 'are'} agreed (${error.standard}).`,
        fix: 'Send it with the key of that partner, or ask the operator to bind the id.',
      };
    case 'environment_mismatch':
      return {
        title: 'Test indicator disagrees with the key',
        detail: `Interchange ${error.control} says that it is ${error.isTest ? 'a test' : 'for production'}, but the key is for ${error.environment} (${error.standard}).`,
        fix: `Set the test indicator (ISA15, or UNB 0035) to ${error.isTest ? 'production' : 'test'}, or send it with the other key.`,
      };
    case 'test_indicator_invalid':
      return {
        title: 'No test indicator',
        detail: `Interchange ${error.control} says ${JSON.stringify(error.found)} where it should say whether it is a test (${error.standard}).`,
        fix: 'Write P or T in ISA15, and send it again; in EDIFACT write 1 in UNB 0035 for a test and nothing for production.',
      };
    case 'too_many_interchanges':
      return {
        title: 'Too many interchanges',
        detail: `The file holds more than ${error.interchangesMax} interchanges, whose control numbers are to be known when they come again; ${error.control} is the first beyond.`,
        fix: 'Divide them among several files, or put more sets into each interchange.',
      };
    case 'control_duplicate':
      return {
        title: 'Interchange has come before',
        detail: `Interchange ${error.control} came with the same content in ${placeWords(error)}; it is not taken twice.`,
        fix: `Nothing needs to be done: GET ${placeLink(error)} says what became of it. force=true with a new Idempotency-Key takes it all the same.`,
      };
    case 'control_conflict':
      return {
        title: 'Control number was used',
        detail: `Interchange ${error.control} came with other content in ${placeWords(error)}; nobody can tell which of the two is meant.`,
        fix: 'Send it under a control number of its own, or with force=true and a new Idempotency-Key if both are meant.',
      };
  }
}
