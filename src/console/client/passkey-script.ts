/**
 * Passkeys in the browser. The server puts what the browser needs into the form, and gets the browser's answer as a field of
 * that form. Without script, or where there are no passkeys, the form stays hidden. Old browsers do not know the JSON forms.
 */
export const PASSKEY_JS = `'use strict';
const bytesOf = (text) => Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (each) => each.charCodeAt(0));
const textOf = (buffer) => btoa(String.fromCharCode(...new Uint8Array(buffer))).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
const withBytes = (list) => (list || []).map((each) => ({ ...each, id: bytesOf(each.id) }));
function creationOf(json) {
  if (PublicKeyCredential.parseCreationOptionsFromJSON) return PublicKeyCredential.parseCreationOptionsFromJSON(json);
  return { ...json, challenge: bytesOf(json.challenge), user: { ...json.user, id: bytesOf(json.user.id) }, excludeCredentials: withBytes(json.excludeCredentials) };
}
function requestOf(json) {
  if (PublicKeyCredential.parseRequestOptionsFromJSON) return PublicKeyCredential.parseRequestOptionsFromJSON(json);
  return { ...json, challenge: bytesOf(json.challenge), allowCredentials: withBytes(json.allowCredentials) };
}
function answerOf(credential) {
  if (credential.toJSON) return credential.toJSON();
  const response = {};
  for (const name of ['clientDataJSON', 'attestationObject', 'authenticatorData', 'signature', 'userHandle']) if (credential.response[name]) response[name] = textOf(credential.response[name]);
  if (credential.response.getTransports) response.transports = credential.response.getTransports();
  return { id: credential.id, rawId: textOf(credential.rawId), type: credential.type, response, clientExtensionResults: credential.getClientExtensionResults() };
}
for (const form of document.querySelectorAll('form[data-passkey]')) {
  if (!window.isSecureContext || !window.PublicKeyCredential) continue;
  form.hidden = false;
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    const note = form.querySelector('[data-passkey-note]');
    note.textContent = '';
    try {
      const options = JSON.parse(form.dataset.options);
      const credential = form.dataset.passkey === 'create'
        ? await navigator.credentials.create({ publicKey: creationOf(options) })
        : await navigator.credentials.get({ publicKey: requestOf(options) });
      form.elements.namedItem('answer').value = JSON.stringify(answerOf(credential));
      form.submit();
    } catch (failed) {
      note.textContent = failed.name === 'InvalidStateError' ? 'This device has a passkey for you already.'
        : 'No passkey was used. Try again, or choose another way.';
    }
  });
}
`;
