/** The panes of the workbench: what is dropped on them, and which of them a narrow window shows. */

/** A file that is dropped anywhere on the form. */
export function addDrop(form: HTMLFormElement, take: (file: File) => void): void {
  const box = form.querySelector('[data-drop]');
  form.addEventListener('dragover', (event) => {
    event.preventDefault();
    box?.classList.add('over');
  });
  form.addEventListener('dragleave', () => box?.classList.remove('over'));
  form.addEventListener('drop', (event) => {
    const [dropped] = event.dataTransfer?.files ?? [];
    if (dropped === undefined) return;
    event.preventDefault();
    box?.classList.remove('over');
    take(dropped);
  });
}

/** On a narrow window one of the panes is shown. */
export function addTabs(form: HTMLFormElement, bar: HTMLElement): void {
  bar.addEventListener('click', ({ target }) => {
    const chosen = (target as Element).closest<HTMLElement>('button')?.dataset.pane;
    if (chosen !== undefined) showPane(form, chosen);
  });
}

export function showPane(form: HTMLFormElement, chosen: string): void {
  for (const pane of form.querySelectorAll('.bench-pane')) pane.classList.toggle('chosen', pane.id === chosen);
  for (const button of form.querySelectorAll<HTMLElement>('[data-tabs] button'))
    button.setAttribute('aria-pressed', String(button.dataset.pane === chosen));
}
