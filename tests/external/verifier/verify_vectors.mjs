// Makes the shuffle vectors anew from what they begin with: writes a JSON file's vectors to stdout.

import { readFileSync } from "node:fs";

const [, , modules, file] = process.argv;
const { commitment, deal, firstDealer, refill, uniform, words } = await import(modules);

const made = JSON.parse(readFileSync(file, "utf8")).vectors.map((vector) => {
  const { secret, uniform: listed } = vector;
  const stream = words(secret, listed.label);
  return {
    secret,
    commitment: commitment(secret),
    uniform: { ...listed, numbers: listed.numbers.map(() => uniform(stream, listed.n)) },
    first_dealer: Object.fromEntries(
      Object.keys(vector.first_dealer).map((seats) => [seats, firstDealer(secret, Number(seats))]),
    ),
    deals: vector.deals.map(({ round, seats, dealer, jokers }) => {
      const { hands, upcard, stock } = deal(secret, round, seats, dealer, jokers);
      const codes = hands.map((hand) => hand.join(" "));
      return { round, seats, dealer, jokers, hands: codes, upcard, stock: stock.join(" ") };
    }),
    refills: vector.refills.map(({ round, refill: count, pile }) => {
      const stock = refill(secret, round, count, pile.split(" "));
      return { round, refill: count, pile, stock: stock.join(" ") };
    }),
  };
});
console.log(JSON.stringify({ vectors: made }));
