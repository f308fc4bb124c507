/** Limits of signing in, of sessions and of people, each with its unit and its reason. */
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../kernel/clock.ts';

/** A session that nobody uses ends after this, in ms. Ours: a browser that was left alone over a meal is still signed in. */
export const SESSION_IDLE_MS = 2 * HOUR_MS;
/** A session ends after this whatever happens, in ms. Ours: one long shift. */
export const SESSION_LENGTH_MS = 12 * HOUR_MS;
/** How exactly the last use of a session is stored, in ms: a write for each request would cost more than it tells. Ours. */
export const SESSION_USED_MS = MINUTE_MS;
/** Sessions listed of one person, the newest. Ours: more are ended together. */
export const SESSIONS_SHOWN_MAX = 20;
/** How long a one-time link may be opened, in ms. Ours: one that is sent on a Friday is opened on Monday. */
export const LINK_LIFETIME_MS = 3 * DAY_MS;
/** How long the challenge of a page for a passkey is accepted, in ms. Ours: a page that is older is asked for again. */
export const CHALLENGE_LIFETIME_MS = 30 * MINUTE_MS;
/** Shortest and longest password, in characters. Ours: length alone makes a password hard to guess; a hash must end. */
export const PASSWORD_CHARACTERS_MIN = 12;
export const PASSWORD_CHARACTERS_MAX = 200;
/** Longest name of a person, in characters. Ours: it stands in histories. */
export const PERSON_NAME_CHARACTERS_MAX = 80;
/** People that may sign in, at most. Ours: a list on one page. */
export const PEOPLE_MAX = 500;
/** Passkeys of one person. Ours: a few devices each. */
export const PASSKEYS_MAX = 10;
/** Longest name of a browser that is stored with a session, in characters. Ours: for people to tell their own apart. */
export const BROWSER_CHARACTERS_MAX = 160;
/** Wrong tries that cost no wait. Ours: who mistypes is not punished. */
export const TRIES_FREE = 5;
/** Wait after the first wrong try above those, in ms, doubled with each up to the longest. Ours: no right one is kept out longer than a minute. */
export const TRY_WAIT_MS = 2 * SECOND_MS;
export const TRY_WAIT_MS_MAX = MINUTE_MS;
/** Wrong tries are forgotten when none came for so long, in ms. Ours. */
export const TRIES_FORGOTTEN_MS = HOUR_MS;
/** How long a browser in which somebody signed in is known as theirs, in ms. Ours. */
export const KNOWN_BROWSER_MS = 90 * DAY_MS;

/** Tries to change a person whom others change at the same moment. Ours: each of them would have to hit the same milliseconds. */
export const PERSON_CHANGE_TRIES = 3;
