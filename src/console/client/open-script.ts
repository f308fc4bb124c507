/** The script of `/console/open`: takes the token from behind the `#` into the form, and out of the address. */
export const OPEN_JS = `'use strict';
(() => {
const field = document.querySelector('[data-open] [name=link]');
const take = () => {
  if (!field || location.hash.length < 2) return;
  field.value = location.hash.slice(1);
  history.replaceState(null, '', location.pathname);
  document.querySelector('[data-open] button').focus();
};
addEventListener('hashchange', take); /* a link that is followed where this page is open loads nothing */
take();
})();
`;
