// Plays a whole game with the client of openapi-generator's typescript-fetch.
import { Configuration, GamesApi } from "./made";

declare const process: { argv: string[] };

async function play(basePath: string): Promise<void> {
  let token = "";
  const games = new GamesApi(new Configuration({ basePath, accessToken: () => token }));
  const seats = [{ kind: "human" as const }, { kind: "ai" as const, level: "easy" as const }];
  const created = await games.createGame({ gameRequest: { seats } });
  token = created.token;
  let game = created.game;
  const gameId = game.id;
  while (game.status === "playing") {
    ({ game } = await games.drawCard({ gameId, drawRequest: { source: "stock" } }));
    const card = game.you!.arrangement.discard!;
    ({ game } = await games.discardCard({ gameId, discardRequest: { card } }));
  }
  const { rounds, result } = await games.getScores({ gameId });
  console.log(JSON.stringify({ id: game.id, rounds: rounds.length, totals: result!.totals }));
}

void play(process.argv[2]!);
