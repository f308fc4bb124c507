/** Checks one leaf of a document by its kind: where it reads, what is done to it, and that lists, units and patterns exist. */

import type { CodeLists } from '../document/code-list.ts';
import type { DocumentPath, PlacedProblem } from '../document/document-problem.ts';
import { type CoordinateField, longForm, type NumberKeys } from '../document/field-spec.ts';
import type { Leaf } from '../document/leaves.ts';
import { dimensionOf, readUnit, UNITS } from '../values/units.ts';
import { checkCodes, checkFunctions, checkOrigin, checkText } from './field.ts';
import { checkTime, checkZone } from './time.ts';

type CoordinateObject = Exclude<CoordinateField, string>;

/** @param hasZone whether the document names a zone for all its times. */
export function checkLeaf(
  leaf: Exclude<Leaf, { kind: 'condition' }>,
  lists: CodeLists,
  hasZone: boolean,
): PlacedProblem[] {
  const { at } = leaf;
  switch (leaf.kind) {
    case 'text':
      return checkText(leaf.field, at, lists);
    case 'zone':
      return checkZone(leaf.field, at, lists);
    case 'number': {
      const spec = longForm(leaf.field);
      return [
        ...checkOrigin(spec, at),
        ...checkFunctions(spec, at),
        ...checkCodes(spec, at, lists),
        ...checkNumber(spec, at),
      ];
    }
    case 'coordinate': {
      const spec = longForm(leaf.field);
      return [...checkOrigin(spec, at), ...checkFunctions(spec, at), ...checkHemisphere(spec, leaf.target, at)];
    }
    case 'time':
      return checkTime(leaf.field, at, lists, hasZone || leaf.isDay);
  }
}

function checkHemisphere({ hemisphere }: CoordinateObject, axis: string, at: DocumentPath): PlacedProblem[] {
  const letters = axis === 'latitude' ? ['N', 'S'] : ['E', 'W'];
  if (hemisphere === undefined || letters.includes(hemisphere)) return [];
  const message = `A ${axis} has no half "${hemisphere}".`;
  return [{ at: [...at, 'hemisphere'], code: 'wrong_form', value: hemisphere, message, wanted: letters.join(' or ') }];
}

function checkNumber({ decimal = '.', thousands, unit }: NumberKeys, at: DocumentPath): PlacedProblem[] {
  const problems: PlacedProblem[] = [];
  if (decimal === thousands) {
    const message = 'Decimals and thousands cannot have the same mark.';
    problems.push({ at: [...at, 'thousands'], code: 'keys_exclude', message, wanted: 'two different marks' });
  }
  if (unit === undefined) return problems;
  const named = { to: unit.to, ...(typeof unit.from === 'string' ? { from: unit.from } : {}) };
  for (const [key, name] of Object.entries(named)) {
    if (readUnit(name) === undefined) problems.push(unknownUnit(name, [...at, 'unit', key]));
  }
  const from = typeof unit.from === 'string' ? readUnit(unit.from) : undefined;
  const to = readUnit(unit.to);
  if (from !== undefined && to !== undefined && dimensionOf(from) !== dimensionOf(to)) {
    const message = `"${unit.from}" cannot be converted to "${unit.to}".`;
    problems.push({ at: [...at, 'unit'], code: 'unit_unknown', message, wanted: 'two units that measure the same' });
  }
  return problems;
}

const unknownUnit = (name: string, at: DocumentPath): PlacedProblem => ({
  at,
  code: 'unit_unknown',
  value: name,
  message: `There is no unit "${name}".`,
  wanted: `one of ${UNITS.join(', ')}`,
});
