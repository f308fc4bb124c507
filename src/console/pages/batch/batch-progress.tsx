/** How far a batch is: what stops it, the bar, the tiles; and what is said of it while one looks. */
import type { FC } from 'hono/jsx';
import type { Page } from '../../page.ts';
import { StackedBar, segmentsOf, shownAs, statesLooking } from '../../parts/bar.tsx';
import { inText, type Look } from '../../parts/basics.tsx';
import { isOpen, rowLook, rowStateMessage, type ShownBatch, statesOf, stopText, unresolved } from './batch-messages.ts';

/** What came since the page was opened. It is said at the foot of the window: above the rows it would move them. */
export const LiveNotes: FC<{ page: Page; batch: ShownBatch }> = ({ page, batch: { batchId } }) => {
  const { after: _, before: __, ...filters } = page.context.req.query();
  return (
    <>
      <p class="note wait" data-when="new" hidden role="status">
        <span data-live="new" /> <a href={page.at(`/batches/${batchId}`, filters)}>Show what there is now</a>
      </p>
      <p class="only-read" role="status" data-said />
    </>
  );
};

export const Progress: FC<{ page: Page; batch: ShownBatch; states: readonly string[] | null }> = ({
  page,
  batch,
  states,
}) => {
  const path = `/batches/${batch.batchId}`;
  const segments = segmentsOf(batch.rowStates, batch.resolvedStates);
  // While it is under way the tiles are always the same ones: a new one would move the others.
  return (
    <section aria-label="Progress">
      {isOpen(batch) ? <WhatStopsIt page={page} batch={batch} /> : null}
      {!isOpen(batch) && page.query('ended') === 'true' ? <ItHasEnded /> : null}
      {batch.rows === 0 && !isOpen(batch) ? null : <StackedBar segments={segments} live isDryRun={batch.dryRun} />}
      <ul class="tiles" aria-label="Rows by state" hidden={batch.rows === 0 && !isOpen(batch)}>
        <Tile
          count={batch.rows}
          name="all"
          label="All rows"
          href={page.at(path, { state: 'all' })}
          isHere={states === null}
        />
        {isOpen(batch)
          ? shownAs(batch.dryRun).map(([look, words]) => (
              <Tile
                count={segments[look]}
                name={look}
                label={words.replace(/^./, (first) => first.toUpperCase())}
                look={look}
                href={isOfSeveral(batch, look) ? null : page.at(path, { state: statesLooking(look).join(',') })}
                isHere={states?.join() === statesLooking(look).join()}
              />
            ))
          : statesOf(batch)
              .filter((state) => unresolved(batch, state) > 0)
              .map((state) => {
                const { label, meaning } = rowStateMessage(state);
                return (
                  <Tile
                    count={unresolved(batch, state)}
                    name={state}
                    label={label}
                    title={meaning}
                    look={rowLook(state)}
                    href={page.at(path, { state })}
                    isHere={states?.length === 1 && states[0] === state}
                  />
                );
              })}
        {batch.resolved === 0 ? null : (
          <Tile
            count={batch.resolved}
            name="resolved"
            label="Corrected since"
            title="In their place, corrected rows of later uploads were delivered."
            look="done"
            href={null}
            isHere={false}
          />
        )}
      </ul>
    </section>
  );
};

/** What was corrected since has the state that it had: no list is of these. */
const isOfSeveral = ({ resolved }: ShownBatch, look: Look): boolean => look === 'done' && resolved > 0;

/** In the room of what stopped it, of a batch that ended while one looked: nothing below moves. */
const ItHasEnded: FC = () => (
  <div class="either">
    <p class="note">
      <span class="quiet">Finished. This page shows the result.</span>
    </p>
  </div>
);

/** Room for what stops the sending, whether it is stopped now or not: what is below never moves. */
const WhatStopsIt: FC<{ page: Page; batch: ShownBatch }> = ({ page, batch }) => {
  const stop = stopText(batch.stops);
  const { channel } = batch.links;
  return (
    <div class="either">
      <p class="note wait" data-when="stop" hidden={stop === ''} role="status">
        <strong data-live="stop">{stop}</strong>
        {page.isOps ? null : '. It goes on by itself: you need do nothing.'}
        {channel === undefined ? null : (
          <>
            {' '}
            <a href={channel}>Test or release the channel</a>
          </>
        )}
      </p>
      <p class="note scripted" data-when="calm" hidden={stop !== ''}>
        <span class="quiet">Numbers and states on this page follow by themselves.</span>
      </p>
      <noscript>
        <p class="note">
          <a href={page.at(`/batches/${batch.batchId}`)}>Show the numbers of now</a>
        </p>
      </noscript>
    </div>
  );
};

interface TileProps {
  count: number;
  name: string;
  label: string;
  /** null: a number alone. */
  href: string | null;
  isHere: boolean;
  title?: string;
  look?: string;
}

const Tile: FC<TileProps> = ({ count, name, label, href, isHere, title, look = '' }) => {
  const text = (
    <>
      <b class={look} data-count={name}>
        {inText(count)}
      </b>{' '}
      {label}
    </>
  );
  return (
    <li>
      {href === null ? (
        <span class="tile" title={title}>
          {text}
        </span>
      ) : (
        <a class="tile" href={href} title={title} {...(isHere ? { 'aria-current': 'true' } : {})}>
          {text}
        </a>
      )}
    </li>
  );
};
