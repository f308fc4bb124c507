import { describe, expect, it } from 'vitest';
import { type Floors, floorChecks, readFloors, renewed } from '../../../scripts/bench/floors.ts';

const FLOORS: Floors = { ratios: { fast: 10, 'fast, CPU': 0.1 }, rowsWritten: { milestones: 2 } };
const holds = (measured: Partial<Parameters<typeof floorChecks>[0]>): boolean[] =>
  floorChecks({ ratios: {}, rowsWritten: {}, ...measured }, FLOORS).map((check) => check.holds);

describe('what is stored', () => {
  it('holds a ratio to seven tenths, which is less than a third below', () => {
    expect(holds({ ratios: { fast: 7, 'fast, CPU': 0.069 } })).toEqual([true, false]);
    expect(holds({ ratios: { fast: 10 * (2 / 3) } })).toEqual([false]);
    expect(floorChecks({ ratios: { 'fast, CPU': 0.08 }, rowsWritten: {} }, FLOORS)).toEqual([
      { name: 'fast, CPU', measured: '0.080 x', wanted: 'at least 0.070 x', holds: true },
    ]);
  });
  it('holds rows written to what they were; of several runs the leanest counts', () => {
    expect(holds({ rowsWritten: { milestones: [2.4, 2.05] } })).toEqual([true]);
    expect(holds({ rowsWritten: { milestones: [2.07, 2.3] } })).toEqual([false]);
    expect(floorChecks({ ratios: {}, rowsWritten: { milestones: [2.3] } }, FLOORS)).toEqual([
      { name: 'milestones', measured: '2.30 rows', wanted: 'at most 2.06 rows', holds: false },
    ]);
  });
  it('holds a line to nothing that it does not name', () => {
    expect(holds({ ratios: { slow: 0.1 }, rowsWritten: { messages: [99] } })).toEqual([]);
  });
  it('is renewed line by line, rows with the most of the runs', () => {
    const now = renewed(FLOORS, { ratios: { fast: 12.3456, edi: 2.34567 }, rowsWritten: { milestones: [1.5, 1.6] } });
    expect(now).toEqual({ ratios: { edi: 2.35, fast: 12.35, 'fast, CPU': 0.1 }, rowsWritten: { milestones: 1.6 } });
    expect(Object.keys(now.ratios)).toEqual(['edi', 'fast', 'fast, CPU']);
  });
  it('is in the repository, each figure above nothing', () => {
    const { ratios, rowsWritten } = readFloors();
    expect(Object.values({ ...ratios, ...rowsWritten }).filter((value) => !(value > 0))).toEqual([]);
  });
});
