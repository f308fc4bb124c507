/** Every fault that may meet the service names what holds it, and what it names is there. */
import { describe, expect, it } from 'vitest';
import { NO_FAULTS, UPSTREAM_FAULTS } from '../../scripts/simulate/faults.ts';
import { FAILPOINTS } from '../../src/kernel/failpoint.ts';
import { ANSWERS } from './fault-matrix/answers.ts';
import { ANY_TIME, UNBUILT } from './fault-matrix/any-time.ts';
import { missingTest, textOf } from './fault-matrix/missing-test.ts';
import type { Proof } from './fault-matrix/proofs.ts';
import { SENDINGS } from './fault-matrix/sendings.ts';
import { titlesOf } from './fault-matrix/titles-of.ts';
import { UPLOADS } from './fault-matrix/uploads.ts';

const CELLS = [...UPLOADS, ...SENDINGS, ...ANSWERS, ...ANY_TIME];

const isScript = (name: string): boolean => textOf('package.json').includes(`"${name}": "node scripts/${name}.ts"`);

/** @returns what is missing, in words; nothing where it is all there. */
function missing(proof: Proof): string[] {
  switch (proof.proof) {
    case 'test':
      return missingTest(proof);
    case 'kill':
      return isScript('kill') && FAILPOINTS.includes(proof.point) ? [] : [`npm run kill knows no point ${proof.point}`];
    case 'run': {
      const words = textOf(`scripts/${proof.script}.ts`);
      const isThere = isScript(proof.script) && words.includes(`npm run ${proof.script} -- ${proof.flag} `);
      return isThere ? [] : [`npm run ${proof.script} knows no ${proof.flag}`];
    }
    case 'simulate': {
      const isThere = [...UPSTREAM_FAULTS, ...Object.keys(NO_FAULTS)].includes(proof.fault);
      return isScript('simulate') && isThere ? [] : [`npm run simulate knows no fault ${proof.fault}`];
    }
  }
}

describe('a fault', () => {
  it.each(CELLS)('is met: $fault → $expected', ({ heldBy }) => {
    expect(heldBy.length).toBeGreaterThan(0);
    expect(heldBy.flatMap(missing)).toEqual([]);
  });

  it('stands in the list once, met or not built', () => {
    const faults = [...CELLS, ...UNBUILT].map(({ fault }) => fault);
    expect(faults.filter((fault, at) => faults.indexOf(fault) !== at)).toEqual([]);
    expect(UNBUILT.filter(({ why }) => why === '')).toEqual([]);
  });

  it('drawn by the simulator is named here', () => {
    const named = new Set<string>(
      CELLS.flatMap(({ heldBy }) => heldBy).flatMap((proof) => (proof.proof === 'simulate' ? [proof.fault] : [])),
    );
    const drawn = [...UPSTREAM_FAULTS, ...Object.keys(NO_FAULTS)];
    /** Switches of the simulator itself, and a plain refusal. */
    const noFaults = ['untilMs', 'upstream', 'refused'];
    expect(drawn.filter((fault) => !named.has(fault) && !noFaults.includes(fault))).toEqual([]);
  });

  it('at a named point of the process is named here', () => {
    const named = new Set<string>(
      CELLS.flatMap(({ heldBy }) => heldBy).flatMap((proof) => (proof.proof === 'kill' ? [proof.point] : [])),
    );
    expect(FAILPOINTS.filter((point) => !named.has(point))).toEqual([]);
  });
});

describe('the titles of a test file', () => {
  it('are found through tables, conditions and folds, and nothing else is', () => {
    const source = [
      "describe.each([1, 2])('a (%d)', () => {",
      "  it('b', () => expect(it).toBe(']') );",
      '  it.each([',
      "    ['x)', 1],",
      "  ])('it’s %s', async () => undefined);",
      '  it.runIf(true)(',
      '    `c`,',
      '    () => undefined,',
      '  );',
      '});',
      "it('d \\'e\\'', () => undefined);",
    ].join('\n');
    expect(titlesOf(source)).toEqual(['a (%d) > b', 'a (%d) > it’s %s', 'a (%d) > c', "d 'e'"]);
  });
});
