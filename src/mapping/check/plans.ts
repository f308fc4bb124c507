/** Checks what a record becomes: every target has what it requires, and nothing in the document is unused. */
import { isTabular } from '../../formats/reader.ts';
import {
  type DocumentParts,
  type Filling,
  type Plan,
  type PlannedField,
  plannedFields,
  plannedOrder,
  specOf,
} from '../document/document-parts.ts';
import { longForm, type TextField } from '../document/field-spec.ts';
import { didYouMean } from '../document/nearest.ts';
import { type DocumentPath, type LocatedProblem, noEffect } from '../document/problems.ts';
import {
  type EventFieldName,
  type EventFields,
  isOrderKind,
  kindsWith,
  targetField,
  targetFields,
} from '../document/targets.ts';
import { CASES_MAX, FIELDS_MAX } from '../limits.ts';
import type { RequestKind } from '../request.ts';
import { ownTexts } from './field.ts';

export function checkPlans(parts: DocumentParts): LocatedProblem[] {
  return [
    ...checkSwitch(parts),
    ...parts.plans.flatMap((plan) => checkPlan(parts, plan)),
    ...checkShared(parts),
    ...checkOverlaid(parts),
    ...checkCount(parts),
    ...checkIsolate(parts),
  ];
}

function checkSwitch({ switch: asked, hasRequests, plans }: DocumentParts): LocatedProblem[] {
  if (asked === undefined) return [];
  const problems: LocatedProblem[] = [];
  if (hasRequests) {
    const message = 'A switch says what each record becomes, so "requests" beside it is never used.';
    problems.push({ at: ['requests'], code: 'keys_exclude', message, wanted: 'a switch, or requests' });
  }
  const cases = plans.filter(({ caseOf }) => caseOf !== undefined).length;
  if (cases > CASES_MAX || (cases === 0 && !hasRequests)) {
    const message = cases === 0 ? 'The switch has no case.' : 'The switch has too many cases.';
    const wanted = `1 to ${CASES_MAX} cases`;
    problems.push({ at: ['target', 'cases'], code: 'too_many', value: `${cases}`, message, wanted });
  }
  return problems;
}

function checkPlan(parts: DocumentParts, plan: Plan): LocatedProblem[] {
  const { target, at } = plan;
  const each: LocatedProblem[] = [];
  if (plan.each !== undefined && parts.source !== undefined && isTabular(parts.source)) {
    const message = 'A row of a CSV file, and a line of a fixed-width one, holds no arrays.';
    const wanted = 'no "each", or a format whose records hold arrays, such as json';
    each.push({ at: [...at, 'each'], code: 'keys_exclude', message, wanted });
  }
  if (plan.required && plan.each === undefined) {
    const why = '"required" says that "each" must have an element, and there is no "each" beside it';
    each.push(noEffect([...at, 'required'], why, 'each: <path> beside it, or no such key'));
  }
  if (target === undefined) return each;
  if (isOrderKind(target)) return [...each, ...checkOrderPlan(parts.shared, plan, target)];
  const own = [...plan.names].filter((name) => kindsWith(name).length > 0 && targetField(target, name) === undefined);
  return [
    ...each,
    ...own.map((name) => notOfTarget(name, [...at, 'fields', name], [target])),
    ...(plan.hasOrder ? [noEffect([...at, 'order'], `A ${target} has fields, not an order`)] : []),
    ...checkRequired(parts.shared, plan, target),
    ...plannedFields(parts.shared, plan).flatMap((field) => checkLimits(parts.shared, plan, field)),
  ];
}

function checkIsolate(parts: DocumentParts): LocatedProblem[] {
  if (!parts.hasIsolate || parts.plans.some(({ target }) => target === undefined) || mayIsolate(parts)) return [];
  return [noEffect(['isolate'], 'Nothing here becomes an event of its own')];
}

/** Orders fail with their record, and so does anything made of a group. */
export const mayIsolate = ({ group, plans }: DocumentParts): boolean =>
  group === undefined && plans.some(({ target }) => target !== undefined && !isOrderKind(target));

function checkOrderPlan(shared: Filling, plan: Plan, target: RequestKind): LocatedProblem[] {
  const fields = plan.names.size > 0 ? [noEffect([...plan.at, 'fields'], `A ${target} has an order, not fields`)] : [];
  if (plan.hasOrder || (shared.hasOrder && plan.each === undefined)) return fields;
  const { at } = plannedOrder(shared, { ...plan, hasOrder: plan.at.length > 0 });
  const message =
    plan.each === undefined
      ? `"order" is missing: a ${target} is written under it.`
      : '"order" is missing: with "each" it is read in the elements, so each request needs its own.';
  return [...fields, { at, code: 'key_missing', message, wanted: 'order: { orderRef: <column>, … }' }];
}

/** Each request must have all required fields, its own or shared. */
function checkRequired(shared: Filling, plan: Plan, target: RequestKind): LocatedProblem[] {
  const filled = new Set<string>(plannedFields(shared, plan).map(({ name }) => name));
  const at = [...plan.at, 'fields'];
  if (filled.size === 0 && shared.names.size === 0 && plan.names.size === 0) {
    return [{ at, code: 'key_missing', message: '"fields" is missing.', wanted: 'keys with values' }];
  }
  return targetFields(target)
    .filter(({ name, required }) => required && !filled.has(name))
    .map(({ name, about }): LocatedProblem => {
      const message = `${name} is required, and nothing fills it. ${about}`;
      return { at: [...at, name], code: 'field_missing', message, wanted: `${name}: <column>, or { const: … }` };
    });
}

/** A value from the document itself must fit the target, or every record would fail. */
function checkLimits(shared: Filling, plan: Plan, field: PlannedField): LocatedProblem[] {
  const target = plan.target === undefined ? undefined : targetField(plan.target, field.name);
  const spec = specOf(shared, plan, field);
  if (target === undefined || spec === undefined) return [];
  const conditional = target.required ? conditionsOf(spec, field.at).map(conditionOnRequired) : [];
  if (target.holds !== 'text') return conditional;
  const text = longForm(spec as TextField); // the table says that the field is text
  const tooLong = ownTexts(text, field.at).filter((own) => own.text.length > target.charactersMax);
  return [
    ...tooLong.map(({ text: value, at }): LocatedProblem => {
      const wanted = `at most ${target.charactersMax} characters`;
      return { at, code: 'value_too_long', value, message: `${field.name} cannot be that long.`, wanted };
    }),
    ...conditional,
  ];
}

/** The conditions of a field; a position has one per half. */
function conditionsOf(spec: NonNullable<EventFields[EventFieldName]>, at: DocumentPath): DocumentPath[] {
  if (typeof spec === 'string' || Array.isArray(spec)) return [];
  if ('latitude' in spec) {
    const halves = (['latitude', 'longitude'] as const).filter((axis) => hasCondition(spec[axis]));
    return halves.map((axis) => [...at, axis]);
  }
  return hasCondition(spec) ? [at] : [];
}

const hasCondition = (spec: string | object): boolean =>
  typeof spec === 'object' && 'when' in spec && spec.when !== undefined;

const conditionOnRequired = (at: DocumentPath): LocatedProblem => {
  const message = 'A required field cannot be left out, so a condition on it would make every other record an error.';
  return { at: [...at, 'when'], code: 'keys_exclude', message, wanted: 'the condition under skip, or under requests' };
};

/** A shared field must be useful to one of the targets. */
function checkShared({ shared, plans }: DocumentParts): LocatedProblem[] {
  const targets = plans.flatMap(({ target }) => target ?? []);
  if (targets.length < plans.length || targets.length === 0) return []; // one of them is unknown
  const useless = [...shared.names].filter(
    (name) => kindsWith(name).length > 0 && !targets.some((target) => targetField(target, name) !== undefined),
  );
  const order =
    shared.hasOrder && !targets.some(isOrderKind) ? [noEffect(['order'], 'Nothing here becomes an order')] : [];
  return [...useless.map((name) => notOfTarget(name, ['fields', name], targets)), ...order];
}

function notOfTarget(name: string, at: DocumentPath, targets: readonly RequestKind[]): LocatedProblem {
  const known = [...new Set(targets.flatMap((target) => targetFields(target).map((field) => field.name)))];
  const kinds = [...new Set(targets)].join(', ');
  const message = `A ${kinds} has no field "${name}".${didYouMean(name, known)}`;
  const wanted = known.length === 0 ? 'no fields: an order is written under "order"' : `one of ${known.join(', ')}`;
  return { at, code: 'unknown_field', value: name, message, wanted };
}

/** A shared field that every plan replaces is never used, yet the file would have to have its columns. */
function checkOverlaid({ shared, plans }: DocumentParts): LocatedProblem[] {
  const own = plans.filter(({ at }) => at.length > 0);
  if (own.length === 0) return [];
  return [...shared.names]
    .filter((name) => own.every((plan) => plan.names.has(name)))
    .map((name) => {
      const why = 'Every request has this field of its own, so the shared one is never used';
      return noEffect(['fields', name], why, 'the field in one place');
    });
}

/** Counted as they are read: shared fields once per request. */
function checkCount({ shared, plans }: DocumentParts): LocatedProblem[] {
  const total = plans.reduce((sum, plan) => {
    const read = plannedFields(shared, plan).map((field) => specOf(shared, plan, field));
    return sum + read.reduce((fields, spec) => fields + (Array.isArray(spec) ? spec.length + 1 : 1), 0);
  }, 0);
  if (total <= FIELDS_MAX) return [];
  const message = 'The document fills too many fields.';
  return [{ at: ['fields'], code: 'too_many', value: `${total}`, message, wanted: `at most ${FIELDS_MAX}` }];
}
