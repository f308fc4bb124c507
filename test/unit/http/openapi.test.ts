/** The contract as OpenAPI: every reference leads somewhere, every operation is whole. */
import { expect, it } from 'vitest';
import { ROUTES } from '../../../src/http/contract/contract.ts';
import { openApi } from '../../../src/http/contract/openapi.ts';

const api = JSON.parse(JSON.stringify(openApi())) as ReturnType<typeof openApi>;
const operations = Object.entries(api.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
);

function everyMember(value: unknown, look: (name: string, member: unknown) => void): void {
  if (typeof value !== 'object' || value === null) return;
  for (const [name, member] of Object.entries(value)) {
    look(name, member);
    everyMember(member, look);
  }
}

it('has every route of the contract, under an id of its own', () => {
  expect(operations.map(({ path, method }) => `${method.toUpperCase()} ${path}`).sort()).toEqual(
    Object.keys(ROUTES).sort(),
  );
  const ids = operations.map(({ operation }) => operation.operationId);
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids.every((id) => /^[a-z]\w+$/.test(String(id)))).toBe(true);
});

it('refers only to what it has', () => {
  const at = (reference: string): unknown =>
    reference
      .slice(2)
      .split('/')
      .reduce<unknown>((value, name) => (value as Record<string, unknown> | undefined)?.[name], api);
  const lost: string[] = [];
  let count = 0;
  everyMember(api, (name, member) => {
    if (name !== '$ref') return;
    count += 1;
    if (typeof member !== 'string' || !member.startsWith('#/components/') || at(member) === undefined)
      lost.push(String(member));
  });
  expect(lost).toEqual([]);
  expect(count).toBeGreaterThan(500);
});

it('says of each operation what it takes and answers', () => {
  for (const { path, method, operation } of operations) {
    const name = `${method} ${path}`;
    const { parameters, responses, summary } = operation as {
      parameters: { name: string; in: string; required: boolean; schema: object }[];
      responses: Record<string, { description?: string; $ref?: string }>;
      summary: string;
    };
    expect(summary, name).toMatch(/\S/);
    const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, each]) => each);
    expect(
      parameters.filter((each) => each.in === 'path').map((each) => each.name),
      name,
    ).toEqual(inPath);
    expect(
      parameters.every((each) => each.in !== 'path' || each.required),
      name,
    ).toBe(true);
    expect(
      Object.keys(responses).some((status) => /^[23]/.test(status)),
      name,
    ).toBe(true);
    expect(
      Object.values(responses).every((each) => each.description !== undefined || each.$ref !== undefined),
      name,
    ).toBe(true);
  }
});
