import { describe, expect, it } from 'vitest';
import { type FileKind, fileInMemory } from '../../../scripts/bench/generate.ts';
import { median } from '../../../scripts/bench/spread.ts';
import { ours, type Transform, theirs } from '../../../scripts/bench/transform.ts';
import { milestoneBody } from '../../../src/upstream/contracts/bodies.ts';

async function bodiesOf(transform: Transform, bytes: Buffer): Promise<unknown[]> {
  const bodies: unknown[] = [];
  await transform(bytes, (body) => bodies.push(JSON.parse(body)));
  return bodies;
}

describe.each<FileKind>(['csv', 'json'])('%s', (kind) => {
  it('becomes equal bodies on both sides, so that the same work is compared', async () => {
    const bytes = fileInMemory(kind, 1_000, 1);
    const bodies = await bodiesOf(ours(kind), bytes);
    expect(bodies.length).toBeGreaterThan(950);
    expect(bodies.length).toBeLessThan(1_000); // the wrong rows give none
    expect(await bodiesOf(theirs(kind), bytes)).toEqual(bodies);
  });

  it('becomes bodies in the form of the upstream', async () => {
    const bodies = await bodiesOf(ours(kind), fileInMemory(kind, 100, 2));
    for (const body of bodies) expect(milestoneBody.safeParse(body).success).toBe(true);
  });
});

it('takes the middle one of several figures', () => {
  expect(median([3, 1, 2])).toBe(2);
  expect(median([4, 1, 2, 3])).toBe(2.5);
  expect(median([5])).toBe(5);
});
