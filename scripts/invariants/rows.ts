/** What must hold of the rows of a batch: each is there under its number, and has ended. Pure. */
import type { BatchRow, BatchSummary } from '../../src/batch/report/summary.ts';
import { breaks, type Violation } from './evidence.ts';

const [I3, I12] = [breaks('I3'), breaks('I12')];

/** I3: the numbers are exactly 1…n. @param where the batch, or its report. @param sent how many rows came in. */
export function everyRowThere(where: string, sent: number, rows: readonly { record: number }[]): Violation[] {
  const wrong = rows.findIndex(({ record }, index) => record !== index + 1);
  return [
    ...(rows.length === sent ? [] : [I3(`${where} has ${rows.length} rows, ${sent} were uploaded`)]),
    ...(wrong < 0 ? [] : [I3(`${where}: record ${rows[wrong]?.record} stands where ${wrong + 1} belongs`)]),
  ];
}

/**
 * I12: nothing refused them, so all are delivered, but for what a person decides. A row that ran into its deadline, on a machine
 * that is slower than the clocks run, says nothing against the bridge.
 */
export function everyRowDelivered(
  batchId: string,
  rows: readonly BatchRow[],
  isLeft: (row: BatchRow, index: number) => boolean = () => false,
): Violation[] {
  return rows
    .filter((row, index) => row.state !== 'delivered' && !isLeft(row, index))
    .map(({ record, state, requests }) => {
      const why = requests.map(
        ({ reason, attempts, answer }) => `${reason ?? 'no reason'} after ${attempts} attempts: ${answer}`,
      );
      return I12(`batch ${batchId}: record ${record} is ${state} (${why.join(', ')})`);
    });
}

/** The same of a batch whose rows are counted alone. */
export function allDelivered(
  what: string,
  sent: number,
  { state, rows, rowStates }: Pick<BatchSummary, 'state' | 'rows' | 'rowStates'>,
): Violation[] {
  if (state === 'settled' && rows === sent && rowStates.delivered === sent) return [];
  return [I12(`${what} is ${state} with ${rows} of ${sent} rows: ${JSON.stringify(rowStates)}`)];
}

export const isState = ({ batchId, state }: BatchSummary, wanted: BatchSummary['state']): Violation[] =>
  state === wanted ? [] : [I12(`batch ${batchId} is ${state}, not ${wanted}`)];
