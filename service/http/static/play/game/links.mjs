/** Links to a game: what stands in the fragment of the page's address, and leaves it at once. */

const JOIN = "join";
const WATCH = "watch";

/** What the address asks for. It is taken out of the address bar and the history.
 * @returns {{kind: "join", game: string, code: string} | {kind: "watch", game: string} | null} */
export function takeLink() {
  const [kind, game, code] = location.hash.slice(1).split("/");
  if (!game) return null;
  history.replaceState(null, "", location.pathname + location.search);
  if (kind === JOIN && code) return { kind, game, code };
  return kind === WATCH ? { kind, game } : null;
}

/** @param {string} game @param {string} code */
export const inviteLink = (game, code) => `${page()}#${JOIN}/${game}/${code}`;

/** @param {string} game */
export const watchLink = (game) => `${page()}#${WATCH}/${game}`;

const page = () => location.origin + location.pathname;
