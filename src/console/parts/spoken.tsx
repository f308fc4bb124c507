/** A sentence in which plain words stand before the code of a column, `status (AT7-01)`: the code is small and stays whole. */
import type { FC } from 'hono/jsx';
import { columnPath } from '../../mapping/values/element-names.ts';
import { Unbroken } from './basics.tsx';

const WITHIN = /\(([^()\s]+)\)/;
/** A segment and its element: short, and nothing without its other half. */
const ELEMENT = /^[A-Z][A-Z0-9]{1,2}(?:\[[^\]]*\])?-\d\d(?:\.\d+)?$/;

export const Spoken: FC<{ text: string }> = ({ text }) => (
  <>
    {text.split(WITHIN).map((part, index) => {
      if (index % 2 === 0) return <Unbroken text={part} />;
      if (ELEMENT.test(part))
        return (
          <span class="unbroken">
            (<code class="at">{part}</code>)
          </span>
        );
      return columnPath(part) === null ? (
        `(${part})`
      ) : (
        <>
          (<code class="at">{part}</code>)
        </>
      );
    })}
  </>
);
