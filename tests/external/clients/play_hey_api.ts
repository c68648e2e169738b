// Plays a whole game with the client of Hey API.
import { createGame, discardCard, drawCard, getScores } from "./made";
import { client } from "./made/client.gen";

declare const process: { argv: string[] };

async function play(baseUrl: string): Promise<void> {
  client.setConfig({ baseUrl });
  const throwOnError = true;
  const created = await createGame({
    body: { seats: [{ kind: "human" }, { kind: "ai", level: "easy" }] },
    throwOnError,
  });
  client.setConfig({ auth: () => created.data.token });
  let game = created.data.game;
  const path = { game_id: game.id };
  while (game.status === "playing") {
    game = (await drawCard({ path, body: { source: "stock" }, throwOnError })).data.game;
    const card = game.you!.arrangement.discard!;
    game = (await discardCard({ path, body: { card }, throwOnError })).data.game;
  }
  const scores = (await getScores({ path, throwOnError })).data;
  if (typeof scores === "string") throw new Error("a table");
  const { rounds, result } = scores;
  console.log(JSON.stringify({ id: game.id, rounds: rounds.length, totals: result!.totals }));
}

void play(process.argv[2]!);
