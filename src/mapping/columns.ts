/** Which columns of the file a mapping reads, where the document says so, and for which field of the upstream. */
import { type Condition, innerConditions } from './condition.ts';
import type { MappingDocument, MilestoneFieldSpecs } from './document.ts';
import type { DocumentPath } from './document-problem.ts';
import { longForm, type Origin, type TextField } from './field-spec.ts';
import { originColumns } from './origin.ts';

/** @property optional the file may lack it; target the upstream's field, or the key of the document, it serves. */
export interface ColumnUse {
  column: string;
  optional: boolean;
  target: string;
  at: DocumentPath;
}

/** What of a document reads the record. Whole documents and the valid parts of broken ones both have this shape. */
export interface RecordReading {
  skip: Condition | undefined;
  scac: TextField | undefined;
  zone: TextField | undefined;
  fields: MilestoneFieldSpecs;
  requests: readonly { when?: Condition | undefined; fields: MilestoneFieldSpecs }[] | undefined;
}

export const readingOf = (document: MappingDocument): RecordReading => ({
  skip: document.skip?.when,
  scac: document.scac,
  zone: document.zone,
  fields: document.fields,
  requests: document.requests,
});

export function columnUses(reading: RecordReading): ColumnUse[] {
  return [
    ...conditionUses(reading.skip, 'skip', ['skip', 'when']),
    ...textUses(reading.scac, 'scac', ['scac']),
    ...textUses(reading.zone, 'time', ['zone']),
    ...fieldUses(reading.fields, ['fields']),
    ...(reading.requests ?? []).flatMap(({ when, fields }, index) => [
      ...conditionUses(when, 'requests', ['requests', index, 'when']),
      ...fieldUses(fields, ['requests', index, 'fields']),
    ]),
  ];
}

function fieldUses(fields: MilestoneFieldSpecs, at: DocumentPath): ColumnUse[] {
  const { time, references = [], stopsequenceNumber, ...texts } = fields;
  return [
    ...Object.entries(texts).flatMap(([name, field]) => textUses(field, name, [...at, name])),
    ...(stopsequenceNumber === undefined
      ? []
      : originUses(stopsequenceNumber, 'stopsequenceNumber', [...at, 'stopsequenceNumber'])),
    ...(time === undefined
      ? []
      : [...originUses(time, 'time', [...at, 'time']), ...textUses(time.zone, 'time', [...at, 'time', 'zone'])]),
    ...references.flatMap(({ name, value }, index) =>
      textUses(value, `reference ${name}`, [...at, 'references', index, 'value']),
    ),
  ];
}

const textUses = (field: TextField | undefined, target: string, at: DocumentPath): ColumnUse[] =>
  field === undefined ? [] : originUses(longForm(field), target, at);

function originUses(origin: Origin, target: string, at: DocumentPath): ColumnUse[] {
  const optional = origin.optional ?? false;
  return [
    ...originColumns(origin).map((column) => ({ column, optional, target, at })),
    ...conditionUses(origin.when, target, [...at, 'when']),
  ];
}

function conditionUses(of: Condition | undefined, target: string, at: DocumentPath): ColumnUse[] {
  if (of === undefined) return [];
  const own = of.field === undefined ? [] : [{ column: of.field, optional: of.optional ?? false, target, at }];
  return [
    ...own,
    ...innerConditions(of).flatMap(({ path, condition }) => conditionUses(condition, target, [...at, ...path])),
  ];
}
