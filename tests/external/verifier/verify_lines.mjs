// Verifies replays, one a line of stdin: writes the report of each as a line of JSON.

import { readFileSync } from "node:fs";

const { verify } = await import(process.argv[2]);
for (const line of readFileSync(0, "utf8").split("\n").filter(Boolean)) {
  console.log(JSON.stringify(verify(JSON.parse(line))));
}
