/** A draft beside what is published, and beside an earlier file: what would differ. In the page and its script. */
import type { FC } from 'hono/jsx';
import { countOf, inText, Note } from '../../parts/basics.tsx';
import { countDiffering, Differences } from '../../parts/differences.tsx';
import { Counts, DifferingRows } from '../../parts/differing-rows.tsx';
import type { ComparedAnswer, RerunFound } from './answers.ts';

export const ComparedView: FC<{ compared: ComparedAnswer }> = ({ compared }) => {
  if (compared.sha256 === null) {
    return (
      <Note look="wait">{`Nothing is published under the name ${compared.name} yet: this would be its first version.`}</Note>
    );
  }
  const { name, differences, differencesOmitted, sample } = compared;
  const total = countDiffering(differences) + differencesOmitted;
  return (
    <div>
      <h3 tabindex={-1} data-asked>
        {total === 0 ? `The same as ${name} is now` : `${countOf(total, 'difference')} from ${name} as it is now`}
      </h3>
      {total === 0 ? null : <Differences differences={differences} omitted={differencesOmitted} />}
      {sample === null ? (
        <p class="quiet">Drop a sample to see what would become of it.</p>
      ) : (
        <>
          <p>{`The sample: ${inText(sample.counts.different)} of ${countOf(sample.counts.rows, 'row')} would become something else.`}</p>
          {sample.stopped ? <Note look="wait">It took too long: later rows were not compared.</Note> : null}
          <DifferingRows
            different={sample.different}
            total={sample.counts.different}
            none="Every record of the sample becomes exactly the same."
          />
        </>
      )}
    </div>
  );
};

export const RerunView: FC<{ rerun: RerunFound }> = ({ rerun: { counts, different } }) => (
  <div>
    <h3 tabindex={-1} data-asked>
      {counts.different === 0
        ? 'The earlier file becomes exactly the same'
        : `${countOf(counts.different, 'row')} of the earlier file would become something else`}
    </h3>
    <Counts counts={counts} />
    <DifferingRows
      different={different}
      total={counts.different}
      none="Every row becomes exactly what was made of it then."
    />
  </div>
);
