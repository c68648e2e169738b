// Plays a whole game with the types of openapi-typescript and openapi-fetch, its client.
import createClient from "openapi-fetch";
import type { paths } from "./made";

declare const process: { argv: string[] };

/** The data of an answer; a refusal is an error that says what to do. */
async function data<T>(answer: Promise<{ data?: T; error?: unknown }>): Promise<T> {
  const { data, error } = await answer;
  if (data === undefined) throw new Error(JSON.stringify(error));
  return data;
}

async function play(baseUrl: string): Promise<void> {
  const client = createClient<paths>({ baseUrl });
  const body = { seats: [{ kind: "human" as const }, { kind: "ai" as const, level: "easy" as const }] };
  const created = await data(client.POST("/v1/games", { body }));
  const headers = { Authorization: `Bearer ${created.token}` };
  const params = { path: { game_id: created.game.id } };
  let game = created.game;
  while (game.status === "playing") {
    const draw = { source: "stock" as const };
    ({ game } = await data(
      client.POST("/v1/games/{game_id}/draw", { params, headers, body: draw }),
    ));
    const discard = { card: game.you!.arrangement.discard! };
    ({ game } = await data(
      client.POST("/v1/games/{game_id}/discard", { params, headers, body: discard }),
    ));
  }
  const scores = await data(client.GET("/v1/games/{game_id}/scores", { params, headers }));
  if (typeof scores === "string") throw new Error("a table");
  const { rounds, result } = scores;
  console.log(JSON.stringify({ id: game.id, rounds: rounds.length, totals: result!.totals }));
}

void play(process.argv[2]!);
