/** A call that meets the moment in which its object is let go of. */
import { expect, it } from 'vitest';
import { LET_GO, reachable } from '../../../src/kernel/let-go.ts';

/** Each call to it is answered with the next of these, on an object found anew. */
function anObject(...answers: (Error | string)[]) {
  const found: string[] = [];
  const stub = () => {
    found.push('found');
    const answer = answers.shift();
    return {
      read: async (what: string): Promise<string> => {
        if (answer instanceof Error) throw answer;
        return `${what}: ${answer}`;
      },
    };
  };
  return { calls: reachable(stub), found };
}

it('is made again, on the object found anew', async () => {
  const { calls, found } = anObject(new Error(LET_GO), 'here');
  expect(await calls.read('page')).toBe('page: here');
  expect(found).toHaveLength(2);
});

it('is made again once only', async () => {
  const { calls, found } = anObject(new Error(LET_GO), new Error(LET_GO), 'here');
  await expect(calls.read('page')).rejects.toThrow(LET_GO);
  expect(found).toHaveLength(2);
});

it('is not made again after any other failure', async () => {
  const { calls, found } = anObject(new Error('Network connection lost.'), 'here');
  await expect(calls.read('page')).rejects.toThrow('Network connection lost.');
  expect(found).toHaveLength(1);
});
