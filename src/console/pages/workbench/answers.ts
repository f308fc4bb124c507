/** What the API answers to the workbench: its page, and its script in the browser. Types only, as the contract has them. */
import type { Answered } from '../../../http/contract/contract.ts';

export type TriedAnswer = Answered<'POST /v1/ops/mappings/preview'>;
export type TriedRecord = NonNullable<TriedAnswer['preview']>['records'][number];
export type ComparedAnswer = Answered<'POST /v1/ops/mappings/compare'>;
export type RerunFound = Answered<'POST /v1/ops/batches/{id}/rerun'>;
