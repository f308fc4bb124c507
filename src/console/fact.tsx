/** One fact of a heading: its name, and what it is. */
import type { Child, FC } from 'hono/jsx';

export const Fact: FC<{ name: string; children?: Child }> = ({ name, children }) => (
  <div>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
);
