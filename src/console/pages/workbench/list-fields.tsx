/** The code lists of a mapping on the bench: those that are changed here, and those that can be. In the page and its script. */
import type { FC } from 'hono/jsx';

/** @param names of published lists that the mapping uses. mayPublish: an operator. */
export const ListFields: FC<{ lists: readonly string[]; names: readonly string[]; mayPublish: boolean }> = ({
  lists,
  names,
  mayPublish,
}) => (
  <div>
    {lists.map((list, index) => (
      <div class="field">
        <label for={`bench-list-${index}`}>{`Code list ${nameOf(list)} as it is tried here`}</label>
        <textarea id={`bench-list-${index}`} name="codeList" rows={12} spellcheck={false} data-list>
          {list}
        </textarea>
        {mayPublish ? (
          <p class="actions">
            <button type="submit" name="do" value={`list:${index}`} class="small">
              Publish this list…
            </button>
          </p>
        ) : null}
      </div>
    ))}
    {mayPublish && names.some((name) => !isHere(lists, name)) ? (
      <p class="actions">
        <span class="quiet">Code lists it uses:</span>
        {names
          .filter((name) => !isHere(lists, name))
          .map((name) => (
            <button type="submit" name="do" value={`open:${name}`} class="small">{`Change ${name} here`}</button>
          ))}
      </p>
    ) : null}
  </div>
);

export const nameOf = (list: string): string => /^list:\s*["']?([\w-]+)/m.exec(list)?.[1] ?? '';

const isHere = (lists: readonly string[], name: string): boolean => lists.some((list) => nameOf(list) === name);
