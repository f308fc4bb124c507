/** A batch made again, as the ops API tells it → lines for people: the rows that differ, and the counts of all. */

export interface Rerun {
  batchId: string;
  mapping: string;
  from: string;
  to: string;
  different: {
    record: number;
    line: number;
    differences: { path: string; before: string; after: string }[];
  }[];
  counts: { rows: number; same: number; different: number; apart: number };
}

const SHORT = 12;

export function rerunWords({ batchId, mapping, from, to, different, counts }: Rerun): string {
  const under =
    from === to
      ? `its own version ${from.slice(0, SHORT)}`
      : `${to.slice(0, SHORT)} instead of ${from.slice(0, SHORT)}`;
  const rows = different.map(({ record, line, differences }) =>
    [
      `Row ${record} (line ${line})`,
      ...differences.map(({ path, before, after }) => `  ${path}: ${before} -> ${after}`),
    ].join('\n'),
  );
  const { apart } = counts;
  return [
    ...rows,
    `${batchId} under ${under} of ${mapping}: ${counts.rows} rows, ${counts.same} the same, ${counts.different} different.`,
    ...(apart === 0 ? [] : [`${apart} rows replace rows of an earlier batch and were not compared.`]),
    'Nothing was sent.',
    '',
  ].join('\n');
}
