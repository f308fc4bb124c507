/**
 * The parts of a document that have the right form, wrong ones left out.
 *
 * So that one check finds everything: a misspelt key in one field does not hide an unknown code list in another.
 */
import type { z } from 'zod';
import { type RecordSource, recordSource } from '../formats/reader.ts';
import { type Condition, condition } from './condition.ts';
import { type MilestoneFieldSpecs, milestoneFields, skipSpec } from './document.ts';
import { type TextField, textField } from './field-spec.ts';
import type { RequestKind } from './request.ts';

export interface FieldParts {
  fields: MilestoneFieldSpecs;
  /** Fields the document fills, in whatever form: a field of wrong form is not also missing. */
  names: ReadonlySet<string>;
}

export interface RequestParts extends FieldParts {
  when: Condition | undefined;
}

export interface DocumentParts extends FieldParts {
  name: unknown;
  source: RecordSource | undefined;
  target: RequestKind | undefined;
  skip: Condition | undefined;
  scac: TextField | undefined;
  zone: TextField | undefined;
  /** Whether the document says anything about the zone, in whatever form. */
  hasZone: boolean;
  /** Undefined: the record becomes one request of the shared fields. */
  requests: RequestParts[] | undefined;
}

export function documentParts(document: unknown): DocumentParts {
  const whole = record(document);
  const requests = whole.get('requests');
  return {
    ...fieldParts(whole.get('fields')),
    name: whole.get('mapping'),
    source: part(recordSource, whole.get('source')),
    target: whole.get('target') === 'milestone' ? 'milestone' : undefined,
    skip: part(skipSpec, whole.get('skip'))?.when,
    scac: part(textField, whole.get('scac')),
    zone: part(textField, whole.get('zone')),
    hasZone: whole.has('zone'),
    requests: Array.isArray(requests) ? requests.map(requestParts) : undefined,
  };
}

function requestParts(request: unknown): RequestParts {
  const parts = record(request);
  return { when: part(condition, parts.get('when')), ...fieldParts(parts.get('fields')) };
}

function fieldParts(fields: unknown): FieldParts {
  const given = record(fields);
  const valid = Object.entries(milestoneFields.shape).flatMap(([name, schema]) => {
    const value = part(schema, given.get(name));
    return value === undefined ? [] : [[name, value] as const];
  });
  // Each value has just passed the schema of its own key.
  return { fields: Object.fromEntries(valid) as MilestoneFieldSpecs, names: new Set(given.keys()) };
}

function part<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> | undefined {
  if (value === undefined) return undefined;
  const parsed = schema.safeParse(value);
  return parsed.success ? parsed.data : undefined;
}

/** A Map, so that no key of the document can reach an object's prototype. */
function record(value: unknown): ReadonlyMap<string, unknown> {
  return new Map(typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.entries(value) : []);
}
