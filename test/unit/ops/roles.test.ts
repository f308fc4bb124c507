import { expect, it } from 'vitest';
import { mayActAs, OPS_ROLES } from '../../../src/ops/directory/directory.ts';

it('lets each role do what those before it may, and no more', () => {
  const allowed = OPS_ROLES.map((has) => OPS_ROLES.filter((needed) => mayActAs(has, needed)));
  expect(allowed).toEqual([['viewer'], ['viewer', 'operator'], ['viewer', 'operator', 'admin']]);
});

it('lets an unknown role do nothing', () => {
  expect(OPS_ROLES.filter((needed) => mayActAs('owner' as never, needed))).toEqual([]);
});
