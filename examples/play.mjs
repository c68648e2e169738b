// Play a whole game: draw from the stock, discard what the service finds best.
//
// Run it with Node.js 18 or newer as: node examples/play.mjs [http://127.0.0.1:8000]

const games = `${process.argv[2] ?? "http://127.0.0.1:8000"}/v1/games`;

/** Send a request and return its answer; a refusal is an error that says what to do. */
async function post(path, body, token) {
  const headers = { "Content-Type": "application/json" };
  if (token) headers.Authorization = `Bearer ${token}`;
  const response = await fetch(games + path, { method: "POST", headers, body: JSON.stringify(body) });
  const answer = await response.json();
  if (!response.ok) throw new Error(`${answer.code}: ${answer.detail}`);
  return answer;
}

let { game, token } = await post("", {});
while (game.status === "playing") {
  ({ game } = await post(`/${game.id}/draw`, { source: "stock" }, token));
  const card = game.you.arrangement.discard;
  ({ game } = await post(`/${game.id}/discard`, { card }, token));
}
console.log(JSON.stringify(game.result));
